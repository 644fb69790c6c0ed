package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// home is the folder of one cluster. The server's account owns it, and nobody else may enter it.
type home struct {
	dir     string // where the files are
	link    string // the wanted path, when dir had to be in another place
	account account
	lock    *os.File // locked while this process uses the folder; the kernel unlocks it when the process dies
}

func (h home) data() string     { return filepath.Join(h.dir, "data") }
func (h home) password() string { return filepath.Join(h.dir, "password") }
func (h home) log() string      { return filepath.Join(h.dir, "log") }

// openHome creates the folder, gives it to the account and locks it.
func openHome(wanted string, runsAs account) (home, error) {
	wanted, err := filepath.Abs(wanted)
	if err != nil {
		return home{}, fail(ErrDirectory, err)
	}
	h := home{dir: wanted, account: runsAs}
	if err := os.MkdirAll(filepath.Dir(wanted), 0o755); err != nil {
		return home{}, fail(ErrDirectory, err)
	}
	if !runsAs.traverses(filepath.Dir(wanted)) {
		if err := h.moveOut(); err != nil {
			return home{}, fail(ErrDirectory, err)
		}
	}
	if err := h.claim(); err != nil {
		return home{}, fail(ErrDirectory, err)
	}
	if h.lock, err = os.OpenFile(filepath.Join(h.dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW,
		0o600); err != nil {
		return home{}, fail(ErrDirectory, err)
	}
	if err := syscall.Flock(int(h.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		h.close()
		return home{}, fail(ErrInUse, err)
	}
	return h, nil
}

// moveOut moves dir below /var/tmp and makes the wanted path a link to it. It is for a path that the server's
// account cannot enter, such as one below /root.
func (h *home) moveOut() error {
	sum := sha256.Sum256([]byte(h.dir))
	h.link, h.dir = h.dir, "/var/tmp/narthex-"+hex.EncodeToString(sum[:8])
	if target, err := os.Readlink(h.link); err == nil && target == h.dir {
		return nil
	}
	if err := os.Remove(h.link); err != nil && !errors.Is(err, fs.ErrNotExist) { // removes an empty folder only
		return err
	}
	return os.Symlink(h.dir, h.link)
}

// claim creates the folder or uses an existing one. Anybody may have created something below /var/tmp before,
// so an existing entry must be a folder that the account owns, or an empty one that this process owns.
func (h *home) claim() error {
	if err := os.Mkdir(h.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(h.dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || (stat.Uid != h.account.uid && stat.Uid != uint32(os.Geteuid())) {
		return errors.New("not a folder of the server's account")
	}
	if stat.Uid != h.account.uid {
		if entries, err := os.ReadDir(h.dir); err != nil || len(entries) > 0 {
			return errors.New("the folder holds other files") // never give other files to the server's account
		}
	}
	if err := h.account.own(h.dir); err != nil {
		return err
	}
	return os.Chmod(h.dir, 0o700)
}

func (h home) close() { _ = h.lock.Close() }

// writePassword writes the superuser's password into a file that only the account and root can read.
func (h home) writePassword(password string) error {
	if err := os.Remove(h.password()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(h.password(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(password + "\n")
	return errors.Join(err, file.Close(), h.account.own(h.password()))
}

func (h home) readPassword() (string, error) {
	content, err := os.ReadFile(h.password())
	return strings.TrimSpace(string(content)), err
}

// openLog opens the log of the next program, without what earlier ones have written.
func (h home) openLog() (*os.File, error) {
	return os.OpenFile(h.log(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW, 0o600)
}

// logTail returns the end of the server's log, for finding out why it did not start.
func (h home) logTail() string {
	file, err := os.Open(h.log())
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > 2048 {
		_, _ = file.Seek(-2048, io.SeekEnd)
	}
	content, _ := io.ReadAll(io.LimitReader(file, 2048))
	return string(content)
}
