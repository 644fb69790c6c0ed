package launcher

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// compare is BPF_JMP | BPF_JEQ | BPF_K.
const compare = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K

// everyDescriptor is the end of a range of descriptors.
const everyDescriptor = 0xffff_ffff

// init makes this process the module if Start has started it. An init comes before everything else that the
// program does, and before what most of its packages prepare.
func init() {
	if len(os.Args) != 2 || os.Args[0] != Name {
		return
	}
	runtime.LockOSThread()
	runtime.MemProfileRate = 0 // a sample, which only tests take, needs memory that the limits no longer allow
	var p Plan
	if err := json.Unmarshal([]byte(os.Args[1]), &p); err != nil {
		fail("plan")
	}
	p.become()
}

// become turns the process into the module. It never returns. The sandbox is that of the calling thread:
// when it executes the module, the kernel ends the other threads.
func (p *Plan) become() {
	for _, step := range []struct {
		word string
		do   func() error
	}{
		{"process", p.separate},
		{"cgroup", p.enterCgroup},
		{"process", p.changeUser},
		{"deathsig", func() error { // after the change of the user, which would clear it
			return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
		}},
		{"orphan", p.checkHost},
		{"nice", p.lowerPriority},
		{"rlimit", p.limit},
		{"capabilities", p.dropCapabilities},
		{"no-new-privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"close-range", func() error {
			return unix.CloseRange(uint(p.CloseFrom), everyDescriptor, unix.CLOSE_RANGE_CLOEXEC)
		}},
		{"landlock", p.applyLandlock},
		{"seccomp", p.applyFilter}, // last, because the filter forbids most of the calls above
	} {
		if step.do() != nil {
			fail(step.word)
		}
	}
	switch p.execute() {
	case unix.EAGAIN:
		fail(WordProcesses)
	case unix.EACCES, unix.EPERM:
		fail(WordRefused)
	}
	fail(WordExec)
}

// separate hides the process from others of its user until the module runs, as the host is hidden, and makes
// the module's files its user's alone.
func (p *Plan) separate() error {
	unix.Umask(0o077)
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

func (p *Plan) enterCgroup() error {
	if p.Cgroup == 0 {
		return nil
	}
	_, err := unix.Write(p.Cgroup, []byte("0")) // 0 means the writing process
	return err
}

// changeUser changes the user of the calling thread alone: the user may have reached its limit of processes,
// which counts threads.
func (p *Plan) changeUser() error {
	if p.Credential == nil {
		return nil
	}
	if err := rawCall(unix.SYS_SETGROUPS, 0, 0); err != nil {
		return err
	}
	if err := rawCall(unix.SYS_SETGID, uintptr(p.Credential.Gid), 0); err != nil {
		return err
	}
	return rawCall(unix.SYS_SETUID, uintptr(p.Credential.Uid), 0)
}

// checkHost fails if the host has died before its death could end this process.
func (p *Plan) checkHost() error {
	if unix.Getppid() != p.Host {
		return unix.ESRCH
	}
	return nil
}

// lowerPriority sets the niceness, unless the platform's is higher already: only root may lower a niceness.
func (p *Plan) lowerPriority() error {
	left, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	if 20-left >= p.Nice { // the system call counts from 20 downwards
		return nil
	}
	return unix.Setpriority(unix.PRIO_PROCESS, 0, p.Nice)
}

func (p *Plan) limit() error {
	for _, l := range p.Limits {
		if err := unix.Prlimit(0, l.Resource, &unix.Rlimit{Cur: l.Value, Max: l.Value}, nil); err != nil {
			return err
		}
	}
	return nil
}

// dropCapabilities removes all capabilities. Ambient ones of the unit would pass through every exec, and root
// gets those of its bounding set back at exec, unless it has another uid by then.
func (p *Plan) dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if syscall.Geteuid() != 0 {
		return nil
	}
	for capability := uintptr(0); ; capability++ {
		held, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, capability, 0, 0, 0)
		if err != nil {
			break // the first number that the kernel does not have
		}
		if held != 0 {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
				return err
			}
		}
	}
	// The bounding set does not limit what exec takes from the inheritable set.
	var none [2]unix.CapUserData
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// applyLandlock lets the process, and the program that it executes, read its executable and its folder, and
// nothing else.
func (p *Plan) applyLandlock() error {
	if p.Landlock.Files == 0 {
		return nil
	}
	removed := unix.LandlockRulesetAttr{Handled_access_fs: p.Landlock.Files,
		Handled_access_net: p.Landlock.Network, Scoped: p.Landlock.Outside}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&removed)),
		unsafe.Sizeof(removed), 0) // an older kernel accepts zeroes in fields that it does not have
	if errno != 0 {
		return errno
	}
	for _, rule := range []unix.LandlockPathBeneathAttr{
		{Allowed_access: p.Landlock.Executable, Parent_fd: int32(p.Executable)},
		{Allowed_access: p.Landlock.Folder, Parent_fd: int32(p.Folder)},
	} {
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		if errno != 0 {
			return errno
		}
	}
	return rawCall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
}

// applyFilter writes the process's id into the filter and installs it.
func (p *Plan) applyFilter() error {
	if len(p.Filter) == 0 {
		return nil
	}
	for i := range p.Filter {
		if p.Filter[i].Code == compare && p.Filter[i].K == PID {
			p.Filter[i].K = uint32(os.Getpid())
		}
	}
	program := unix.SockFprog{Len: uint16(len(p.Filter)), Filter: &p.Filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// execute runs the file that was opened and checked. It returns only if that fails.
func (p *Plan) execute() error {
	argv, err := syscall.SlicePtrFromStrings(p.Arguments)
	if err != nil {
		return err
	}
	envp, err := syscall.SlicePtrFromStrings(p.Environment)
	if err != nil {
		return err
	}
	var empty byte
	_, _, errno := unix.RawSyscall6(unix.SYS_EXECVEAT, uintptr(p.Executable), uintptr(unsafe.Pointer(&empty)),
		uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&envp[0])), unix.AT_EMPTY_PATH, 0)
	return errno
}

// rawCall makes a system call for the calling thread.
func rawCall(number, first, second uintptr) error {
	if _, _, errno := unix.RawSyscall(number, first, second, 0); errno != 0 {
		return errno
	}
	return nil
}

func fail(word string) {
	_, _ = os.Stderr.WriteString(Name + ": " + word + "\n")
	os.Exit(Failed)
}
