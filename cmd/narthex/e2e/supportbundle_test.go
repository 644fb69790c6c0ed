package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestSupportBundle: the bundle contains versions, findings, modules, migrations and figures, and nothing
// about a person, no variable's value, no host and no path.
func TestSupportBundle(t *testing.T) {
	t.Parallel()
	i := install(t, "announcements")
	i.environment["SERVICE_METRICS_ADDRESS"] = filepath.Join(t.TempDir(), "MARKED.sock")
	i.environment["SERVICE_IDENTITY_SECRET"] = "MARKED-8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi"
	i.environment["SERVICE_MODULE_SECRET__ANNOUNCEMENTS__KEY"] = "MARKED"
	i.environment["DATABASE_URL"] += "?application_name=MARKED-application"
	for name, value := range map[string]string{ // nothing listens there
		"HOST": "marked-host.example.org", "PORT": "1", "SECURITY": "plaintext", "USERNAME": "MARKED-user",
		"PASSWORD": "MARKED-word", "FROM": "MARKED <marked-office@example.org>",
	} {
		i.environment["SERVICE_SMTP_"+name] = value
	}
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	i.member(t, "marked-member@example.org")
	owner.create(t, 201, slides, map[string]any{"title": "MARKED-title", "body": "MARKED-body"})
	path := filepath.Join(t.TempDir(), "bundle.json")
	if r := runCommand(t, i.environment, "", "support:bundle", "--", "--to", path); r.awaitExit(
		t,
	) != cli.ExitSuccess {
		t.Fatal("support:bundle failed")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{
		"marked", "owner@", "example.org", "localhost", "127.0.0.1", "/tmp", "postgres:",
		i.environment["SERVICE_MODULES_DIR"], i.db.Settings.Password.Reveal(), i.db.Settings.Name,
	} {
		if at := strings.Index(strings.ToLower(string(text)), strings.ToLower(mark)); at >= 0 {
			t.Errorf("the bundle has %q: ...%s...", mark, text[max(0, at-80):min(len(text), at+80)])
		}
	}
	var told struct {
		Platform string
		Set      []string
		Doctor   struct {
			Findings []any
			Modules  []struct{ ID string }
		}
		Migrations struct{ Lines []any }
		Process    []string
	}
	if err := json.Unmarshal(text, &told); err != nil {
		t.Fatal(err)
	}
	if told.Platform == "" || len(told.Set) < 5 || len(told.Doctor.Findings) == 0 ||
		len(told.Doctor.Modules) != 1 || len(told.Migrations.Lines) != 2 ||
		len(told.Process) < 50 {
		t.Errorf("the bundle lacks something: %.2000s", text)
	}
	if r := runCommand(t, i.environment, "", "support:bundle", "--", "--to", path); r.awaitExit(
		t,
	) != cli.ExitUsage {
		t.Errorf("support:bundle over a file: exit %d, want %d", r.awaitExit(t), cli.ExitUsage)
	}
}
