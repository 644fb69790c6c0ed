package process_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/process"
)

func TestWhatAModuleFindsAroundItself(t *testing.T) {
	// This host leaks a file that is not close-on-exec, and a secret in the environment.
	leak, err := unix.Open("/etc/hostname", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	far, err := unix.FcntlInt(uintptr(leak), unix.F_DUPFD, 100) // after all descriptors of a start
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(far)
	t.Setenv("SERVICE_IDENTITY_SECRET", "secret text")

	r := start(t, "good", nil)
	o := r.observe(t)
	if want := []string{"child-good"}; !slices.Equal(o.Arguments, want) {
		t.Error("arguments:", o.Arguments)
	}
	want := []string{
		"TZ=UTC", "GOTRACEBACK=single",
		"GOMAXPROCS=" + strconv.Itoa(min(runtime.GOMAXPROCS(0), 8)), "GOMEMLIMIT=" + strconv.Itoa(192<<20),
		"GOGC=300",
	}
	if !slices.Equal(o.Environment, want) {
		t.Error("environment:", o.Environment)
	}
	if o.Session != o.PID || o.Group != o.PID {
		t.Error("session and group:", o.Session, o.Group, o.PID)
	}
	if o.Folder != "/" || o.Umask != 0o077 || o.Input != "" {
		t.Errorf("folder %s, umask %o, input %q; want /, 77 and none", o.Folder, o.Umask, o.Input)
	}
	if target, open := o.Descriptors[37]; !open || !strings.HasPrefix(target, "/memfd:") {
		t.Errorf("descriptor 37 is %q, want the memory of lanes", target)
	}
	delete(o.Descriptors, 37)
	for fd, target := range o.Descriptors {
		kind, _, _ := strings.Cut(target, ":")
		own := kind == "anon_inode" ||
			strings.HasPrefix(target, "/sys/fs/cgroup/") // opened by the Go runtime in the module
		want := map[int]string{0: "/dev/null", 1: "pipe", 2: "pipe"}[fd]
		if kind != want && !own && !(kind == "socket" && fd > 2) {
			t.Errorf("descriptor %d is %s, want %q or a socket of the link", fd, target, want)
		}
	}
	// The module duplicates 3 and 4 and closes the originals, so it has two sockets and the 32 for bodies.
	sockets := 0
	for _, target := range o.Descriptors {
		if strings.HasPrefix(target, "socket:") {
			sockets++
		}
	}
	if sockets != 2+32 {
		t.Error("sockets:", o.Descriptors)
	}
}

func TestWhatTheKernelSaysOfAModule(t *testing.T) {
	r := start(t, "good", nil)
	pid := r.observe(t).PID
	status := fields(t, pid, "status")
	host := fields(t, os.Getpid(), "status")
	filters, err := strconv.Atoi(host["Seccomp_filters"]) // a container's own
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": strconv.Itoa(filters + 1),
		"CapEff": "0000000000000000", "CapPrm": "0000000000000000", "CapInh": "0000000000000000",
		"CapAmb": "0000000000000000",
	} {
		if status[name] != want {
			t.Errorf("%v: want status[name] to be %v; status[name] %v", name, want, status[name])
		}
	}
	// otherwise exec would give root its capabilities back
	if os.Geteuid() == 0 && status["CapBnd"] != "0000000000000000" {
		t.Error("CapBnd:", status["CapBnd"])
	}
	// Every thread, not only the first.
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || len(tasks) < 2 {
		t.Fatalf("ReadDir: error %v, want none; number of tasks %v, want at least %v",
			err, len(tasks), 2)
	}
	for _, task := range tasks {
		if nice := stat(t, filepath.Join(strconv.Itoa(pid), "task", task.Name()))[16]; nice != "10" {
			t.Error("nice of a thread:", nice)
		}
	}
	if own, err := os.ReadFile("/proc/self/autogroup"); err == nil &&
		len(own) > 0 { // the kernel schedules by session
		group := strings.TrimSpace(read(t, pid, "autogroup"))
		if group == "" || group == strings.TrimSpace(string(own)) {
			t.Errorf("the module's autogroup is %q, want one of its own", group)
		}
	}
	if score := strings.TrimSpace(read(t, pid, "oom_score_adj")); score != "900" {
		t.Error("oom_score_adj:", score)
	}
	limits := read(t, pid, "limits")
	var ownNice unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NICE, &ownNice); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Max data size":         "268435456",
		"Max address space":     "1073741824",
		"Max stack size":        "8388608",
		"Max open files":        "128",
		"Max file size":         "0",
		"Max core file size":    "0",
		"Max locked memory":     "0",
		"Max msgqueue size":     "0",
		"Max nice priority":     strconv.FormatUint(min(ownNice.Max, 10), 10),
		"Max realtime priority": "0",
		"Max pending signals":   "64",
	} {
		if soft, hard := limit(t, limits, name); soft != value || hard != value {
			t.Errorf("%s: %s %s, want %s", name, soft, hard, value)
		}
	}
	var own unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &own); err != nil {
		t.Fatal(err)
	}
	soft, _ := limit(t, limits, "Max processes")
	if n, err := strconv.ParseUint(soft, 10, 64); err != nil || n >= own.Cur || n < 64 {
		t.Errorf("shared ceiling of threads %s, the host's own limit %d", soft, own.Cur)
	}
}

// TestMemoryBomb: a module that uses too much memory crashes, and nothing else does.
func TestMemoryBomb(t *testing.T) {
	r := start(t, "good", nil)
	if _, err := r.handle(testContext(t), "/allocate", nil); codeOf(err) != "MODULE_HANDLER_FAILED" {
		t.Errorf("handle: code %.200q, want %.200q", codeOf(err), "MODULE_HANDLER_FAILED")
	}
	if err := <-r.ended; !errors.Is(err, process.ErrCrashed) {
		t.Error(err)
	}
}

func TestOwnCredential(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a module a uid of its own")
	}
	r := start(t, "good", func(c *process.Config) { c.Credential = &process.Credential{UID: 70007, GID: 70008} })
	o := r.observe(t)
	if o.UID != 70007 || o.GID != 70008 || len(o.Groups) > 0 && !slices.Equal(o.Groups, []int{70008}) {
		t.Error(o.UID, o.GID, o.Groups)
	}
	status := fields(t, o.PID, "status")
	if status["CapEff"] != "0000000000000000" || status["CapPrm"] != "0000000000000000" ||
		status["Groups"] != "" {
		t.Errorf("fields: want status[\"CapEff\"] to be %v; want status[\"CapPrm\"] to be %v; want "+
			"status[\"Groups\"] to be %v",
			"0000000000000000", "0000000000000000", "")
	}
	if soft, _ := limit(t, read(t, o.PID, "limits"), "Max processes"); soft != "64" {
		t.Error("threads:", soft)
	}
	// The change of uid clears the parent-death signal in the kernel, so the launcher sets it again.
	// hostkilled_test.go tests that.
	r.stop()
	<-r.ended
}

func read(t *testing.T, pid int, name string) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fields returns the fields of a file with lines "Name:\tvalue".
func fields(t *testing.T, pid int, name string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(read(t, pid, name)) {
		key, value, _ := strings.Cut(line, ":")
		values[key] = strings.TrimSpace(value)
	}
	return values
}

// stat returns the fields of a stat file after the name: 0 is the state, 16 the nice value.
func stat(t *testing.T, process string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", process, "stat"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
}

func limit(t *testing.T, limits, name string) (soft, hard string) {
	t.Helper()
	_, rest, ok := strings.Cut(limits, name)
	values := strings.Fields(rest)
	if !ok || len(values) < 2 {
		t.Fatalf("%v: strings.Fields: ok false, want true; number of values %v, want at least %v; limits %v",
			name, len(values), 2, limits)
	}
	return values[0], values[1]
}

// awaitState waits until the process is in that state; the kernel sends no signal for that.
func awaitState(t *testing.T, pid int, state byte) {
	t.Helper()
	eventually(t, "state "+string(state), func() bool { return stat(t, strconv.Itoa(pid))[0][0] == state })
}

// awaitIgnored waits until the process ignores the signal.
func awaitIgnored(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	eventually(t, "ignored: "+s.String(), func() bool {
		ignored, err := strconv.ParseUint(fields(t, pid, "status")["SigIgn"], 16, 64)
		return err == nil && ignored>>(s-1)&1 == 1
	})
}
