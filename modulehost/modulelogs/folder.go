package modulelogs

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// refusal is why no socket is created, in words that may be logged.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	refusedMode  = refusal("the folder is not a folder of mode 0700")
	refusedOwner = refusal("the folder belongs to another user")
	refusedTaken = refusal("another platform serves this socket")
)

// listen creates the socket, and the folder if it is missing. It replaces a socket that no process serves any
// more. remove removes what listen has created.
func listen(ctx context.Context, folder string) (_ net.Listener, remove func(), err error) {
	made := false
	switch err := os.Mkdir(folder, 0o700); {
	case err == nil:
		made = true
	case !errors.Is(err, fs.ErrExist):
		return nil, nil, err
	}
	if err := checkFolder(folder, os.Geteuid()); err != nil {
		return nil, nil, err
	}
	path := filepath.Join(folder, socketName)
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = conn.Close()
		return nil, nil, refusedTaken
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", path) // closing the listener removes the socket
	if err != nil {
		return nil, nil, err
	}
	return listener, func() {
		_ = listener.Close()
		if made {
			_ = os.Remove(folder)
		}
	}, nil
}

// checkFolder refuses a folder that others can access or that another user owns. Root may use any user's
// folder.
func checkFolder(folder string, user int) error {
	info, err := os.Lstat(folder)
	if err != nil {
		return err
	}
	if info.Mode() != fs.ModeDir|0o700 {
		return refusedMode
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != user && user != 0 {
		return refusedOwner
	}
	return nil
}
