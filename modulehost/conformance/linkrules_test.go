package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/conformance"
	"github.com/narthex-platform/narthex/services/buildtest"
)

const rulesManifest = `{
  "manifestVersion": 7, "id": "trial", "name": "Trial", "version": "1.0.0",
  "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
  "permissions": [{ "id": "trial.use", "baseline": "restricted" }],
  "entrypoints": { "server": "bin/{os}-{arch}/NAME" },
  "provides": [{ "capability": "trial.things", "version": "1.0.0" }],
  "database": { "abi": 1 }
}`

// plainGo builds testdata/rules, a module in plain Go without the SDK.
func plainGo(t *testing.T) (named func(name string) files) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "rules")
	if err := buildtest.Module(program, "./testdata/rules"); err != nil {
		t.Fatal(err)
	}
	executable, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) files {
		return files{
			"module.json":        strings.Replace(rulesManifest, "NAME", name, 1),
			executablePath(name): string(executable),
		}
	}
}

// TestBrokenMessages breaks what a module promises of the calls that are no requests.
func TestBrokenMessages(t *testing.T) {
	t.Parallel()
	module := plainGo(t)
	for name, want := range map[string]struct{ check, seen string }{
		"knows-no-run":        {"schedules", "does not know the call"},
		"runs-on":             {"schedules", "says that the run goes on"},
		"knows-no-capability": {"capabilities", "does not know the call"},
		"answers-anything":    {"capabilities", "as if the method existed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, failed := tryUntil(t, options(t, module(name).pack(t)), want.check)
			if got := all[want.check]; got.Verdict != conformance.Failed || !strings.Contains(got.Seen, want.seen) {
				t.Errorf("the trial says %+v, want %q; failed are %q", got, want.seen, failed)
			}
		})
	}
}

// TestBrokenRules breaks each rule of docs/link.md that a module can break. The trial names the rule by its
// number, and the route. Nothing breaks 7.9 here: before a module leaves 16,384 calls without an answer, the
// host ends it for 64 (The lifecycle of a process, 5). TestPeerThatNeverRespondsIsLost of the link does.
func TestBrokenRules(t *testing.T) {
	t.Parallel()
	module := plainGo(t)
	text, err := os.ReadFile("../../docs/link.md")
	if err != nil {
		t.Fatal(err)
	}
	const second = "POST /second"
	for rule, asked := range map[string]string{
		"1": second, "5": "GET /first", "7.1": second, "7.2": second, "7.3": second, "7.4": second, "7.5": second,
		"7.6": second, "7.7": second, "7.8": second, "7.10": second, "7.11": second, "8": second,
	} {
		t.Run(rule, func(t *testing.T) {
			if testing.Short() && rule == "1" {
				t.Skip("waits for the deadline of an answer")
			}
			t.Parallel()
			name := "rule-" + rule
			o := options(t, module(name).pack(t))
			if rule == "5" {
				o = o.Within(conformance.Deadlines{Ping: 200 * time.Millisecond})
			}
			all, failed := tryUntil(t, o, "routes answer")
			got := all["routes answer"]
			number, words, _ := strings.Cut(got.Rule, " ")
			if got.Verdict != conformance.Failed || number != rule || got.Asked != asked {
				t.Errorf("the trial says %+v, want rule %s broken at %s; failed are %q; the handshake: %+v",
					got, rule, asked, failed, all["handshake"])
			}
			if !strings.Contains(got.Seen, "rule "+rule+" of docs/link.md: "+words) ||
				!strings.Contains(got.Remedy, "rule "+rule+" of docs/link.md") {
				t.Errorf("the author reads %q and %q, want rule %s in both", got.Seen, got.Remedy, rule)
			}
			listed := "\n" + rule + ". "
			if strings.Contains(rule, ".") {
				listed = "| " + rule + " | " + words + " |"
			}
			if !strings.Contains(string(text), listed) {
				t.Errorf("docs/link.md does not have %q", listed)
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		all, failed := tryUntil(t, options(t, module("kept").pack(t)), "capabilities")
		if len(failed) > 0 {
			t.Errorf("failed are %q, want none; %+v", failed, all[failed[0]])
		}
	})
}

// TestBrokenRulesInC: the same number is named for the module in C.
func TestBrokenRulesInC(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no compiler for C")
	}
	executable := compileC(t)
	for name, want := range map[string]struct{ check, rule string }{
		"oversized-frame": {"handshake", "7.1"},
		"unknown-kind":    {"handshake", "7.2"},
		"payload-in-want": {"handshake", "7.3"},
		"cut-short":       {"handshake", "7.4"},
		"never-asked":     {"handshake", "7.5"},
		"no-message":      {"handshake", "7.6"},
		"wrong-piece":     {"bodies of every length", "7.11"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, _ := tryUntil(t, options(t, cModule(name, executable).pack(t)), want.check)
			got := all[want.check]
			if number, _, _ := strings.Cut(got.Rule, " "); got.Verdict != conformance.Failed || number != want.rule {
				t.Errorf("the trial says %+v, want rule %s broken", got, want.rule)
			}
		})
	}
}
