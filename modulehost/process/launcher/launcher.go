// Package launcher runs between the start of a module's process and the module's program. The host's own
// executable is started again under another name. It applies the sandbox to itself and then becomes the
// module, so no code of the module ever runs without the sandbox.
//
// It does so while its own package is initialised, because such a process needs none of the host's other
// packages. Go initialises packages in the order of their import paths, each as soon as its imports are
// initialised. This package imports very little, so it is initialised before most others. For the same reason
// it does not import golang.org/x/sys/unix: the host passes the constants in the arguments.
//
// Its limits would also apply to the Go runtime, which has reserved more address space than a module may
// have. After they are set, the runtime can map no memory and start no thread, and trying that would end the
// process. So everything is prepared before, the garbage collector is off, and the rest consists only of
// system calls in functions that the scheduler cannot preempt (become).
package launcher

import (
	"os"
	"syscall"
)

// Name is the launcher's argv[0].
const Name = "narthex-module-launcher"

// Failed is the exit status of a launcher that did not become the module. Name and a fixed word on standard
// error name the step that failed.
const Failed = 120

// The words of a launcher that has applied the sandbox and then could not become the module. WordProcesses:
// the user has reached its limit of processes.
const (
	WordExec      = "exec"
	WordProcesses = "processes"
)

// Steps returns the words for the steps of the sandbox. Its other words are not failures of the sandbox.
func Steps() []string {
	return []string{"deathsig", "nice", "rlimit", "capabilities", "no-new-privileges", "close-range", "landlock",
		"seccomp", "cgroup"}
}

// Environment returns the environment of the launcher itself. It is not the host's; the module's is in the
// plan. One processor and no preemption, because otherwise the scheduler may start a thread at any time. No
// garbage collector, because a sweep in progress when the limits are set would get no memory.
func Environment() []string {
	return []string{"GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}
}

// The only init of the project: it must run before main of every program that contains the host.
func init() {
	if len(os.Args) > 0 && os.Args[0] == Name {
		launch(os.Args[1:])
	}
}

// Constants that package syscall lacks.
const (
	prCapAmbient         = 47
	prCapAmbientClearAll = 4
	prSetNoNewPrivileges = 38
)

// launch never returns. Credentials, the limits of a thread and the sandbox belong to the calling thread and
// are kept by its exec. That thread is the main one, to which every init is locked.
func launch(arguments []string) {
	p, ok := parse(arguments)
	if !ok {
		fail("argument")
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL),
		0, 0, 0, 0) // again, because a change of uid has cleared it
	must("deathsig", errno)
	if syscall.Getppid() != p.Host {
		fail("orphan") // the host has died before the line above
	}
	if p.Cgroup != 0 {
		must("cgroup", write(p.Cgroup, "0")) // 0 means the writing process
	}
	syscall.Umask(0o077)
	must("nice", lowerPriority(p.Nice))
	preferAsVictim()
	ready, ok := prepare(p)
	if !ok {
		fail("argument")
	}
	ready.become()
}

// lowerPriority sets the niceness, unless the platform's is higher already: only root may lower a niceness.
func lowerPriority(nice int) syscall.Errno {
	left, _, errno := syscall.RawSyscall(syscall.SYS_GETPRIORITY, syscall.PRIO_PROCESS, 0, 0)
	if errno != 0 {
		return errno
	}
	if now := 20 - int(left); now >= nice { // the system call counts from 20 downwards
		return 0
	}
	_, _, errno = syscall.RawSyscall(syscall.SYS_SETPRIORITY, syscall.PRIO_PROCESS, 0, uintptr(nice))
	return errno
}

// preferAsVictim makes the kernel kill this process first when memory runs out. It is not a part of the
// sandbox.
func preferAsVictim() {
	file, err := syscall.Open("/proc/self/oom_score_adj", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err == nil {
		_ = write(file, "900")
		_ = syscall.Close(file)
	}
}

func must(word string, errno syscall.Errno) {
	if errno != 0 {
		fail(word)
	}
}

func fail(word string) {
	_ = write(2, Name+": "+word+"\n")
	os.Exit(Failed)
}
