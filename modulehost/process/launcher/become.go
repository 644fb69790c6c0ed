package launcher

import (
	"syscall"
	"unsafe"
)

// prepared holds everything that become needs, in memory that is already allocated.
type prepared struct {
	plan    Plan
	argv    []*byte
	envp    []*byte
	empty   *byte
	root    bool
	limits  []limit
	ruleset landlockRuleset
	rules   [2]landlockRule
	program filterProgram
	header  capabilityHeader
	none    [6]uint32 // three sets of no capabilities, in two halves: effective, permitted, inheritable
}

// The kernel's own structures.
type (
	limit           struct{ resource, soft, hard uint64 }
	landlockRuleset struct{ files, network, outside uint64 }
	landlockRule    struct {
		access uint64
		parent int32
		_      [4]byte // the kernel reads 12 bytes: its structure is packed
	}
	filterProgram struct {
		length uint16
		first  *Instruction
	}
	capabilityHeader struct {
		version uint32
		pid     int32
	}
)

// These system calls have the same numbers on every supported architecture.
const (
	sysCloseRange      = 436
	sysLandlockCreate  = 444
	sysLandlockAdd     = 445
	sysLandlockConfine = 446
)

const (
	capabilityVersion = 0x20080522 // version 3
	closeOnExec       = 4          // CLOSE_RANGE_CLOEXEC
	pathBeneath       = 1          // LANDLOCK_RULE_PATH_BENEATH
	setModeFilter     = 1          // SECCOMP_SET_MODE_FILTER
	atEmptyPath       = 0x1000
	everyDescriptor   = 0xffff_ffff
)

func prepare(p Plan) (r *prepared, ok bool) {
	r = &prepared{plan: p, root: syscall.Geteuid() == 0, header: capabilityHeader{version: capabilityVersion}}
	var err [3]error
	r.argv, err[0] = syscall.SlicePtrFromStrings([]string{p.Name})
	r.envp, err[1] = syscall.SlicePtrFromStrings(p.Environment)
	r.empty, err[2] = syscall.BytePtrFromString("")
	for _, l := range p.Limits {
		r.limits = append(r.limits, limit{uint64(l.Resource), l.Value, l.Value})
	}
	r.ruleset = landlockRuleset{p.Landlock.Files, p.Landlock.Network, p.Landlock.Outside}
	r.rules = [2]landlockRule{{access: p.Landlock.Executable, parent: int32(p.Executable)},
		{access: p.Landlock.Folder, parent: int32(p.Folder)}}
	if len(p.Filter) > 0 {
		pid := uint32(syscall.Getpid())
		for i := range p.Filter {
			if p.Filter[i].Code == compare && p.Filter[i].K == PID {
				p.Filter[i].K = pid
			}
		}
		r.program = filterProgram{uint16(len(p.Filter)), &p.Filter[0]}
	}
	return r, err == [3]error{}
}

// become sets the limits, applies the rest of the sandbox and executes the module. It never returns. It
// allocates nothing, grows no stack and cannot be preempted, because after the first limit the runtime gets
// no memory. Therefore it may call only nosplit functions.
//
//go:nosplit
//go:norace
func (r *prepared) become() {
	for i := range r.limits {
		l := &r.limits[i]
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, uintptr(l.resource),
			uintptr(unsafe.Pointer(&l.soft)), 0, 0, 0)
		check(errno, failureLines.limits)
	}
	r.dropCapabilities()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivileges, 1, 0, 0, 0, 0)
	check(errno, failureLines.privileges)
	_, _, errno = syscall.RawSyscall(sysCloseRange, uintptr(r.plan.CloseFrom), everyDescriptor, closeOnExec)
	check(errno, failureLines.closing)
	r.applyLandlock()
	if r.program.length > 0 { // last, because the filter forbids most of the calls above
		_, _, errno = syscall.RawSyscall(uintptr(r.plan.Seccomp), setModeFilter, 0,
			uintptr(unsafe.Pointer(&r.program)))
		check(errno, failureLines.seccomp)
	}
	// runs the file that was opened and checked
	_, _, errno = syscall.RawSyscall6(uintptr(r.plan.Execveat), uintptr(r.plan.Executable),
		uintptr(unsafe.Pointer(r.empty)), uintptr(unsafe.Pointer(&r.argv[0])), uintptr(unsafe.Pointer(&r.envp[0])),
		atEmptyPath, 0)
	if errno == syscall.EAGAIN {
		check(errno, failureLines.processes)
	}
	check(errno, failureLines.exec)
}

// dropCapabilities removes all capabilities. Ambient ones of the unit would pass through every exec, and root
// gets those of its bounding set back at exec, unless it has another uid by then.
//
//go:nosplit
//go:norace
func (r *prepared) dropCapabilities() {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, prCapAmbientClearAll, 0, 0, 0, 0)
	check(errno, failureLines.capabilities)
	if !r.root {
		return
	}
	for capability := uintptr(0); ; capability++ {
		held, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_CAPBSET_READ, capability, 0, 0, 0, 0)
		if errno != 0 {
			break // the first number that the kernel does not have
		}
		if held != 0 {
			_, _, errno = syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, capability, 0, 0, 0, 0)
			check(errno, failureLines.capabilities)
		}
	}
	// The bounding set does not limit what exec takes from the inheritable set.
	_, _, errno = syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&r.header)),
		uintptr(unsafe.Pointer(&r.none)), 0)
	check(errno, failureLines.capabilities)
}

// applyLandlock lets the calling thread, and the program that it executes, read its executable and its
// folder, and nothing else.
//
//go:nosplit
//go:norace
func (r *prepared) applyLandlock() {
	if r.ruleset.files == 0 {
		return
	}
	ruleset, _, errno := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&r.ruleset)),
		unsafe.Sizeof(r.ruleset), 0) // an older kernel accepts zeroes in fields that it does not have
	check(errno, failureLines.landlock)
	for i := range r.rules {
		_, _, errno = syscall.RawSyscall6(sysLandlockAdd, ruleset, pathBeneath,
			uintptr(unsafe.Pointer(&r.rules[i])), 0, 0, 0)
		check(errno, failureLines.landlock)
	}
	_, _, errno = syscall.RawSyscall(sysLandlockConfine, ruleset, 0, 0)
	check(errno, failureLines.landlock)
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOSE, ruleset, 0, 0)
}

// failureLines holds complete lines for the failures of become, which cannot concatenate strings any more.
var failureLines = struct {
	limits, capabilities, privileges, closing, landlock, seccomp, processes, exec string
}{
	limits: Name + ": rlimit\n", capabilities: Name + ": capabilities\n",
	privileges: Name + ": no-new-privileges\n", closing: Name + ": close-range\n",
	landlock: Name + ": landlock\n", seccomp: Name + ": seccomp\n",
	processes: Name + ": " + WordProcesses + "\n", exec: Name + ": " + WordExec + "\n",
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
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, Failed, 0, 0)
	}
}

//go:nosplit
//go:norace
func write(descriptor int, text string) syscall.Errno {
	_, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(descriptor),
		uintptr(unsafe.Pointer(unsafe.StringData(text))), uintptr(len(text)))
	return errno
}
