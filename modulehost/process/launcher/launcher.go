// Package launcher starts a module's program in the sandbox. The platform's program executes itself under the
// launcher's name, applies the sandbox to itself and then executes the module's program, so no code of the
// module ever runs without the sandbox. Every program that imports this package can be the launcher.
package launcher

import (
	"encoding/json"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Name is the launcher's first argument, and begins the line that it writes if it fails.
const Name = "narthex-module-launcher"

// Failed is the exit status of a launcher that did not become the module. A line of Name and a fixed word on
// its standard error names the step that failed.
const Failed = 120

// The words of a launcher that has applied the sandbox and then could not execute the module. WordProcesses:
// the user has reached its limit of processes. WordRefused: the user may not execute the file, or its file
// system is mounted noexec.
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
	Arguments   []string            // the module's, from argv[0] on
	Environment []string            // the module's whole environment
	Credential  *syscall.Credential // without groups; nil: the host's user
	Nice        int                 // the module's niceness
	Limits      []Limit             // in this order

	// Files become the launcher's descriptors 0, 1, 2 and so on; nil: that one is closed. The module inherits
	// those before CloseFrom.
	Files              []*os.File `json:"-"`
	CloseFrom          int
	Executable, Folder int // descriptors, O_PATH
	Cgroup             int // descriptor of its group's cgroup.procs; 0: there is no group

	Landlock Landlock
	// Filter is the seccomp program; nil: no filter. An instruction that compares with PID compares with the
	// process's own id.
	Filter []unix.SockFilter

	Host int // process; set by Start
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

// PID stands for the process's own id in a filter. No process has an id as large (the largest is 2^22).
const PID = 0x7fff_fffe

// Start returns the id of the process that becomes the module. The caller must be locked to a thread that
// lives as long as the process, because the kernel kills the process when the thread that started it ends;
// and it must wait for the process.
func (p Plan) Start() (pid int, err error) {
	p.Host = os.Getpid()
	plan, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	process, err := os.StartProcess("/proc/self/exe", []string{Name, string(plan)}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: p.Files, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return 0, err
	}
	pid = process.Pid
	return pid, process.Release()
}
