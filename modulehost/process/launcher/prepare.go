package launcher

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepared holds everything that the child needs, in memory that is already allocated.
type prepared struct {
	plan    Plan
	host    uintptr // pid
	files   []int32 // copies of the plan's files, above the numbers that the child uses; -1: none
	argv    []*byte
	envp    []*byte
	empty   *byte
	root    *byte // path
	drops   bool  // capabilities: the child is root
	limits  []limit
	ruleset landlockRuleset
	rules   [2]landlockRule
	filter  []Instruction
	program filterProgram
	header  unix.CapUserHeader
	none    [2]unix.CapUserData // no capabilities
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
)

func (p Plan) prepare() (r *prepared, err error) {
	r = &prepared{plan: p, host: uintptr(os.Getpid()), filter: slices.Clone(p.Filter),
		header: unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}}
	r.drops = syscall.Geteuid() == 0 && (p.Credential == nil || p.Credential.Uid == 0)
	var errs [4]error
	r.argv, errs[0] = syscall.SlicePtrFromStrings([]string{p.Name})
	r.envp, errs[1] = syscall.SlicePtrFromStrings(p.Environment)
	r.empty, errs[2] = syscall.BytePtrFromString("")
	r.root, errs[3] = syscall.BytePtrFromString("/")
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	for _, l := range p.Limits {
		r.limits = append(r.limits, limit{uint64(l.Resource), l.Value, l.Value})
	}
	r.ruleset = landlockRuleset{p.Landlock.Files, p.Landlock.Network, p.Landlock.Outside}
	r.rules = [2]landlockRule{{access: p.Landlock.Executable, parent: int32(p.Executable)},
		{access: p.Landlock.Folder, parent: int32(p.Folder)}}
	if len(r.filter) > 0 {
		r.program = filterProgram{uint16(len(r.filter)), &r.filter[0]}
	}
	if err := r.copyFiles(); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// copyFiles copies the descriptors to numbers above those that the child uses, because the child would
// otherwise overwrite one that it needs later.
func (r *prepared) copyFiles() error {
	for _, file := range r.plan.Files {
		if file == nil {
			r.files = append(r.files, -1)
			continue
		}
		copied, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, len(r.plan.Files))
		if err != nil {
			return os.NewSyscallError("fcntl", err)
		}
		r.files = append(r.files, int32(copied))
	}
	return nil
}

// close closes the host's copies.
func (r *prepared) close() {
	for _, copied := range r.files {
		if copied >= 0 {
			_ = unix.Close(int(copied))
		}
	}
}
