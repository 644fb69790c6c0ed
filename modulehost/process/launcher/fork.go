package launcher

import (
	"syscall"
	_ "unsafe" // for go:linkname
)

// The runtime's part of a fork. The runtime keeps these functions for package syscall, and also for others
// that fork (go.dev/issue/67401).
//
//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// vfork makes the system call clone with these flags, as syscall.RawSyscall, for a child that shares memory
// and stack with its parent: when it returns in the child, the parent's return address stays intact.
func vfork(flags uintptr) (pid uintptr)

// fork starts the child with the host's memory, whose copying would cost more than all that the child does.
// It returns in the host only, when the child has executed the module or has ended; until then the calling
// thread stands still.
//
//go:noinline
//go:norace
func (r *prepared) fork() (pid uintptr, errno syscall.Errno) {
	const highestErrno = 4095
	beforeFork() // blocks all signals
	pid = vfork(syscall.CLONE_VFORK | syscall.CLONE_VM | uintptr(syscall.SIGCHLD))
	if pid == 0 {
		afterForkInChild()
		r.become()
	}
	afterFork()
	if -pid <= highestErrno {
		return 0, syscall.Errno(-pid)
	}
	return pid, 0
}
