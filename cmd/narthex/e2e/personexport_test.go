package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// exportedPerson is the part of an export that the tests read.
type exportedPerson struct {
	Core struct {
		Account struct{ UserID, Email string }
	}
	Modules map[string]any
	Missing []string
}

func (k *keeping) export(t *testing.T) (e exportedPerson) {
	t.Helper()
	got := k.owner.do("GET", "/api/v1/account/export", nil)
	if err := json.Unmarshal([]byte(got.body), &e, json.MatchCaseInsensitiveNames(true)); err != nil ||
		got.status != 200 {
		t.Fatalf("GET /api/v1/account/export: %d %.300s, error %v", got.status, got.body, err)
	}
	return e
}

// TestExportHasTheModules: an export has the part of a real module, up to 8 MiB. A part that is longer, or
// fails, is listed as missing. identity:export writes the same into a new file, and does not overwrite one.
func TestExportHasTheModules(t *testing.T) {
	t.Parallel()
	k := installKeeper(t)
	k.start(t)
	k.owner = k.signIn(t, ownerAddress, ownerPassword)
	ownerID := k.owner.userID(t)
	k.db.Exec(t, `INSERT INTO module_keeper.kept VALUES ($1, 'sings alto'), ('another', 'sings bass')`, ownerID)
	got := k.export(t)
	if text, _ := json.Marshal(got.Modules); string(text) != `{"keeper":{"notes":["sings alto"]}}` ||
		len(got.Missing) != 0 || got.Core.Account.Email != ownerAddress {
		t.Errorf("exported %+v, want the owner, and of keeper one note", got)
	}
	k.behave(t, "large")
	if text, _ := k.export(t).Modules["keeper"].(string); text != strings.Repeat("x", 8<<20-2) {
		t.Errorf("of a part of 8 MiB %d bytes came", len(text))
	}
	for _, behaviour := range []string{"too large", "fails"} {
		k.behave(t, behaviour)
		if got := k.export(t); len(got.Modules) != 0 || len(got.Missing) != 1 || got.Missing[0] != "keeper" {
			t.Errorf("a module that %s: %d parts, missing %v, want keeper missing", behaviour, len(got.Modules),
				got.Missing)
		}
	}

	k.behave(t, "obeys")
	anna := k.member(t, "Anna")
	path := filepath.Join(t.TempDir(), "anna.json")
	command := func(id string) *invocation {
		return runCommand(t, k.environment, "", "identity:export", "--", "--user-id", id, "--to", path)
	}
	unknown := command("00000000-0000-4000-8000-000000000000")
	if _, err := os.Stat(path); unknown.awaitExit(t) != cli.ExitFailure || err == nil ||
		!strings.HasPrefix(unknown.stderr.String(), "USER_NOT_FOUND") {
		t.Errorf("identity:export of nobody: %q, the file's error %v, want USER_NOT_FOUND and no file",
			unknown.stderr.String(), err)
	}
	if r := command(anna); r.awaitExit(t) != cli.ExitSuccess {
		t.Fatalf("identity:export: %q", r.stderr.String())
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var e exportedPerson
	if err := json.Unmarshal(written, &e, json.MatchCaseInsensitiveNames(true)); err != nil ||
		e.Core.Account.UserID != anna || !strings.Contains(string(written), "sings bass") {
		t.Errorf("identity:export wrote %s, error %v, want Anna and her note", written, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file's mode is %v, error %v, want 0600", info.Mode(), err)
	}
	if r := command(anna); r.awaitExit(t) == cli.ExitSuccess {
		t.Error("a file that exists is overwritten")
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(written) {
		t.Errorf("after a refusal the file has changed, error %v", err)
	}
}

// TestExportOfAHangingModule: the part of a module that does not respond is listed as missing. The rest of
// the export is complete, other requests are served meanwhile, and the next export has the module's part
// again.
func TestExportOfAHangingModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for the deadline of an export")
	}
	k := installKeeper(t)
	k.start(t)
	k.owner = k.signIn(t, ownerAddress, ownerPassword)
	other := k.signIn(t, ownerAddress, ownerPassword)
	k.behave(t, "hangs")
	exported := make(chan exportedPerson, 1)
	go func() {
		defer close(exported)
		exported <- k.export(t)
	}()
	eventually(t, "the module is asked", func() bool {
		var asked int
		err := k.db.Pool(t).QueryRow(t.Context(),
			`SELECT count(*) FROM core.activity WHERE action = 'person.exported'`).Scan(&asked)
		return err == nil && asked == 1
	})
	if got := other.do("GET", "/api/v1/account", nil); got.status != 200 {
		t.Errorf("GET /api/v1/account during the export: %d %s, want 200", got.status, got.body)
	}
	if got := other.do("GET", "/api/v1/account/export", nil); got.status != 429 {
		t.Errorf("a second export meanwhile: %d %.200s, want 429", got.status, got.body)
	}
	got, made := <-exported
	if !made || len(got.Modules) != 0 || len(got.Missing) != 1 || got.Missing[0] != "keeper" ||
		got.Core.Account.Email != ownerAddress {
		t.Errorf("exported %+v, want the owner, and keeper missing", got)
	}
	k.behave(t, "obeys")
	if got := k.export(t); len(got.Missing) != 0 || len(got.Modules) != 1 {
		t.Errorf("exported %+v once the module answers, want its part", got)
	}
}
