// Package launcher starts a module's program in the sandbox. It forks the host. The child applies the sandbox
// to itself and then executes the module's program, so no code of the module ever runs without the sandbox.
//
// The child has the host's memory and a single thread, in which Go's runtime does not work: it can allocate
// nothing, grow no stack and start no thread. So the host prepares everything, and the child makes only
// system calls, as package syscall does between fork and exec. That needs a fork of its own here, because
// syscall.ForkExec cannot set limits, Landlock and seccomp. A program in between could, but it takes some
// milliseconds of a processor for each module.
package launcher

import (
	"os"
	"syscall"
)

// Name begins the line that a failed child writes.
const Name = "narthex-module-launcher"

// Failed is the exit status of a child that did not become the module. A line of Name and a fixed word on
// its standard error names the step that failed.
const Failed = 120

// The words of a child that has applied the sandbox and then could not execute the module. WordProcesses: the
// user has reached its limit of processes. WordRefused: the user may not execute the file, or its file system
// is mounted noexec.
const (
	WordExec      = "exec"
	WordProcesses = "processes"
	WordRefused   = "refused"
)

// Steps returns the words for the steps of the sandbox. The other words are not failures of the sandbox.
func Steps() []string {
	return []string{"deathsig", "nice", "rlimit", "capabilities", "no-new-privileges", "close-range", "landlock",
		"seccomp", "cgroup"}
}

// Plan describes a module's process.
type Plan struct {
	Name        string              // argv[0] of the module
	Environment []string            // the module's whole environment
	Credential  *syscall.Credential // without groups; nil: the host's user
	Nice        int                 // the module's niceness
	Limits      []Limit             // in this order

	// Files become the child's descriptors 0, 1, 2 and so on; nil: that one is closed. The module inherits
	// those before CloseFrom.
	Files              []*os.File
	CloseFrom          int
	Executable, Folder int // descriptors, O_PATH
	Cgroup             int // descriptor of its group's cgroup.procs; 0: there is no group

	Landlock Landlock
	// Filter is the seccomp program; nil: no filter. An instruction that compares with PID compares with the
	// process's own id.
	Filter []Instruction
}

// Limit is a resource limit, soft and hard.
type Limit struct {
	Resource int
	Value    uint64
}

// Landlock holds the rights that a ruleset removes, and those that its two rules grant.
type Landlock struct {
	Files, Network, Outside uint64 // all 0: no ruleset
	Executable, Folder      uint64
}

// Instruction is an instruction of classic BPF.
type Instruction struct {
	Code   uint16
	Jt, Jf uint8
	K      uint32
}

// PID stands for the process's own id in a filter. No process has an id as large (the largest is 2^22).
const PID = 0x7fff_fffe

// Start returns the process's id when it executes the module's program or has failed. The caller must be
// locked to a thread that lives as long as the process, because the kernel kills the process when the thread
// that forked it ends; and it must wait for the process.
func (p Plan) Start() (pid int, err error) {
	r, err := p.prepare()
	if err != nil {
		return 0, err
	}
	defer r.close()
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	id, errno := r.fork()
	if errno != 0 {
		return 0, os.NewSyscallError("fork", errno)
	}
	return int(id), nil
}
