package process

import (
	"errors"
	"strings"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"
)

// SandboxReport is what this kernel offers to confine modules with, and what this process has done for it.
type SandboxReport struct {
	Landlock    int  // the ABI that is in use; 0: none
	Seccomp     bool // system calls can be filtered
	NonDumpable bool // Harden was called in this process
	OwnUID      bool // this process may give each module a uid of its own; no module requires it
}

// InspectSandbox asks the kernel. It starts nothing and leaves nothing behind.
func InspectSandbox() SandboxReport {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return SandboxReport{
		Landlock:    landlockABI(),
		Seccomp:     seccompAvailable(),
		NonDumpable: err == nil && dumpable == 0,
		OwnUID:      mayGiveUIDs(),
	}
}

// Missing are the parts without which no module starts where Config.RequireSandbox is set: "landlock",
// "seccomp" (neither replaces the other), "non-dumpable". nil: all stand.
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

// LandlockLacks are what a newer Landlock refuses by itself, for an operator who compares kernels: "refer"
// (ABI 2), "truncate" (3), "tcp" (4), "ioctl" (5), "scopes" (6), "unix" (9), "udp" (10). The filter of
// system calls refuses each of them anyway. "files" (1) is refused by nothing else: then Missing says
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

// Harden closes this process's memory, environment and descriptors under /proc to everyone of its own uid,
// modules among them, and forbids its core dumps: a variable that was unset is still in memory. Call it
// once, before the first module starts and after all that writes to /proc/self, an OOM score for one: an
// unprivileged process cannot do that any more. Nothing here undoes it, and a later change of uid or an
// exec of this process would. Its error is ErrSandboxUnavailable.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return withCause(ErrSandboxUnavailable, err)
	}
	return nil
}

// checkSandbox decides whether a run may begin although parts of the sandbox are missing. Only the first such
// run logs a warning.
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
