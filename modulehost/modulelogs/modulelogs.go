// Package modulelogs serves a private Unix socket over which an operator reads what a module wrote to
// standard output and error, and how its runs ended (docs/reference/commands.md).
//
// That text may contain anything that the module has access to, so it never reaches the platform's log. The
// socket is in a folder of mode 0700, and the kernel provides each caller's user (unix(7), SO_PEERCRED). Root
// and the platform's own user are served; every other connection is closed without a response. A module
// cannot connect: it has its own user if the platform is root, and its sandbox never allows it sockets.
//
// A caller sends one line of JSON with the module's id, and gets a line of JSON for each piece of output and
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

// socketName is the socket's name in its folder.
const socketName = "modules.sock"

// Error is a stable code.
type Error string

// Error returns the text that the operator's command prints.
func (e Error) Error() string { return string(e) + ": " + sentences[e] }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrUnavailable: there is no socket, or its platform does not serve this caller.
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

// Modules returns the journal of a module's process; nil if it has none.
type Modules interface {
	Journal(moduleID string) *process.Journal
}

// Service serves the socket. If that is not possible, it logs that once, and the platform runs without the
// socket.
type Service struct {
	folder  string
	modules Modules
	log     *zap.Logger
	ready   chan struct{}
	once    sync.Once
}

// New returns a Service. The socket is created by Serve.
func New(folder string, modules Modules, log *zap.Logger) *Service {
	return &Service{folder: folder, modules: modules, log: log, ready: make(chan struct{})}
}

// Ready is closed when callers are served, or when the socket could not be created.
func (s *Service) Ready() <-chan struct{} { return s.ready }

// String returns the service's name.
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
