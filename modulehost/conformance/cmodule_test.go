package conformance_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/modulehost/conformance"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/process"
)

const cManifest = `{
  "manifestVersion": 7, "id": "c-module", "name": "A module in C", "version": "1.0.0",
  "compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
  "permissions": [{ "id": "c-module.use", "baseline": "restricted" }],
  "entrypoints": { "server": "bin/{os}-{arch}/NAME" }
}`

// compileC builds testdata/cmodule, static and with every warning an error.
func compileC(t *testing.T) (executable []byte) {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Fatal("gcc is missing; make compiler installs it")
	}
	program := filepath.Join(t.TempDir(), "cmodule")
	build := exec.Command(compiler, "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic",
		"-static", "-s", "-o", program, "testdata/cmodule/cmodule.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	if executable, err = os.ReadFile(program); err != nil {
		t.Fatal(err)
	}
	return executable
}

// cModule is the module in C, under a name that selects the rule that it breaks.
func cModule(name string, executable []byte) files {
	return files{
		"module.json":        strings.Replace(cManifest, "NAME", name, 1),
		executablePath(name): string(executable),
	}
}

// TestAModuleInCPassesEveryCheck shows that docs/link.md is sufficient to write an SDK.
func TestAModuleInCPassesEveryCheck(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module in C and runs every check a second time")
	}
	t.Parallel()
	all, _ := try(t, options(t, cModule("cmodule", compileC(t)).pack(t)))
	applicable := 0
	for check, r := range all {
		switch r.Verdict {
		case conformance.Passed:
			applicable++
		case conformance.Failed:
			t.Errorf("%s: failed, want passed; asked %q, seen %q", check, r.Asked, r.Seen)
		}
	}
	if applicable < 18 {
		t.Errorf("%d checks applied to the module in C, want at least 18: %+v", applicable, all)
	}
}

// TestModuleThatBreaksTheRulesIsRefused lets the module in C break the rules of docs/link.md before it is
// ready.
func TestModuleThatBreaksTheRulesIsRefused(t *testing.T) {
	t.Parallel()
	executable := compileC(t)
	for name, want := range map[string]struct {
		rule string // of docs/link.md, in the host's text; "": the link is lost for another reason
		code string
	}{
		"wrong-version":    {"", "MODULE_REGISTER_FAILED"},
		"oversized-frame":  {"7.1 frame length outside the limits", "MODULE_REGISTER_FAILED"},
		"undersized-frame": {"7.1 frame length outside the limits", "MODULE_REGISTER_FAILED"},
		"unknown-kind":     {"7.2 frame kind not expected here", "MODULE_REGISTER_FAILED"},
		"never-asked":      {"7.5 answer to nothing that was asked", "MODULE_REGISTER_FAILED"},
		"wrong-sort":       {"7.5 answer to nothing that was asked", "MODULE_REGISTER_FAILED"},
		"payload-in-want":  {"7.3 payload where none belongs", "MODULE_REGISTER_FAILED"},
		"no-message":       {"7.6 payload is not the message it should be", "MODULE_REGISTER_FAILED"},
		"cut-short":        {"7.4 frame cut short", "MODULE_REGISTER_FAILED"},
		"unknown-method":   {"", ""}, // the call is refused, and the module continues
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, rule, alive := runC(t, cModule(name, executable).write(t), name)
			if code != want.code || rule != want.rule || alive != (want.code == "") {
				t.Errorf("the module says %s: the run ended with %q for rule %q, ready %t; want %q for rule %q",
					name, code, rule, alive, want.code, want.rule)
			}
		})
	}
}

// runC runs the module in C until it ends or is ready.
func runC(t *testing.T, folder, name string) (code, rule string, ready bool) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	users, err := process.NewUsers()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	p := process.New(process.Config{
		ModuleID: "c-module", ModuleVersion: "1.0.0", Executable: filepath.Join(folder, executablePath(name)),
		Folder: folder, Host: facade.New(facade.Config{ModuleID: "c-module", Log: zap.NewNop()}),
		Credential: users.Draw("c-module"), Log: zap.New(core),
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- p.Serve(ctx) }()
	select {
	case <-p.Ready():
		cancel()
		ready = true
		<-ended
	case err = <-ended:
		if coded, ok := err.(interface{ Code() string }); ok {
			code = coded.Code()
		}
	}
	for _, line := range logs.FilterMessage("module process ended").All() {
		rule, _ = line.ContextMap()["link_rule"].(string)
	}
	return code, rule, ready
}

// TestAWrongPieceIsRefused lets the module in C break a rule of bodies: the process ends, and the trial
// reports the rule.
func TestAWrongPieceIsRefused(t *testing.T) {
	t.Parallel()
	all, failed := try(t, options(t, cModule("wrong-piece", compileC(t)).pack(t)))
	if got := all["bodies of every length"]; got.Verdict != conformance.Failed {
		t.Errorf("the module sends a piece of kind 9: %+v, want the bodies failed; failed are %q", got, failed)
	}
}
