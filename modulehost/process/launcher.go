package process

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The launcher is the host's own executable, started again under another name. It confines
// itself and then becomes the module, so no code of the module ever runs outside them.

const (
	launcherName = "narthex-module-launcher"
	// launcherFailed is the exit status of a launcher that did not become the module; a fixed word on standard
	// error says at which step.
	launcherFailed = 120

	hostCallsDescriptor   = 3 // the host calls, the module serves
	moduleCallsDescriptor = 4 // the module calls, the host serves
	firstBodyDescriptor   = 5
	executableDescriptor  = firstBodyDescriptor + bodySockets     // O_PATH
	folderDescriptor      = firstBodyDescriptor + bodySockets + 1 // O_PATH
	cgroupDescriptor      = firstBodyDescriptor + bodySockets + 2 // cgroup.procs of its group
)

// niceness lets the platform's threads go before a module's where the kernel schedules thread by thread.
// Where it schedules by session (autogroup), it counts only within the module's session, and every module,
// leading a session of its own, has a share as large as the platform's, however many threads it spins on: a
// module beside three that spin keeps 82 % of its calls or more. Giving the session the niceness too was
// worse: beside thirty busy sessions of other programs the modules then got so little that their links were
// lost. Thread by thread it is Priorities that keeps modules from each other.
const niceness = 10

// launch is the launcher's one argument. Nothing in it is secret.
type launch struct {
	Host        int      `json:"host"` // pid
	Name        string   `json:"name"` // argv[0] of the module
	Environment []string `json:"environment"`
	Limits      []rlimit `json:"limits"`
	Bodies      int      `json:"bodies"` // how many body sockets the module inherits
	// the ABI to use; 0: the kernel has none, and the host decided to go on
	Landlock int  `json:"landlock"`
	Seccomp  bool `json:"seccomp"`
	Cgroup   bool `json:"cgroup"` // there is a group to enter
}

type rlimit struct {
	Resource int    `json:"resource"`
	Value    uint64 `json:"value"`
}

// The one init of the project: it must run before main of whatever program the host is.
func init() {
	if len(os.Args) == 2 && os.Args[0] == launcherName {
		becomeModule(os.Args[1])
	}
}

// becomeModule never returns. Credentials, limits of one thread and the sandbox belong to the calling thread
// and survive its exec.
func becomeModule(argument string) {
	runtime.LockOSThread()
	var l launch
	must("argument", json.Unmarshal([]byte(argument), &l))

	must("deathsig", unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0,
		0)) // a change of uid cleared it
	if unix.Getppid() != l.Host {
		fail("orphan") // the host died before the line above
	}
	if l.Cgroup {
		_, err := unix.Write(cgroupDescriptor, []byte("0")) // 0 is the writer
		must("cgroup", err)
	}
	unix.Umask(0o077)
	must("nice", unix.Setpriority(unix.PRIO_PROCESS, 0, niceness))
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0) // a preference, not a part of the sandbox
	// this and the filter allocate, so before the limits
	exec := prepareExec(l)
	var program []unix.SockFilter
	if l.Seccomp {
		program = filter(runtime.GOARCH, unix.Getpid())
	}
	for _, limit := range l.Limits {
		must("rlimit", unix.Setrlimit(limit.Resource, &unix.Rlimit{Cur: limit.Value, Max: limit.Value}))
	}
	must("capabilities", dropCapabilities())
	must("no-new-privileges", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	must("close-range", unix.CloseRange(uint(firstBodyDescriptor+l.Bodies), ^uint(0), unix.CLOSE_RANGE_CLOEXEC))
	if l.Landlock > 0 {
		must("landlock", applyLandlock(l.Landlock))
	}
	if l.Seccomp {
		must("seccomp", applySeccomp(program)) // last: it forbids most of the above
	}
	if err := exec(); err == unix.EAGAIN { // the user is over its limit of processes
		fail(wordProcesses)
	}
	fail(wordExec)
}

// The words of a launcher that confined itself and then could not become the module.
const (
	wordExec      = "exec"
	wordProcesses = "processes"
)

// prepareExec returns the one system call that is left: the file that was opened and checked is the file
// that runs.
func prepareExec(l launch) func() error {
	argv, err := syscall.SlicePtrFromStrings([]string{l.Name})
	must("argument", err)
	envp, err := syscall.SlicePtrFromStrings(l.Environment)
	must("argument", err)
	empty, err := syscall.BytePtrFromString("")
	must("argument", err)
	return func() error {
		_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, executableDescriptor, uintptr(unsafe.Pointer(empty)),
			uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envp[0])), unix.AT_EMPTY_PATH, 0)
		return errno
	}
}

func must(word string, err error) {
	if err != nil {
		fail(word)
	}
}

func fail(word string) {
	_, _ = os.Stderr.WriteString(launcherName + ": " + word + "\n")
	os.Exit(launcherFailed)
}
