package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/porttest"
)

// TestDevUnderAStrictUmask: dev runs a module from a checkout that was made under the umask 077, and runs
// under it itself, as root, whose modules run as users of their own, and as a user.
func TestDevUnderAStrictUmask(t *testing.T) {
	t.Parallel()
	t.Run("as this user", func(t *testing.T) {
		t.Parallel()
		devUnderUmask077(t, os.Geteuid())
	})
	t.Run("as another user", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() != 0 {
			t.Skip("only root can run it as another user")
		}
		devUnderUmask077(t, 1000)
	})
}

func devUnderUmask077(t *testing.T, uid int) {
	modules := sharedFolder(t)
	folder := filepath.Join(modules, "announcements")
	if err := os.CopyFS(folder, os.DirFS(builtModule(t, "announcements"))); err != nil {
		t.Fatal(err)
	}
	dir := newDevFolder(t, modules)
	built, err := developmentBinary()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(sharedFolder(t), "narthex-dev") // where another user can execute it
	if err := os.Link(built, program); err != nil {
		t.Fatal(err)
	}
	makePrivate(t, modules, uid)
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", "-c", `umask 077; exec "$0" "$@"`, program, "dev", "--port",
		strconv.Itoa(porttest.Free(t)))
	command.Dir = dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "PWD=" + dir, "HOME=" + dir,
		"GORACE=halt_on_error=1 exitcode=66"}
	if uid != os.Geteuid() {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid),
			Gid: uint32(uid), Groups: []uint32{}}}
	}
	r := startPrepared(t, command)
	r.awaitOutput(t, &r.stdout, "Ctrl-C")
	r.signal(t, syscall.SIGINT)
	if status := r.awaitExit(t); status != cli.ExitSuccess {
		t.Errorf("narthex-dev dev after SIGINT: exit status %d, want %d", status, cli.ExitSuccess)
	}
}

// makePrivate gives a tree to a user and removes the rights of all others, as the umask 077 would have.
func makePrivate(t *testing.T, dir string, uid int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			err = os.Chmod(path, info.Mode().Perm()&0o700)
		}
		if err == nil {
			err = os.Chown(path, uid, uid)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
