package launcher

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// compare is BPF_JMP | BPF_JEQ | BPF_K.
const compare = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K

// everyDescriptor is the end of a range of descriptors.
const everyDescriptor = 0xffff_ffff

// become turns the child into the module. It never returns. It and what it calls allocate nothing, write no
// pointers and grow no stack (nosplit), and the race detector must not see them.
//
//go:nosplit
//go:norace
func (r *prepared) become() {
	r.separate()
	r.lowerPriority()
	for i := range r.limits {
		l := &r.limits[i]
		_, _, errno := syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(l.resource),
			uintptr(unsafe.Pointer(&l.soft)), 0, 0, 0)
		check(errno, failureLines.limits)
	}
	r.dropCapabilities()
	_, _, errno := syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	check(errno, failureLines.privileges)
	_, _, errno = syscall.RawSyscall(unix.SYS_CLOSE_RANGE, uintptr(r.plan.CloseFrom), everyDescriptor,
		unix.CLOSE_RANGE_CLOEXEC)
	check(errno, failureLines.closing)
	r.applyLandlock()
	r.applyFilter() // last, because the filter forbids most of the calls above
	// runs the file that was opened and checked
	_, _, errno = syscall.RawSyscall6(unix.SYS_EXECVEAT, uintptr(r.plan.Executable),
		uintptr(unsafe.Pointer(r.empty)), uintptr(unsafe.Pointer(&r.argv[0])), uintptr(unsafe.Pointer(&r.envp[0])),
		unix.AT_EMPTY_PATH, 0)
	switch errno {
	case syscall.EAGAIN:
		check(errno, failureLines.processes)
	case syscall.EACCES, syscall.EPERM:
		check(errno, failureLines.refused)
	}
	check(errno, failureLines.exec)
}

// separate gives the child descriptors, a session, a cgroup, a user and a folder of its own.
//
//go:nosplit
//go:norace
func (r *prepared) separate() {
	for i := range r.files {
		var errno syscall.Errno
		if r.files[i] < 0 {
			_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, uintptr(i), 0, 0)
		} else {
			_, _, errno = syscall.RawSyscall(unix.SYS_DUP3, uintptr(r.files[i]), uintptr(i), 0)
		}
		check(errno, failureLines.process)
	}
	_, _, errno := syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	check(errno, failureLines.process)
	_, _, errno = syscall.RawSyscall(unix.SYS_CHDIR, uintptr(unsafe.Pointer(r.root)), 0, 0)
	check(errno, failureLines.process)
	_, _, _ = syscall.RawSyscall(unix.SYS_UMASK, 0o077, 0, 0)
	if r.plan.Cgroup != 0 {
		check(write(r.plan.Cgroup, "0"), failureLines.cgroup) // 0 means the writing process
	}
	if user := r.plan.Credential; user != nil {
		_, _, errno = syscall.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0)
		check(errno, failureLines.process)
		_, _, errno = syscall.RawSyscall(unix.SYS_SETGID, uintptr(user.Gid), 0, 0)
		check(errno, failureLines.process)
		_, _, errno = syscall.RawSyscall(unix.SYS_SETUID, uintptr(user.Uid), 0, 0)
		check(errno, failureLines.process)
	}
	// after the change of the user, which would clear it
	_, _, errno = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL),
		0, 0, 0, 0)
	check(errno, failureLines.deathsig)
	if parent, _, _ := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); parent != r.host {
		check(syscall.ESRCH, failureLines.orphan) // the host has died before the line above
	}
}

// lowerPriority sets the niceness, unless the platform's is higher already: only root may lower a niceness.
//
//go:nosplit
//go:norace
func (r *prepared) lowerPriority() {
	left, _, errno := syscall.RawSyscall(unix.SYS_GETPRIORITY, unix.PRIO_PROCESS, 0, 0)
	check(errno, failureLines.nice)
	if 20-int(left) < r.plan.Nice { // the system call counts from 20 downwards
		_, _, errno = syscall.RawSyscall(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, 0, uintptr(r.plan.Nice))
		check(errno, failureLines.nice)
	}
}

// dropCapabilities removes all capabilities. Ambient ones of the unit would pass through every exec, and root
// gets those of its bounding set back at exec, unless it has another uid by then.
//
//go:nosplit
//go:norace
func (r *prepared) dropCapabilities() {
	_, _, errno := syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL,
		0, 0, 0, 0)
	check(errno, failureLines.capabilities)
	if !r.drops {
		return
	}
	for capability := uintptr(0); ; capability++ {
		held, _, errno := syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, capability, 0, 0, 0, 0)
		if errno != 0 {
			break // the first number that the kernel does not have
		}
		if held != 0 {
			_, _, errno = syscall.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, capability, 0, 0, 0, 0)
			check(errno, failureLines.capabilities)
		}
	}
	// The bounding set does not limit what exec takes from the inheritable set.
	_, _, errno = syscall.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&r.header)),
		uintptr(unsafe.Pointer(&r.none)), 0)
	check(errno, failureLines.capabilities)
}

// applyLandlock lets the process, and the program that it executes, read its executable and its folder, and
// nothing else.
//
//go:nosplit
//go:norace
func (r *prepared) applyLandlock() {
	if r.ruleset.files == 0 {
		return
	}
	ruleset, _, errno := syscall.RawSyscall(unix.SYS_LANDLOCK_CREATE_RULESET,
		uintptr(unsafe.Pointer(&r.ruleset)), unsafe.Sizeof(r.ruleset),
		0) // an older kernel accepts zeroes in fields that it does not have
	check(errno, failureLines.landlock)
	for i := range r.rules {
		_, _, errno = syscall.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&r.rules[i])), 0, 0, 0)
		check(errno, failureLines.landlock)
	}
	_, _, errno = syscall.RawSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0)
	check(errno, failureLines.landlock)
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, ruleset, 0, 0)
}

// applyFilter writes the process's id into the filter and installs it.
//
//go:nosplit
//go:norace
func (r *prepared) applyFilter() {
	if r.program.length == 0 {
		return
	}
	pid, _, _ := syscall.RawSyscall(unix.SYS_GETPID, 0, 0, 0)
	for i := range r.filter {
		if r.filter[i].Code == compare && r.filter[i].K == PID {
			r.filter[i].K = uint32(pid)
		}
	}
	_, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&r.program)))
	check(errno, failureLines.seccomp)
}

// failureLines holds complete lines, because the child cannot concatenate strings.
var failureLines = struct {
	process, cgroup, deathsig, orphan, nice, limits, capabilities, privileges, closing, landlock, seccomp,
	processes, refused, exec string
}{
	process: Name + ": process\n", cgroup: Name + ": cgroup\n", deathsig: Name + ": deathsig\n",
	orphan: Name + ": orphan\n", nice: Name + ": nice\n",
	limits: Name + ": rlimit\n", capabilities: Name + ": capabilities\n",
	privileges: Name + ": no-new-privileges\n", closing: Name + ": close-range\n",
	landlock: Name + ": landlock\n", seccomp: Name + ": seccomp\n",
	processes: Name + ": " + WordProcesses + "\n", refused: Name + ": " + WordRefused + "\n",
	exec: Name + ": " + WordExec + "\n",
}

// check ends the process if a call has failed.
//
//go:nosplit
//go:norace
func check(errno syscall.Errno, line string) {
	if errno == 0 {
		return
	}
	_ = write(2, line)
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, Failed, 0, 0)
	}
}

//go:nosplit
//go:norace
func write(descriptor int, text string) syscall.Errno {
	_, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(descriptor),
		uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
	return errno
}
