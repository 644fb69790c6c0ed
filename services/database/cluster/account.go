package cluster

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user that the server runs as. PostgreSQL refuses to run as root.
type account struct {
	uid, gid uint32
	switched bool // this process is root, and the server runs as another user
}

// unprivileged returns the account of the caller. For root it returns that of the user postgres if there is
// one, else nobody.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: uint32(os.Geteuid()), gid: uint32(os.Getegid())}, nil
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		if found, err = user.Lookup("nobody"); err != nil {
			return account{}, err
		}
	}
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	if err != nil {
		return account{}, err
	}
	return account{uid: uint32(uid), gid: uint32(gid), switched: true}, nil
}

// own changes the owner of a file or folder to the account.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// traverses reports whether the account may enter dir and every folder above it. It reads the mode bits,
// because root may enter any folder.
func (a account) traverses(dir string) bool {
	if !a.switched {
		return true
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || !a.enters(info) {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

func (a account) enters(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return false
	case stat.Uid == a.uid:
		return info.Mode()&0o100 != 0
	case stat.Gid == a.gid:
		return info.Mode()&0o010 != 0
	}
	return info.Mode()&0o001 != 0
}
