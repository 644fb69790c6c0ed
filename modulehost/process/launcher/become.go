package launcher

import (
	"syscall"
	"unsafe"
)

// prepared is what become needs, in memory that is there already.
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
	none    [6]uint32 // no capability: twice effective, permitted, inheritable
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

// The numbers of these calls are the same on every architecture that is built for.
const (
	sysCloseRange      = 436
	sysLandlockCreate  = 444
	sysLandlockAdd     = 445
	sysLandlockConfine = 446
)

const (
	capabilityVersion = 0x20080522 // the third
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

// become sets the limits, raises the other walls and executes the module. It never returns. It allocates
// nothing, grows no stack and cannot be interrupted, because from the first limit on the runtime gets no
// memory: nothing in here may call what is not nosplit.
//
//go:nosplit
//go:norace
func (r *prepared) become() {
	for i := range r.limits {
		l := &r.limits[i]
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, 0, uintptr(l.resource),
			uintptr(unsafe.Pointer(&l.soft)), 0, 0, 0)
		check(errno, said.limits)
	}
	r.dropCapabilities()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivileges, 1, 0, 0, 0, 0)
	check(errno, said.privileges)
	_, _, errno = syscall.RawSyscall(sysCloseRange, uintptr(r.plan.CloseFrom), everyDescriptor, closeOnExec)
	check(errno, said.closing)
	r.applyLandlock()
	if r.program.length > 0 { // last: it forbids most of the above
		_, _, errno = syscall.RawSyscall(uintptr(r.plan.Seccomp), setModeFilter, 0,
			uintptr(unsafe.Pointer(&r.program)))
		check(errno, said.seccomp)
	}
	// the file that was opened and checked is the file that runs
	_, _, errno = syscall.RawSyscall6(uintptr(r.plan.Execveat), uintptr(r.plan.Executable),
		uintptr(unsafe.Pointer(r.empty)), uintptr(unsafe.Pointer(&r.argv[0])), uintptr(unsafe.Pointer(&r.envp[0])),
		atEmptyPath, 0)
	if errno == syscall.EAGAIN {
		check(errno, said.processes)
	}
	check(errno, said.exec)
}

// dropCapabilities leaves the module none. A unit's ambient ones would pass through every exec, and root
// regains on exec what its bounding set holds, unless it has a uid of its own by now.
//
//go:nosplit
//go:norace
func (r *prepared) dropCapabilities() {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapAmbient, prCapAmbientClearAll, 0, 0, 0, 0)
	check(errno, said.capabilities)
	if !r.root {
		return
	}
	for capability := uintptr(0); ; capability++ {
		held, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_CAPBSET_READ, capability, 0, 0, 0, 0)
		if errno != 0 {
			break // the first number that the kernel does not know
		}
		if held != 0 {
			_, _, errno = syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, capability, 0, 0, 0, 0)
			check(errno, said.capabilities)
		}
	}
	// The bounding set does not bound what exec takes from the inheritable one.
	_, _, errno = syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&r.header)),
		uintptr(unsafe.Pointer(&r.none)), 0)
	check(errno, said.capabilities)
}

// applyLandlock leaves the calling thread, and what it executes, its executable and its folder to read, and
// nothing else.
//
//go:nosplit
//go:norace
func (r *prepared) applyLandlock() {
	if r.ruleset.files == 0 {
		return
	}
	ruleset, _, errno := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&r.ruleset)),
		unsafe.Sizeof(r.ruleset), 0) // an older kernel takes the zeroes of fields it does not know
	check(errno, said.landlock)
	for i := range r.rules {
		_, _, errno = syscall.RawSyscall6(sysLandlockAdd, ruleset, pathBeneath,
			uintptr(unsafe.Pointer(&r.rules[i])), 0, 0, 0)
		check(errno, said.landlock)
	}
	_, _, errno = syscall.RawSyscall(sysLandlockConfine, ruleset, 0, 0)
	check(errno, said.landlock)
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOSE, ruleset, 0, 0)
}

// said are the lines of become's failures, whole: nothing can be put together any more.
var said = struct {
	limits, capabilities, privileges, closing, landlock, seccomp, processes, exec string
}{
	limits: Name + ": rlimit\n", capabilities: Name + ": capabilities\n",
	privileges: Name + ": no-new-privileges\n", closing: Name + ": close-range\n",
	landlock: Name + ": landlock\n", seccomp: Name + ": seccomp\n",
	processes: Name + ": " + WordProcesses + "\n", exec: Name + ": " + WordExec + "\n",
}

// check ends the process where a call failed.
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
