package process_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// TestMissingSandboxPartRefusesToStart checks that a missing part is noticed before anything is opened or
// started if the sandbox is required. If it is not, the module runs and one line names the missing parts.
func TestMissingSandboxPartRefusesToStart(t *testing.T) {
	for missing, without := range map[string]func(*process.SandboxReport){
		"landlock":     func(r *process.SandboxReport) { r.Landlock = 0 },
		"seccomp":      func(r *process.SandboxReport) { r.Seccomp = false },
		"non-dumpable": func(r *process.SandboxReport) { r.NonDumpable = false },
		"landlock, seccomp, non-dumpable": func(r *process.SandboxReport) {
			*r = process.SandboxReport{}
		},
	} {
		t.Run(missing, func(t *testing.T) {
			t.Parallel()
			r := prepare(t, "good", func(c *process.Config) {
				c.RequireSandbox = true
				c.WithSandboxReport(without)
				c.Verify = func(*os.File) error {
					t.Error("the start went on")
					return nil
				}
			})
			r.serve(t)
			var err error
			select {
			case err = <-r.ended:
			case <-r.Ready():
				t.Fatal("was started")
			}
			if codeOf(err) != "MODULE_SANDBOX_UNAVAILABLE" ||
				!strings.HasPrefix(err.Error(), "MODULE_SANDBOX_UNAVAILABLE: The module sample ") {
				t.Error(err)
			}
			words := strings.Split(missing, ", ")
			if lines := r.logs.All(); len(lines) != 1 || lines[0].Level != zap.ErrorLevel ||
				!slices.Equal(namesOf(lines[0].ContextMap()["missing"]), words) {
				t.Error(lines)
			}
			if r.host.opened != 0 || r.Output() != nil {
				t.Error("something was started")
			}

			r = start(t, "good", func(c *process.Config) { c.WithSandboxReport(without) })
			r.stop()
			<-r.ended
			r.serve(t)
			r.awaitRestart(t)
			lines := r.logs.FilterMessage("module runs without the whole sandbox").All()
			if len(lines) != 1 || lines[0].Level != zap.WarnLevel ||
				!slices.Equal(namesOf(lines[0].ContextMap()["missing"]), words) {
				t.Error(lines)
			}
		})
	}
}

func namesOf(field any) (names []string) {
	for _, name := range field.([]any) {
		names = append(names, name.(string))
	}
	return names
}

// TestSandboxStepThatFails checks that the child applies every step or does not start the module.
func TestSandboxStepThatFails(t *testing.T) {
	r := prepare(t, "good", func(c *process.Config) {
		c.WithSandboxReport(func(r *process.SandboxReport) { r.Landlock = 10 })
	})
	if process.InspectSandbox().Landlock >= 10 {
		t.Skip("this kernel has all that Landlock knows")
	}
	r.serve(t)
	if err := <-r.ended; codeOf(err) != "MODULE_SANDBOX_UNAVAILABLE" ||
		!strings.Contains(errors.Unwrap(err).Error(), "could not apply landlock") {
		t.Errorf("run: error %v (%v), want MODULE_SANDBOX_UNAVAILABLE for landlock", err, errors.Unwrap(err))
	}
}

func TestSandboxOfThisMachine(t *testing.T) {
	sandbox := process.InspectSandbox()
	if len(sandbox.Missing()) > 0 || sandbox.OwnUID && os.Geteuid() != 0 {
		t.Errorf("InspectSandbox: %+v, want nothing missing and an own UID only for root", sandbox)
	}
	for abi, want := range map[int]string{
		0: "files refer truncate tcp ioctl scopes unix udp", 1: "refer truncate tcp ioctl scopes unix udp",
		2: "truncate tcp ioctl scopes unix udp", 6: "unix udp", 10: "",
	} {
		if got := strings.Join(process.SandboxReport{Landlock: abi}.LandlockLacks(), " "); got != want {
			t.Errorf("strings.Join: got %v, want %v; abi %v", got, want, abi)
		}
	}
}

// TestEveryRunIsConfined checks the sandbox of every run, also after a crash.
func TestEveryRunIsConfined(t *testing.T) {
	r := start(t, "hostile", func(c *process.Config) { c.RequireSandbox = true })
	for range 3 {
		status := fields(t, r.observe(t).PID, "status")
		got, err := r.probe(testContext(t), "read the machine's file", targets{})
		if err != nil || got != "EACCES" || status["Seccomp"] != "2" || status["NoNewPrivs"] != "1" {
			t.Errorf("probe: error %v, want none; got %.200q, want %.200q; want status[\"Seccomp\"] to be %v; want "+
				"status[\"NoNewPrivs\"] to be %v",
				err, got, "EACCES", "2", "1")
		}
		if _, err := r.handle(testContext(t), "/exit", nil); codeOf(err) != "MODULE_HANDLER_FAILED" {
			t.Fatalf("handle: code %.200q, want %.200q", codeOf(err), "MODULE_HANDLER_FAILED")
		}
		<-r.ended
		r.serve(t)
		r.awaitRestart(t)
	}
}

// TestSystemCallsTheKernelRefuses checks the filter in the kernel. The arguments of the calls are chosen so
// that an allowed call does nothing.
func TestSystemCallsTheKernelRefuses(t *testing.T) {
	r := start(t, "hostile", nil)
	body, err := r.handle(testContext(t), "/refused", nil)
	if err != nil || len(body) > 0 {
		t.Errorf("not refused: %s %v\n%s", body, err, r.Output())
	}
	// The x32 numbers of x86-64, and numbers after the newest call, on hardware that has them.
	if body, err := r.handle(testContext(t), "/unknown", nil); err != nil || string(body) != "ENOSYS" {
		t.Errorf("handle: error %v, want none; body %.200q, want %.200q", err, string(body), "ENOSYS")
	}
	if _, err := r.handle(testContext(t), "/x32", nil); codeOf(err) != "MODULE_HANDLER_FAILED" {
		t.Fatalf("handle: code %.200q, want %.200q", codeOf(err), "MODULE_HANDLER_FAILED")
	}
	<-r.ended
	// SIGSYS
	fields := r.logs.FilterMessage("module process ended").All()[0].ContextMap()
	if fields["signal"] != int64(31) {
		t.Errorf("ContextMap: want fields[\"signal\"] to be %v; fields %v", int64(31), fields)
	}
}

// TestScriptOfADynamicProgram: where the platform's own program was built with cgo, it cannot run scripts,
// and the failure says how to build it.
func TestScriptOfADynamicProgram(t *testing.T) {
	t.Parallel()
	dynamic, err := exec.LookPath("true") // of the system, with libraries
	if err != nil {
		t.Fatal(err)
	}
	r := prepare(t, "good", func(c *process.Config) {
		c.Executable, c.Script = dynamic, c.Executable // any file is a script as far as the launcher knows
	})
	r.serve(t)
	if err := <-r.ended; codeOf(err) != "MODULE_REGISTER_FAILED" ||
		!strings.Contains(err.Error(), "build it with CGO_ENABLED=0") {
		t.Errorf("run: error %v, want MODULE_REGISTER_FAILED and how to build the program", err)
	}
}
