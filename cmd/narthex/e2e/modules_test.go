package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// restart restarts the platform, as changed decisions or configuration require.
func (i *installation) restart(t *testing.T, r *invocation) *invocation {
	t.Helper()
	r.signal(t, syscall.SIGTERM)
	if r.awaitExit(t) != cli.ExitSuccess {
		t.Fatal("the platform did not stop cleanly")
	}
	return i.start(t)
}

// lifecycle is the part of GET /api/v1/module-lifecycle that the tests read.
type lifecycle struct {
	ID         string
	Configured struct{ Enabled, Explicit bool }
	Runtime    struct {
		State, Reason, ConfigurationKey string
		Dependency                      struct{ Kind, ModuleID string }
	}
	RestartRequired bool
}

func (l lifecycle) String() string {
	text := fmt.Sprintf("%s enabled=%v explicit=%v %s", l.ID, l.Configured.Enabled, l.Configured.Explicit,
		l.Runtime.State)
	for _, detail := range []string{l.Runtime.Reason, l.Runtime.Dependency.ModuleID,
		l.Runtime.ConfigurationKey} {
		if detail != "" {
			text += " " + detail
		}
	}
	if l.RestartRequired {
		text += " restart"
	}
	return text
}

func (p *person) lifecycle() string {
	p.t.Helper()
	got := p.do("GET", "/api/v1/module-lifecycle", nil)
	var list struct{ Modules []lifecycle }
	if err := json.Unmarshal([]byte(got.body), &list, json.MatchCaseInsensitiveNames(true)); err != nil ||
		got.status != http.StatusOK {
		p.t.Fatalf("GET /api/v1/module-lifecycle: status %d, want 200; body %s; error %v", got.status,
			got.body, err)
	}
	lines := make([]string, len(list.Modules))
	for n, entry := range list.Modules {
		lines[n] = entry.String()
	}
	return strings.Join(lines, "\n")
}

func assertText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// TestDecisions: a decision has no effect before the next start. Then the module and all that depend on it
// are gone, and later all come back.
func TestDecisions(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail")
	r := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	assertText(t, "at first", owner.lifecycle(),
		"base enabled=true explicit=false running\ntail enabled=true explicit=false running")

	if got := owner.do("PUT", "/api/v1/module-lifecycle/base/enabled",
		map[string]bool{"enabled": false}); got.status != http.StatusOK {
		t.Fatalf("PUT /api/v1/module-lifecycle/base/enabled: status %v, want %v; body %.200s",
			got.status, http.StatusOK, got.body)
	}
	assertText(t, "decided", owner.lifecycle(),
		"base enabled=false explicit=true running restart\ntail enabled=true explicit=false running restart")
	if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.status != http.StatusOK {
		t.Error("the module vanished before the restart:", got.status, got.body)
	}

	r = i.restart(t, r)
	assertText(t, "restarted", owner.lifecycle(),
		"base enabled=false explicit=true disabled\ntail enabled=true explicit=false blocked "+
			"required_dependency_disabled base")
	if got := owner.do("GET", "/api/v1/modules/base/plain", nil); got.status != http.StatusNotFound ||
		got.body != `{"code":"NOT_FOUND"}` {
		t.Errorf("GET /api/v1/modules/base/plain: status %v, want %v; body %.200q, want %.200q",
			got.status, http.StatusNotFound, got.body, `{"code":"NOT_FOUND"}`)
	}

	enabled := runCommand(t, i.environment, "", "modules:enable", "--", "--module", "base")
	if enabled.awaitExit(t) != cli.ExitSuccess ||
		!strings.HasPrefix(enabled.stdout.String(), "Stored: base starts with the platform") {
		t.Errorf("runCommand: exit status %v, want %v; stdout %.400q, want it to begin with %q",
			enabled.awaitExit(t), cli.ExitSuccess, enabled.stdout.String(), "Stored: base starts with the platform")
	}
	assertText(t, "enabled by command", owner.lifecycle(),
		"base enabled=true explicit=true disabled restart\ntail enabled=true explicit=false blocked "+
			"required_dependency_disabled base restart")
	i.restart(t, r)
	assertText(t, "again", owner.lifecycle(),
		"base enabled=true explicit=true running\ntail enabled=true explicit=false running")
}

// TestConfiguration configures a module that lacks all its settings until it runs with them.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	const secret = "marked-secret-of-the-module"
	i := install(t, "configured")
	r := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	assertText(t, "at first", owner.lifecycle(),
		"configured enabled=true explicit=false blocked configuration_missing title")

	const path = "/api/v1/module-configuration/configured"
	put := func(values map[string]any) httpResponse {
		return owner.do("PUT", path, map[string]any{"values": values})
	}
	if got := put(map[string]any{"apiToken": secret}); got.status != http.StatusBadRequest ||
		got.body != `{"code":"CONFIGURATION_SECRET_NOT_WRITABLE"}` {
		t.Errorf("put: status %v, want %v; body %.200q, want %.200q",
			got.status, http.StatusBadRequest, got.body, `{"code":"CONFIGURATION_SECRET_NOT_WRITABLE"}`)
	}
	if got := put(map[string]any{"title": "Foyer", "seconds": 30, "loud": true}); got.status != http.StatusOK ||
		strings.Contains(got.body, `"restartRequired":true`) {
		t.Errorf("put: status %v, want %v; body %.400q, want it without %q",
			// the secret is still missing, so a start would not run it
			got.status, http.StatusOK, got.body, `"restartRequired":true`)
	}
	list := runCommand(t, i.environment, "", "modules:list")
	missing := "blocked: the deployment must supply SERVICE_MODULE_SECRET__CONFIGURED__API_TOKEN"
	if !strings.Contains(list.stdout.String(), missing) {
		t.Errorf("modules:list wrote\n%s\nwant %q in it", list.stdout.String(), missing)
	}

	i.environment["SERVICE_MODULE_SECRET__CONFIGURED__API_TOKEN"] = secret
	r = i.restart(t, r)
	hash := sha256.Sum256([]byte(secret))
	want := `{"colour":"red","feed":false,"loud":true,"seconds":30,"secret":"` + hex.EncodeToString(hash[:]) +
		`","title":"Foyer"}` + "\n"
	if got := owner.do("GET", "/api/v1/modules/configured/configuration", nil); got.body != want {
		t.Errorf("GET /api/v1/modules/configured/configuration: body %.200q, want %.200q; status %v",
			got.body, want, got.status)
	}

	// The stored configuration differs from the running one until the next start. After it is changed back,
	// no restart is required.
	if got := put(map[string]any{"title": "Hall"}); !strings.Contains(got.body, `"restartRequired":true`) {
		t.Errorf("put: body %.400q, want %q in it", got.body, `"restartRequired":true`)
	}
	if got := owner.do("GET", "/api/v1/modules/configured/configuration", nil); got.body != want {
		t.Errorf("GET /api/v1/modules/configured/configuration: body %.200q, want %.200q; status %v",
			got.body, want, got.status)
	}
	if got := put(map[string]any{"title": "Foyer", "seconds": 30, "loud": true}); !strings.Contains(got.body,
		`"restartRequired":false`) {
		t.Errorf("put: body %.400q, want %q in it", got.body, `"restartRequired":false`)
	}

	// A stored value that the manifest does not allow is never replaced by the default.
	i.db.Exec(t, `UPDATE core.module_configuration SET value = '5000' WHERE key = 'seconds'`)
	r = i.restart(t, r)
	assertText(t, "invalid", owner.lifecycle(),
		"configured enabled=true explicit=false blocked configuration_invalid seconds")
	for _, text := range []string{owner.do("GET", path, nil).body, r.stderr.String(), r.stdout.String()} {
		if strings.Contains(text, secret) || strings.Contains(text, "API_TOKEN") {
			t.Error("the secret or its variable shows:", text)
		}
	}
}

// TestStoredReadsThatFail: a start reports which read failed, and why.
func TestStoredReadsThatFail(t *testing.T) {
	t.Parallel()
	i := install(t)
	for _, fault := range []struct{ statement, repair, code string }{
		{"ALTER TABLE core.module_configuration RENAME TO gone",
			"ALTER TABLE core.gone RENAME TO module_configuration", "MODULE_CONFIGURATION_READ_FAILED"},
		{"ALTER TABLE core.module_enablement RENAME TO gone", "ALTER TABLE core.gone RENAME TO module_enablement",
			"MODULE_LIFECYCLE_READ_FAILED"},
	} {
		i.db.Exec(t, fault.statement)
		r := runCommand(t, i.environment, "", "api:start")
		if r.awaitExit(t) != cli.ExitFailure || !strings.HasPrefix(r.stderr.String(), fault.code) {
			t.Errorf("runCommand: exit status %v, want %v; stderr %.400q, want it to begin with %q",
				r.awaitExit(t), cli.ExitFailure, r.stderr.String(), fault.code)
		}
		i.db.Exec(t, fault.repair)
	}
}
