package process

import (
	"errors"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// SandboxReport is what this kernel offers for the sandbox, and what this process has prepared.
type SandboxReport struct {
	Landlock    int  // the ABI in use; 0: none
	Seccomp     bool // system calls can be filtered
	NonDumpable bool // Harden was called in this process
	OwnUID      bool // this process may give each module its own uid; RequireSandbox does not need it
}

// InspectSandbox queries the kernel. It starts nothing and changes nothing.
func InspectSandbox() SandboxReport {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return SandboxReport{
		Landlock:    landlockABI(),
		Seccomp:     seccompAvailable(),
		NonDumpable: err == nil && dumpable == 0,
		OwnUID:      mayGiveUIDs(),
	}
}

// Missing returns the parts without which no module starts if Config.RequireSandbox is set: "landlock",
// "seccomp" (neither replaces the other), "non-dumpable". nil: none is missing.
func (r SandboxReport) Missing() []string {
	var missing []string
	if r.Landlock == 0 {
		missing = append(missing, "landlock")
	}
	if !r.Seccomp {
		missing = append(missing, "seccomp")
	}
	if !r.NonDumpable {
		missing = append(missing, "non-dumpable")
	}
	return missing
}

// LandlockLacks returns the rights that only a newer Landlock refuses, for an operator who compares kernels:
// "refer" (ABI 2), "truncate" (3), "tcp" (4), "ioctl" (5), "scopes" (6), "unix" (9), "udp" (10). The system
// call filter refuses each of them anyway. Only Landlock refuses "files" (1); without it Missing returns
// "landlock".
func (r SandboxReport) LandlockLacks() []string {
	var lacks []string
	for _, right := range landlockRights {
		if right.abi > r.Landlock {
			lacks = append(lacks, right.word)
		}
	}
	return lacks
}

// Harden protects this process's memory, environment and descriptors under /proc from other processes of its
// uid, such as modules, and forbids core dumps: even a variable that was unset is still in memory. Call it
// once, before the first module starts and after everything that writes to /proc/self, such as an OOM score,
// because an unprivileged process cannot do that any more. The platform never undoes it, but a later change
// of uid or an exec of this process would. Its error is ErrSandboxUnavailable.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return withCause(ErrSandboxUnavailable, err)
	}
	return nil
}

// checkSandbox decides whether a run may begin if parts of the sandbox are missing. Only the first such run
// logs a warning.
func (p *Process) checkSandbox(sandbox SandboxReport) error {
	missing := sandbox.Missing()
	if len(missing) == 0 {
		return nil
	}
	if p.config.RequireSandbox {
		p.config.Log.Error("module process not started", zap.Strings("missing", missing))
		return withCause(ErrSandboxUnavailable, errors.New("missing: "+strings.Join(missing, ", ")))
	}
	p.warned.Do(func() {
		p.config.Log.Warn("module runs without the whole sandbox", zap.Strings("missing", missing))
	})
	return nil
}
