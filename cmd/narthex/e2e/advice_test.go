package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// TestFailedStartTellsTheWayOut runs the command that the start's failure recommends, as printed. After it
// the platform starts without the failing module.
func TestFailedStartTellsTheWayOut(t *testing.T) {
	t.Parallel()
	i := install(t, "base", "tail", "failing")
	failed := runCommand(t, i.environment, "", "api:start")
	line := regexp.MustCompile(`(?m)^MODULE_START_FAILED: The module failing .* narthex (modules:disable .*)\.$`)
	told := line.FindStringSubmatch(failed.stderr.String())
	if failed.awaitExit(t) != cli.ExitFailure || told == nil {
		t.Fatalf("exit status %d, want %d and a line that names modules:disable:\n%s",
			failed.awaitExit(t), cli.ExitFailure, failed.stderr.String())
	}
	r := runCommand(t, i.environment, "", strings.Fields(told[1])...)
	if r.awaitExit(t) != cli.ExitSuccess {
		t.Fatalf("narthex %s: exit status %d, want %d; stderr %s", told[1], r.awaitExit(t), cli.ExitSuccess,
			r.stderr.String())
	}
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	for id, want := range map[string]string{"base": `"state":"running"`, "failing": `"state":"disabled"`} {
		got := owner.do("GET", "/api/v1/module-lifecycle", nil)
		_, entry, _ := strings.Cut(got.body, `{"id":"`+id+`"`)
		entry, _, _ = strings.Cut(entry, `"restartRequired"`)
		if got.status != http.StatusOK || !strings.Contains(entry, want) {
			t.Errorf("GET /module-lifecycle: %d, module %s %s, want %s", got.status, id, entry, want)
		}
	}
}
