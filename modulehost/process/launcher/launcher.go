// Package launcher owns what happens between the start of a module's process and its program: the host's own
// executable, started again under another name, confines itself and then becomes the module, so no code of
// the module ever runs outside them.
//
// It does so while its own package is initialised. Such a process has no use for the host's other packages,
// and packages are initialised in the order of their import paths as soon as what they import is ready: this
// one imports next to nothing, so that it has its turn before most of them. That is why it is told the
// numbers of golang.org/x/sys/unix in its arguments and does not import them.
//
// The limits that it sets would bind the Go runtime too, which has more address space reserved than a module
// may have: from then on it can map no memory and start no thread, and would end the process. So everything
// is prepared before, the collector is off, and what follows is system calls alone, in functions that the
// scheduler cannot interrupt (become).
package launcher

import (
	"os"
	"syscall"
)

// Name is the launcher's argv[0].
const Name = "narthex-module-launcher"

// Failed is the exit status of a launcher that did not become the module; Name and a fixed word on standard
// error say at which step.
const Failed = 120

// The words of a launcher that confined itself and then could not become the module. WordProcesses: the user
// is over its limit of processes.
const (
	WordExec      = "exec"
	WordProcesses = "processes"
)

// Steps are its words for a step of the sandbox. What else it may say is no fault of the sandbox.
func Steps() []string {
	return []string{"deathsig", "nice", "rlimit", "capabilities", "no-new-privileges", "close-range", "landlock",
		"seccomp", "cgroup"}
}

// Environment is what the launcher itself is started with. It is not the host's own, and the module's is in
// the plan. One processor and no interruption: else the scheduler may start a thread at any time. No
// collector: a sweep that is still under way when the limits fall finds no memory.
func Environment() []string {
	return []string{"GOGC=off", "GOMAXPROCS=1", "GODEBUG=asyncpreemptoff=1"}
}

// The one init of the project: it must run before main of whatever program the host is.
func init() {
	if len(os.Args) > 0 && os.Args[0] == Name {
		launch(os.Args[1:])
	}
}

// What package syscall lacks.
const (
	prCapAmbient         = 47
	prCapAmbientClearAll = 4
	prSetNoNewPrivileges = 38
)

// launch never returns. Credentials, limits of one thread and the sandbox belong to the calling thread and
// survive its exec; the thread is the main one, which every init is locked to.
func launch(arguments []string) {
	p, ok := parse(arguments)
	if !ok {
		fail("argument")
	}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL),
		0, 0, 0, 0) // a change of uid cleared it
	must("deathsig", errno)
	if syscall.Getppid() != p.Host {
		fail("orphan") // the host died before the line above
	}
	if p.Cgroup != 0 {
		must("cgroup", write(p.Cgroup, "0")) // 0 is the writer
	}
	syscall.Umask(0o077)
	_, _, errno = syscall.RawSyscall(syscall.SYS_SETPRIORITY, syscall.PRIO_PROCESS, 0, uintptr(p.Nice))
	must("nice", errno)
	preferAsVictim()
	ready, ok := prepare(p)
	if !ok {
		fail("argument")
	}
	ready.become()
}

// preferAsVictim is a preference, not a part of the sandbox.
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
