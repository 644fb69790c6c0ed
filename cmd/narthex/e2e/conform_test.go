package e2e

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/modulehost/archive"
	"github.com/narthex-platform/narthex/modulehost/scaffold"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// TestModulesConform tests a sample module next to the installation's own database, and leaves nothing behind
// there.
func TestModulesConform(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every check of conformance")
	}
	t.Parallel()
	assertConforms(t, "announcements", builtModule(t, "announcements"))
}

// TestChecklistsConform tests the sample module in TypeScript.
func TestChecklistsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every check of conformance")
	}
	skipScriptsWithRace(t)
	t.Parallel()
	assertConforms(t, "checklists", builtModule(t, "checklists"))
}

// TestNewScriptConforms tests a server in TypeScript as modules:new writes it.
func TestNewScriptConforms(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every check of conformance")
	}
	skipScriptsWithRace(t)
	t.Parallel()
	dir := t.TempDir()
	written, err := scaffold.Write(scaffold.Config{ID: "prayer-list", WorkDir: dir, Script: true})
	if err != nil {
		t.Fatal(err)
	}
	assertConforms(t, "prayer-list", written.Folder)
}

func assertConforms(t *testing.T, id, folder string) {
	t.Helper()
	i := prepare(t, databasetest.New(t))
	path, err := archive.Pack(folder, abi.PlatformVersion, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := runCommand(t, i.environment, "", "modules:conform", "--json", path)
	var found struct {
		Checks                        []struct{ Check, Verdict, Seen string }
		Passed, Failed, NotApplicable int
	}
	if err := json.Unmarshal([]byte(r.stdout.String()), &found); err != nil {
		t.Fatalf("modules:conform --json: %v\n%s%s", err, r.stdout.String(), r.stderr.String())
	}
	if r.awaitExit(t) != cli.ExitSuccess || found.Failed != 0 || found.Passed < 20 ||
		found.Passed+found.NotApplicable != len(found.Checks) {
		t.Errorf("modules:conform of %s: exit %d, %+v; want exit 0 and nothing failed", id, r.awaitExit(t), found)
	}
	var left int
	if err := i.db.Pool(t).QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM pg_database WHERE starts_with(datname, 'narthex_conform_'))
		     + (SELECT count(*) FROM pg_roles WHERE starts_with(rolname, 'module_' || $1 || '_')
		            AND oid NOT IN (SELECT refobjid FROM pg_shdepend))`, strings.ReplaceAll(id, "-", "_")).
		Scan(&left); err != nil || left != 0 {
		t.Errorf("%d scratch databases and roles without anything are left, want none; %v", left, err)
	}
}

func TestModulesConformSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	r := runCommand(t, i.environment, "", "modules:conform", "no-such-package.tar.gz")
	out := r.stdout.String()
	if r.awaitExit(t) != cli.ExitFailure || !strings.Contains(out, "PACKAGE_UNREADABLE") ||
		!strings.HasSuffix(out, "0 passed, 1 failed, 26 not applicable\n") ||
		!strings.HasPrefix(r.stderr.String(), "MODULE_NOT_CONFORMING: ") {
		t.Errorf("modules:conform of no package: exit %d\n%s%s\nwant exit 1, PACKAGE_UNREADABLE and one failed",
			r.awaitExit(t), out, r.stderr.String())
	}
}

// TestModulesConformWithoutRights: for a user without the right to create databases, the error names the
// statement that grants it.
func TestModulesConformWithoutRights(t *testing.T) {
	t.Parallel()
	i := prepare(t, databasetest.New(t))
	i.db.Exec(t, `CREATE ROLE conform_without_rights LOGIN PASSWORD 'plain'`)
	t.Cleanup(func() { // the test's own context has ended by then
		if _, err := i.db.Pool(t).Exec(context.Background(), `DROP ROLE conform_without_rights`); err != nil {
			t.Error(err)
		}
	})
	address, err := url.Parse(i.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("conform_without_rights", "plain")
	variables := maps.Clone(i.environment)
	variables["DATABASE_URL"] = address.String()
	r := runCommand(t, variables, "", "modules:conform", builtModule(t, "announcements"))
	said := r.stderr.String()
	if r.awaitExit(t) != cli.ExitFailure || !strings.HasPrefix(said, "SCRATCH_DATABASE_UNAVAILABLE: ") ||
		!strings.Contains(said, `ALTER ROLE "conform_without_rights" CREATEDB CREATEROLE;`) {
		t.Errorf("modules:conform as a plain user: exit %d\n%swant exit 1, its code and the SQL",
			r.awaitExit(t), said)
	}
}
