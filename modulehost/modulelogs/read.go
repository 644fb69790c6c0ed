package modulelogs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Options configure Read.
type Options struct {
	Folder   string // of the socket
	ModuleID string
	Follow   bool // continue until ctx or the platform ends
}

// Platform returns the process id of the running platform.
func Platform(ctx context.Context, folder string) (pid int, err error) {
	conn, err := dial(ctx, folder)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	_, pid, err = peer(conn)
	return pid, err
}

func dial(ctx context.Context, folder string) (*net.UnixConn, error) {
	if err := checkFolder(folder, os.Geteuid()); err != nil {
		return nil, errors.Join(ErrUnavailable, err)
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(folder, socketName))
	if err != nil {
		return nil, errors.Join(ErrUnavailable, err)
	}
	return conn.(*net.UnixConn), nil
}

// Read reads a module's output from the running platform. It calls text for each piece of output and end for
// each end of a run, in order. It fails with ErrUnavailable or ErrNotRunning.
func Read(ctx context.Context, o Options, text func([]byte) error, end func(End) error) error {
	conn, err := dial(ctx, o.Folder)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	question, err := json.Marshal(request{Module: o.ModuleID, Follow: o.Follow})
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(question, '\n')); err != nil {
		return errors.Join(ErrUnavailable, err)
	}
	answered := false
	for lines := json.NewDecoder(conn); ; answered = true {
		var l line
		err := lines.Decode(&l)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, io.EOF) && answered:
			return nil
		case err != nil:
			return errors.Join(ErrUnavailable, err)
		case l.Code != "":
			return l.Code
		case l.End != nil:
			err = end(*l.End)
		case len(l.Text) > 0:
			err = text(l.Text)
		}
		if err != nil {
			return err
		}
	}
}
