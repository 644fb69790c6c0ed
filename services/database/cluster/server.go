package cluster

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is one postmaster.
type server struct {
	pid   int
	ended chan struct{} // closed when the process has ended and was waited for
}

// launch starts the postmaster. A goroutine waits for its end on the thread that started it.
func launch(h home, programs programs, arguments []string) (*server, error) {
	log, err := h.openLog()
	if err != nil {
		return nil, err
	}
	command := exec.Command(programs.postgres(), arguments...)
	h.prepare(command)
	command.Stdout, command.Stderr = log, log
	s := &server{ended: make(chan struct{})}
	started := make(chan error)
	go onOwnThread(func() {
		defer close(s.ended)
		defer func() { _ = log.Close() }()
		err := command.Start()
		if err == nil {
			s.pid = command.Process.Pid
		}
		started <- err
		if err == nil {
			_ = command.Wait()
		}
	})
	return s, <-started
}

func arguments(h home, port int, options Options) []string {
	settings := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=", // no Unix socket: the platform connects by TCP only
		"max_connections=200",
		"shared_buffers=64MB",
		"timezone=UTC",
		"log_timezone=UTC",
	}
	if options.FsyncOff {
		settings = append(settings, "fsync=off", "full_page_writes=off", "max_wal_size=1GB")
	}
	if options.FsyncOff && !options.Replicated && options.Primary == nil {
		settings = append(settings, "wal_level=minimal", "max_wal_senders=0")
	}
	arguments := []string{"-D", h.data()}
	for _, setting := range settings {
		arguments = append(arguments, "-c", setting)
	}
	return arguments
}

// freePort returns a free port. Another program may take it before the server does; the server then ends
// and the caller tries another port.
func freePort() (int, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// awaitReady waits until the server accepts sessions or has ended.
func (c *Cluster) awaitReady(ctx context.Context) error {
	err := poll(ctx, startDeadline, func() bool {
		return c.server.hasEnded() || c.home.ready(c.server.pid) && accepts(c.port)
	})
	if err == nil && c.server.hasEnded() {
		err = errors.New("the server ended")
	}
	return err
}

// ready reports whether the postmaster calls itself ready, in the last line of postmaster.pid, where pg_ctl
// reads it too.
func (h home) ready(pid int) bool {
	content, err := os.ReadFile(filepath.Join(h.data(), "postmaster.pid"))
	lines := strings.Split(string(content), "\n")
	return err == nil && len(lines) > 7 && lines[0] == strconv.Itoa(pid) &&
		strings.TrimSpace(lines[7]) == "ready"
}

// accepts reports whether the server replies to SSLRequest, the shortest message of the protocol, with
// "no".
func accepts(port int) bool {
	conn, err := net.DialTimeout("tcp4", "127.0.0.1:"+strconv.Itoa(port), time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	reply := make([]byte, 1)
	if _, err := conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
		return false
	}
	_, err = conn.Read(reply)
	return err == nil && reply[0] == 'N'
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// stop requests a fast shutdown, then an immediate one, then kills the server.
func (s *server) stop() error {
	for _, step := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{syscall.SIGINT, fastStop}, {syscall.SIGQUIT, hardStop}, {syscall.SIGKILL, hardStop}} {
		if s.hasEnded() { // another process may have the pid by now
			return nil
		}
		_ = syscall.Kill(s.pid, step.signal)
		select {
		case <-s.ended:
			if step.signal == syscall.SIGKILL {
				return ErrStop
			}
			return nil
		case <-time.After(step.grace):
		}
	}
	return ErrStop
}
