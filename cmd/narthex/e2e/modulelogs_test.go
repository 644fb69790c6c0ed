package e2e

import (
	"maps"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestModuleLogs: the operator can read what a module wrote and how it ended, and the platform's own log
// contains none of it.
func TestModuleLogs(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	runtimeFolder, err := os.MkdirTemp("", "nx") // short, because a socket's address is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(runtimeFolder) })
	i.environment["XDG_RUNTIME_DIR"] = runtimeFolder
	b := startInstalledWithFaulty(t, i, "wild-0")
	pid := modulePID(t, b.daemon, "wild-0")
	if got := b.owner.do("GET", "/api/v1/modules/wild-0/panic", nil); got.status == 0 {
		t.Fatal("no answer")
	}
	b.awaitRestart(t, b.owner, "wild-0", pid)

	shown := runCommand(t, i.environment, "", "modules:logs", "--module", "wild-0")
	for _, want := range []string{`panic: a panic of its own \x1b[2J`, "goroutine ", "server/main.go:",
		"the process ended: exit status 2"} {
		if !strings.Contains(shown.stdout.String(), want) {
			t.Errorf("modules:logs does not show %q", want)
		}
	}
	if shown.awaitExit(t) != cli.ExitSuccess || strings.Contains(shown.stdout.String(), "\x1b") {
		t.Errorf("modules:logs: exit status %d, want %d, and no control characters", shown.awaitExit(t),
			cli.ExitSuccess)
	}
	if strings.Contains(b.daemon.stderr.String(), "a panic of its own") {
		t.Error("the platform's log has what the module wrote")
	}

	following := startCommand(t, i.environment, "", "modules:logs", "--module", "wild-0", "--follow")
	following.awaitOutput(t, &following.stdout, "exit status 2")
	got := b.owner.do("GET", "/api/v1/modules/wild-0/exit", nil)
	following.awaitOutput(t, &following.stdout, "exit status 3")
	following.signal(t, syscall.SIGINT)
	if status := following.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("modules:logs --follow after Ctrl-C: exit status %d, want %d", status, cli.ExitSuccess)
	}
	b.daemon.awaitOutput(t, &b.daemon.stderr, `"module":"wild-0"`)
	failed := false
	for line := range strings.Lines(b.daemon.stderr.String()) {
		failed = failed || strings.Contains(line, `"request failed"`) && strings.Contains(line, `"module":"wild-0"`)
	}
	if !failed {
		t.Errorf("no line \"request failed\" names the module; GET /exit: status %d", got.status)
	}
	for module, want := range map[string]string{"absent": "MODULE_NOT_INSTALLED: ", "wild-0": ""} {
		r := runCommand(t, i.environment, "", "modules:logs", "--module", module)
		if got := r.stderr.String(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("modules:logs --module %s: %q, want %q", module, got, want)
		}
	}
	elsewhere := maps.Clone(i.environment)
	elsewhere["XDG_RUNTIME_DIR"] = t.TempDir()
	nobody := runCommand(t, elsewhere, "", "modules:logs", "--module", "wild-0")
	if !strings.HasPrefix(nobody.stderr.String(), "MODULE_LOGS_UNAVAILABLE: ") {
		t.Errorf("modules:logs without a platform: %q, want MODULE_LOGS_UNAVAILABLE", nobody.stderr.String())
	}
}
