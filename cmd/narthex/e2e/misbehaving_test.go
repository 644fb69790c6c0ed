package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestHarmEndsItsModuleAlone: whatever a module writes to its sockets or takes from the machine ends only its
// own process. Its calls fail, and a new process is started.
func TestHarmEndsItsModuleAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it ends a module in twenty ways")
	}
	t.Parallel()
	threads := "/threads/300"
	if os.Geteuid() != 0 {
		threads = "/threads/20000" // then all modules share one user, which has a higher limit
	}
	harms := []string{
		"/exit", "/memory", threads, "/spoil",
		"/say/answers/text", "/say/answers/half", "/say/answers/oversize", "/say/answers/huge",
		"/say/answers/undersize",
		"/say/answers/kind", "/say/answers/answer", "/say/answers/pong",
		"/say/calls/text", "/say/calls/half", "/say/calls/oversize", "/say/calls/huge", "/say/calls/undersize",
		"/say/calls/kind", "/say/calls/answer", "/say/calls/loaded",
	}
	const each = 4 // crashes before the platform pauses
	var ids []string
	for n := range (len(harms) + each - 1) / each {
		ids = append(ids, fmt.Sprintf("wild-%d", n))
	}
	i := install(t, "base")
	installIdle(t, i.environment["SERVICE_MODULES_DIR"], 100)
	b := startInstalledWithFaulty(t, i, ids...)
	for n, harm := range harms {
		id := ids[n/each]
		pid := modulePID(t, b.daemon, id)
		got := b.owner.do("GET", "/api/v1/modules/"+id+harm, nil)
		if harm == "/spoil" && got.status == http.StatusOK { // only the next body is affected
			got = b.owner.do("GET", "/api/v1/modules/"+id+"/long", nil)
		}
		if got.status != http.StatusInternalServerError || got.body != handlerFailed {
			t.Errorf("%v: status %v, want %v; body %.200q, want %.200q",
				harm, got.status, http.StatusInternalServerError, got.body, handlerFailed)
		}
		b.awaitRestart(t, b.owner, id, pid)
		// Either the exit or the loss of the link is noticed first; a ping would also find it, but late.
		lost := b.lostProcesses(t, id, n%each+1)
		if want := brokenRules[harm]; want != "" {
			eventually(t, harm+" is told by the rule that it broke: "+want, func() bool {
				ended := b.logLines(t, id, "module process ended")
				return len(ended) > n%each && ended[n%each].LinkRule == want
			})
		}
		if len(lost) != n%each+1 || !slices.Contains([]string{"exited", "link lost"}, lost[len(lost)-1].Reason) {
			t.Errorf("lines \"module process lost\" of %s after %s: %v, want %d and the last "+
				"\"exited\" or \"link lost\"",
				id, harm, lost, n%each+1)
		}
	}
}

// brokenRules are the texts that the log has for violations of docs/link.md.
var brokenRules = map[string]string{
	"/say/answers/half": "7.4 frame cut short", "/say/answers/oversize": "7.1 frame length outside the limits",
	"/say/answers/kind":   "7.2 frame kind not expected here",
	"/say/answers/answer": "7.5 answer to nothing that was asked",
	"/say/calls/huge":     "7.1 frame length outside the limits",
	"/say/calls/loaded":   "7.3 payload where none belongs",
	"/say/calls/kind":     "7.2 frame kind not expected here",
}

// installIdle installs modules without a server, which occupy the first user ids. The kernel counts a user's
// threads on the whole machine, so a module with a low id that uses up all threads would starve modules of
// other tests.
func installIdle(t *testing.T, dir string, number int) {
	t.Helper()
	for n := range number {
		id := fmt.Sprintf("a-%03d", n)
		manifest := `{"manifestVersion": 7, "id": "` + id + `", "name": "A", "version": "1.0.0",
			"compatibility": {"platform": "^0.1.0", "moduleSdk": "^0.1.0"}}`
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, "module.json"), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFloodIsCut: a module that writes output without end neither fills the log nor blocks anything.
func TestFloodIsCut(t *testing.T) {
	t.Parallel()
	const lines, lineBytes, window = 100, 2 << 10, 10 * time.Second
	b := startWithFaulty(t, "loud")
	b.owner.do("GET", "/api/v1/modules/loud/flood", nil)
	var written, logged int
	eventually(t, "megabytes and thousands of lines", func() bool {
		got := b.owner.do("GET", "/api/v1/modules/loud/flooded", nil)
		if _, err := fmt.Sscan(got.body, &written, &logged); err != nil || got.status != http.StatusOK {
			t.Errorf("GET /flooded meanwhile: status %d, want 200; body %s, want two numbers", got.status,
				got.body)
		}
		return written > 16<<20 && logged > 20*lines
	})
	said, log := b.logLines(t, "loud", "module says"), b.daemon.stderr.String()
	if len(said) < lines {
		t.Fatalf("%d of %d lines were logged, want at least %d", len(said), logged, lines)
	}
	at := func(n int) time.Time {
		moment, err := time.Parse(time.RFC3339, said[n].Time)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	most := lines * (2 + int(at(len(said)-1).Sub(at(0))/window))
	if len(said) > most {
		t.Errorf("%d of %d lines were logged, want at most %d", len(said), logged, most)
	}
	if len(log) > 64<<10+most*lineBytes || strings.Contains(log, "hunter2") {
		t.Errorf("%d bytes of log, or the module's standard output in it", len(log))
	}
	t.Logf("%d MiB and %d lines became %d KiB of log", written>>20, logged, len(log)>>10)
}

// TestSecondProcessMustRegisterTheSame: a process whose registration differs from that of the first process
// is not started.
func TestSecondProcessMustRegisterTheSame(t *testing.T) {
	t.Parallel()
	b := startWithFaulty(t, "changeling")
	const path = "/api/v1/modules/changeling/plain"
	if got := b.owner.do("GET", path, nil); got.status != http.StatusOK {
		t.Fatalf("GET .../plain of the first process: %d %s, want 200", got.status, got.body)
	}
	if err := syscall.Kill(modulePID(t, b.daemon, "changeling"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "further processes are refused until the platform pauses", func() bool {
		if got := b.owner.do("GET", path, nil); got.status == http.StatusOK &&
			len(b.logLines(t, "changeling", "module process lost")) > 0 {
			t.Errorf("a second process responds: %s", got.body)
		}
		return len(b.logLines(t, "changeling", "service restarts paused")) > 0
	})
	got := b.owner.do("GET", path, nil)
	if got.status != http.StatusServiceUnavailable || !isAllowedResponse(got) {
		t.Errorf("GET %s after the pause: status %d, want 503; body %s", path, got.status, got.body)
	}
	refused := b.logLines(t, "changeling", "service crashed")
	started := b.logLines(t, "changeling", "module says")
	if len(started) != 1 || len(refused) < 3 || refused[1].Code != "MODULE_REGISTER_FAILED" {
		t.Errorf("%d start hooks ran, want 1; crashes %v, want at least 3 and MODULE_REGISTER_FAILED",
			len(started), refused)
	}
}
