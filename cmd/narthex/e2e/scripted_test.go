package e2e

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// startScripted starts a platform with the module scripted, whose server is a script, beside base.
func startScripted(t *testing.T) *faultyPlatform {
	t.Helper()
	skipScriptsWithRace(t)
	i := install(t, "base", "scripted")
	b := &faultyPlatform{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	b.watchBystanders(t)
	return b
}

// skipScriptsWithRace: a platform with the race detector is not static and needs more address space than a
// sandbox gives, so it runs no scripts. The package modulehost/script is tested with the race detector.
func skipScriptsWithRace(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("a program with the race detector cannot run scripts")
	}
}

const scriptedRoot = "/api/v1/modules/scripted"

// TestScriptedModule: a script serves routes with its own database. What it does wrong fails its own request;
// others are served meanwhile, by it and by the other modules.
func TestScriptedModule(t *testing.T) {
	t.Parallel()
	b := startScripted(t)
	pid := modulePID(t, b.daemon, "scripted")
	for n := range 3 {
		got := b.owner.do("POST", scriptedRoot+"/visits", nil)
		if want := fmt.Sprintf(`{"n":%d}`, n+1); got.status != http.StatusOK || got.body != want {
			t.Errorf("POST /visits: %d %s, want 200 %s", got.status, got.body, want)
		}
	}
	waiting := b.sendMany(t, "a request that waits for the database", 2, scriptedRoot+"/waits", "")
	for _, harm := range []string{"endless", "throws", "recursion"} {
		got := b.owner.do("GET", scriptedRoot+"/harms/"+harm, nil)
		if got.status != http.StatusInternalServerError || got.body != handlerFailed {
			t.Errorf("GET /harms/%s: %d %s, want 500 %s", harm, got.status, got.body, handlerFailed)
		}
		if got := b.owner.do("GET", scriptedRoot+"/plain", nil); got.status != http.StatusOK {
			t.Errorf("GET /plain after %s: %d %s, want 200", harm, got.status, got.body)
		}
	}
	for range cap(waiting) {
		if got := <-waiting; got.err != nil || got.status != http.StatusOK {
			t.Errorf("%s: %d %s, error %v, want 200", got.what, got.status, got.body, got.err)
		}
	}
	if now := modulePID(t, b.daemon, "scripted"); now != pid {
		t.Errorf("the process is %d, want %d as at first: none of these ends it", now, pid)
	}
	logs := runCommand(t, b.environment, "", "modules:logs", "--module", "scripted")
	logs.awaitExit(t)
	for _, want := range []string{"error: GET /harms/endless: the script computed for 1 s",
		"error: GET /harms/throws: Error: on purpose\n\tat throws (server/index.js:6:43)"} {
		if !strings.Contains(logs.stdout.String(), want) {
			t.Errorf("modules:logs scripted: %s, want %q in it", logs.stdout.String(), want)
		}
	}
}

// TestScriptIsConfined: a script's process has the sandbox of every module's, although its program is the
// platform's own.
func TestScriptIsConfined(t *testing.T) {
	t.Parallel()
	b := startScripted(t)
	script, program := modulePID(t, b.daemon, "scripted"), modulePID(t, b.daemon, "base")
	own, other := processStatus(t, script), processStatus(t, program)
	t.Logf("RssAnon: %s of the script, %s of a program", own["RssAnon"], other["RssAnon"])
	for _, field := range []string{"Seccomp", "Seccomp_filters", "NoNewPrivs", "CapEff", "CapPrm", "CapBnd",
		"CapInh", "Groups", "Umask"} {
		if own[field] != other[field] {
			t.Errorf("%s of the script is %q, and %q of a program; want the same", field, own[field], other[field])
		}
	}
	if own["Seccomp"] != "2" || own["NoNewPrivs"] != "1" {
		t.Errorf("Seccomp %s, NoNewPrivs %s, want 2 and 1", own["Seccomp"], own["NoNewPrivs"])
	}
	if os.Geteuid() == 0 && (own["Uid"] == other["Uid"] || strings.HasPrefix(own["Uid"], "0\t")) {
		t.Errorf("the script's uid is %s, the program's %s, want two others than root's", own["Uid"], other["Uid"])
	}
	for _, file := range []string{"limits", "environ"} {
		a, errA := os.ReadFile(fmt.Sprintf("/proc/%d/%s", script, file))
		b, errB := os.ReadFile(fmt.Sprintf("/proc/%d/%s", program, file))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s of the script: %q, of a program: %q; errors %v, %v; want the same", file, a, b, errA, errB)
		}
	}
}

// TestHarmfulScriptEndsAlone: a script that takes all memory, or computes on where the engine cannot
// interrupt it, ends its own process, and the next one serves.
func TestHarmfulScriptEndsAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("a script may compute for 3 s before its process ends")
	}
	t.Parallel()
	b := startScripted(t)
	for _, harm := range []string{"memory", "builtin", "regexp"} {
		pid := modulePID(t, b.daemon, "scripted")
		got := b.owner.do("GET", scriptedRoot+"/harms/"+harm, nil)
		if got.status != http.StatusInternalServerError || got.body != handlerFailed {
			t.Errorf("GET /harms/%s: %d %s, want 500 %s", harm, got.status, got.body, handlerFailed)
		}
		b.awaitRestart(t, b.owner, "scripted", pid)
	}
}
