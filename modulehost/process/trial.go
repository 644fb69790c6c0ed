package process

import (
	"context"
	"net"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// These methods are for a trial of a module, which checks how the module behaves after failures. The platform
// itself does not use them.

// Kill kills the process of the current run, as the kernel does when memory runs out. It returns false if no
// run is ready.
func (p *Process) Kill() bool {
	l := p.enter()
	if l == nil {
		return false
	}
	defer l.inFlight.Done()
	l.child.signal(unix.SIGKILL)
	return true
}

// HangUp closes both links of the current run and does not touch the process until Deadlines.Exit: a module
// whose host is gone exits by itself. It returns false if no run is ready.
func (p *Process) HangUp() bool {
	l := p.enter()
	if l == nil {
		return false
	}
	defer l.inFlight.Done()
	_ = l.child.moduleCalls.Close()
	_ = l.calls.Close()
	return true
}

// Ping pings the module of the current run, and looks whether it has closed the link of its own calls. ctx
// must have a deadline. Its error is ErrUnavailable, link.ErrLost or ctx's own.
func (p *Process) Ping(ctx context.Context) error {
	l := p.enter()
	if l == nil {
		return p.unavailable()
	}
	defer l.inFlight.Done()
	if err := l.calls.Ping(ctx); err != nil {
		return err
	}
	return closedByPeer(l.child.moduleCalls)
}

// closedByPeer returns link.ErrLost if the other end of a socket is closed, whatever was sent before.
func closedByPeer(conn net.Conn) error {
	socket, known := conn.(syscall.Conn)
	if !known {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return link.ErrLost
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		_, failed := unix.Poll(polled, 0)
		closed = failed == nil && polled[0].Revents&(unix.POLLRDHUP|unix.POLLHUP) != 0
	})
	if err != nil || closed {
		return link.ErrLost
	}
	return nil
}

// Capabilities returns the registered capabilities. See Routes.
func (p *Process) Capabilities() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetCapabilities()
}

// Unfinished returns how many calls of the current run were abandoned and have neither a response nor an end.
// ready is false if no run is ready.
func (p *Process) Unfinished() (calls int, ready bool) {
	l := p.enter()
	if l == nil {
		return 0, false
	}
	defer l.inFlight.Done()
	return l.calls.Abandoned(), true
}
