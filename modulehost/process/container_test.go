package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestInAContainer runs the tests of the sandbox and of priorities again where an unprivileged container's
// rules apply already: a mask of capabilities and a seccomp filter. It is not parallel, because it must end
// before parallel tests begin.
func TestInAContainer(t *testing.T) {
	if os.Getenv(containedBy) != "" || os.Getenv("NARTHEX_TEST_MODULES") != "" {
		t.Skip("this is one of the hosts that it starts")
	}
	if testing.Short() {
		t.Skip("it runs the tests of the sandbox again")
	}
	if os.Geteuid() != 0 {
		t.Run("as this user", func(t *testing.T) { inContainer(t, os.Geteuid()) })
		return
	}
	t.Run("as root", func(t *testing.T) { inContainer(t, 0) })
	t.Run("as a user", func(t *testing.T) { inContainer(t, 1000) })
}

func inContainer(t *testing.T, uid int) {
	executable(t, "good")
	executable(t, "hostile")
	executable(t, "bare")
	executable(t, "never-ready")
	command := exec.Command("/proc/self/exe", "-test.v", "-test.timeout=5m", "-test.run="+
		"^(TestSandbox|TestWhatTheKernelSaysOfAModule|TestOnlyTheBusyProcessIsLowered)$")
	command.Env = []string{"NARTHEX_TEST_MODULES=" + modules, containedBy + "=wanted"}
	command.Dir = "/"
	if uid != os.Geteuid() {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid),
			Gid: uint32(uid), Groups: []uint32{}}}
	}
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: TestSandbox") {
		t.Errorf("the tests in a container: %v, want success; output %s", err, output)
	}
}

// runContained becomes this test program again, in a container's place. It returns only if that fails.
func runContained() error {
	runtime.LockOSThread() // what follows is about a single thread, of which the executed program is made
	if err := contain(); err != nil {
		return err
	}
	if err := os.Setenv(containedBy, "done"); err != nil {
		return err
	}
	return unix.Exec("/proc/self/exe", os.Args, os.Environ())
}

// containedBy is the variable with which a test program runs in a container's place.
const containedBy = "NARTHEX_TEST_CONTAINED"

// contain restricts the calling thread as container engines restrict their processes by default.
func contain() error {
	kept := []uintptr{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FSETID, unix.CAP_FOWNER, unix.CAP_MKNOD,
		unix.CAP_NET_RAW, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETFCAP, unix.CAP_SETPCAP,
		unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_CHROOT, unix.CAP_KILL, unix.CAP_AUDIT_WRITE}
	for capability := uintptr(0); os.Geteuid() == 0 && capability <= unix.CAP_LAST_CAP; capability++ {
		if slices.Contains(kept, capability) {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && err != unix.EINVAL {
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
	}
	refused := []uint32{unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_IO_URING_SETUP, unix.SYS_KCMP, unix.SYS_KEYCTL,
		unix.SYS_MOUNT, unix.SYS_PERF_EVENT_OPEN, unix.SYS_PERSONALITY, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV,
		unix.SYS_REQUEST_KEY, unix.SYS_SETNS, unix.SYS_SYSLOG, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD,
		unix.SYS_VHANGUP}
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the call's number
	for _, call := range refused {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
