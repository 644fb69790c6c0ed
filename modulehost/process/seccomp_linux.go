package process

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// The system call filter is classic BPF over struct seccomp_data: number, architecture, instruction pointer,
// six arguments. syscalls_linux.go lists the calls that it refuses. It allows all others up to the newest
// call that existed when the list was written.

const (
	allow = unix.SECCOMP_RET_ALLOW
	kill  = unix.SECCOMP_RET_KILL_PROCESS

	atNumber       = 0
	atArchitecture = 4
	atArguments    = 16

	// x32 is the bit of x86-64's second set of numbers; no number of arm64 is as large.
	x32 = 0x40000000
)

func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// auditArchitecture returns the kernel's constant for the architecture whose numbers the filter uses; 0:
// there is no filter for it.
func auditArchitecture(goarch string) uint32 {
	switch goarch {
	case "amd64":
		return unix.AUDIT_ARCH_X86_64
	case "arm64":
		return unix.AUDIT_ARCH_AARCH64
	}
	return 0
}

// seccompAvailable installs a filter at an invalid address: only a kernel with filters reads there and
// returns EFAULT.
func seccompAvailable() bool {
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, 0)
	return errno == unix.EFAULT && auditArchitecture(runtime.GOARCH) != 0
}

// filter returns the program for the process pid, which is launcher.PID until the process knows it. It allows
// a module to send signals only to itself, because the id stays the same at exec.
func filter(goarch string, pid int) []unix.SockFilter {
	program := []unix.SockFilter{
		load(atArchitecture), equal(auditArchitecture(goarch), 1, 0), end(kill),
		load(atNumber), jump(unix.BPF_JGE, x32, 0, 1), end(kill),
		jump(unix.BPF_JGT, newestCall, 0, 1), end(refuse(unix.ENOSYS)),
	}
	var refused []uint32
	for _, c := range syscallRules(pid) {
		number := c.number(goarch)
		switch {
		case number == absent:
		case c.only == nil && c.errno == 0:
			refused = append(refused, uint32(number))
		default:
			body := c.body()
			program = append(program, equal(uint32(number), 0, len(body)))
			program = append(program, body...)
		}
	}
	for i, number := range refused {
		program = append(program, equal(number, len(refused)-i, 0))
	}
	return append(program, end(allow), end(refuse(unix.EPERM)))
}

// condition is true if the argument's word, masked, is one of values; with not set, if it is none of them.
type condition struct {
	word   uint32 // its offset
	mask   uint32
	not    bool
	values []uint32
}

// low and high return the offsets of the two words of argument n, 0 to 5, on a little-endian machine.
func low(n uint32) uint32  { return atArguments + 8*n }
func high(n uint32) uint32 { return low(n) + 4 }

const whole = ^uint32(0) // a mask

// body decides one call by its arguments. It always ends with a decision.
func (c syscallRule) body() []unix.SockFilter {
	if c.only == nil {
		return []unix.SockFilter{end(refuse(c.errno))}
	}
	body := []unix.SockFilter{end(allow), end(refuse(unix.EPERM))}
	for i := len(c.only) - 1; i >= 0; i-- {
		body = append(c.only[i].test(len(body)-1), body...)
	}
	return body
}

// test continues after itself if the condition is true; otherwise it skips refusal more instructions.
func (c condition) test(refusal int) []unix.SockFilter {
	code := []unix.SockFilter{load(c.word)}
	if c.mask != whole {
		code = append(code, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask})
	}
	for i, value := range c.values {
		rest := len(c.values) - 1 - i
		switch {
		case c.not:
			code = append(code, equal(value, rest+refusal, 0))
		case rest > 0:
			code = append(code, equal(value, rest, 0))
		default:
			code = append(code, equal(value, 0, refusal))
		}
	}
	return code
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func equal(k uint32, yes, no int) unix.SockFilter { return jump(unix.BPF_JEQ, k, yes, no) }

func jump(comparison uint16, k uint32, yes, no int) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jt: uint8(yes), Jf: uint8(no), K: k}
}

func end(verdict uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
}
