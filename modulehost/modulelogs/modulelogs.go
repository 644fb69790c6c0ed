// Package modulelogs owns the private Unix socket over which an operator reads what a module wrote to
// standard output and error, and how its runs ended (docs/reference/commands.md).
//
// That text may hold anything the module knows, so that it never reaches the platform's log. The socket is in
// a folder of mode 0700, and the kernel names each caller's user (unix(7), SO_PEERCRED): root and the
// platform's own are served, everybody else's connection is closed without a word. A module cannot call: it
// has a user of its own where the platform is root, and its sandbox refuses it sockets everywhere.
//
// A caller sends one line of JSON, which names a module, and gets a line of JSON for each piece of output and
// each end of a run.
package modulelogs

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/process"
)

// socketName is the socket's in its folder.
const socketName = "modules.sock"

// Error is a stable code.
type Error string

// Error is what the operator's command prints.
func (e Error) Error() string { return string(e) + ": " + sentences[e] }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrUnavailable: no platform that serves this caller is at the socket.
	ErrUnavailable = Error("MODULE_LOGS_UNAVAILABLE")
	// ErrNotRunning: the platform runs no process for a module of that id.
	ErrNotRunning = Error("MODULE_NOT_INSTALLED")
)

var sentences = map[Error]string{
	ErrUnavailable: "No running platform answers this user; run the command as root or as the platform's " +
		"user, with its SERVICE_API_PORT, and its RUNTIME_DIRECTORY or XDG_RUNTIME_DIR if it has one.",
	ErrNotRunning: "The running platform has no process of that module; see: narthex modules:list",
}

// Folder is where the socket of the platform at this port is: systemd's RUNTIME_DIRECTORY, else a folder
// below XDG_RUNTIME_DIR or /run.
func Folder(lookup func(name string) (string, bool), port int) string {
	if own, _ := lookup("RUNTIME_DIRECTORY"); own != "" {
		first, _, _ := strings.Cut(own, ":") // systemd.exec(5): a list
		return first
	}
	base, _ := lookup("XDG_RUNTIME_DIR")
	if base == "" {
		base = "/run"
	}
	return filepath.Join(base, "narthex-"+strconv.Itoa(port))
}

// Modules finds what a module's process wrote; nil: there is no process of it.
type Modules interface {
	Journal(moduleID string) *process.Journal
}

// Service serves the socket. Where that is not possible it says so in the log, once, and the platform runs
// without it.
type Service struct {
	folder  string
	modules Modules
	log     *zap.Logger
	ready   chan struct{}
	once    sync.Once
}

// New does nothing yet.
func New(folder string, modules Modules, log *zap.Logger) *Service {
	return &Service{folder: folder, modules: modules, log: log, ready: make(chan struct{})}
}

// Ready is closed once callers are served, or it is known that none can be.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String names the service.
func (s *Service) String() string { return "module logs" }

// Serve serves until ctx ends. Then it removes the socket, and ends all connections.
func (s *Service) Serve(ctx context.Context) error {
	listener, remove, err := listen(ctx, s.folder)
	if err != nil {
		reason := "the socket cannot be made"
		if known := refusal(""); errors.As(err, &known) {
			reason = known.Error()
		}
		s.log.Warn("modules:logs cannot be used", zap.String("reason", reason))
		s.once.Do(func() { close(s.ready) })
		<-ctx.Done()
		return ctx.Err()
	}
	defer remove()
	var callers sync.WaitGroup
	defer callers.Wait()
	serving, end := context.WithCancel(ctx)
	defer end()
	stopped := context.AfterFunc(serving, func() { _ = listener.Close() })
	defer stopped()
	s.once.Do(func() { close(s.ready) })
	slots := make(chan struct{}, mostCallers)
	for {
		conn, err := listener.Accept()
		switch {
		case ctx.Err() != nil:
			if conn != nil {
				_ = conn.Close()
			}
			return ctx.Err()
		case err != nil:
			return err
		}
		select {
		case slots <- struct{}{}:
		default:
			_ = conn.Close()
			continue
		}
		callers.Go(func() {
			defer func() { <-slots }()
			s.answer(serving, conn.(*net.UnixConn))
		})
	}
}
