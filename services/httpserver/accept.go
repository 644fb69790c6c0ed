package httpserver

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

const (
	shortestPause = 5 * time.Millisecond
	longestPause  = time.Second
)

// Accept returns the next connection for which there is room. It returns net.ErrClosed when no more
// connections are accepted.
func (a *connections) Accept() (net.Conn, error) {
	for {
		socket, err := a.next()
		if err != nil {
			return nil, err
		}
		if c := a.addConnection(socket); c != nil {
			return c, nil
		}
		a.logEvent(noRoomLine)
		_ = socket.Close()
	}
}

// next accepts a socket. After a temporary failure, such as no free descriptors, it tries again with growing
// pauses. Meanwhile clients wait in the kernel's queue.
func (a *connections) next() (net.Conn, error) {
	pause := shortestPause
	for {
		socket, err := a.Listener.Accept()
		switch {
		case err == nil:
			return socket, nil
		case a.halted():
			if err = a.acceptRemaining(err); err != nil {
				return nil, err
			}
			continue
		case isClosed(err):
			return nil, err
		}
		a.logEvent(acceptLine)
		select {
		case <-time.After(pause):
		case <-a.halt:
		}
		pause = min(2*pause, longestPause)
	}
}

// isClosed reports whether the error means that the listener will never accept again.
func isClosed(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.EINVAL) ||
		errors.Is(err, syscall.ENOTSOCK)
}

// stopAccepting makes Accept end, after it has accepted all connections in the kernel's queue: their clients
// have already completed the handshake.
func (a *connections) stopAccepting() {
	a.headsDue = time.Now().Add(a.limits.stopHeader)
	a.stopping.Store(true)
	close(a.halt)
	if listener, ok := a.Listener.(deadlined); !ok || listener.SetDeadline(past) != nil {
		_ = a.Listener.Close() // the error does not matter: Accept ends in any case
	}
}

type deadlined interface{ SetDeadline(time.Time) error }

func (a *connections) halted() bool {
	select {
	case <-a.halt:
		return true
	default:
		return false
	}
}

// acceptRemaining is called after a failed accept of a halted listener. If it returns nil, next accepts once
// more.
func (a *connections) acceptRemaining(failure error) error {
	listener, ok := a.Listener.(deadlined)
	if !ok || !errors.Is(failure, os.ErrDeadlineExceeded) || a.draining && !a.hasPending() {
		_ = a.Listener.Close()
		return net.ErrClosed
	}
	wait := shortestPause
	if !a.draining && !a.inherited { // an inherited socket stays open for the next process
		refuseNew(a.Listener)
		wait = a.limits.handshake
	}
	a.draining = true
	return listener.SetDeadline(time.Now().Add(wait))
}

// hasPending reports whether the kernel's queue has a connection to accept.
func (a *connections) hasPending() (waits bool) {
	if raw := rawListener(a.Listener); raw != nil {
		_ = raw.Control(func(fd uintptr) { waits = readable(fd) })
	}
	return waits
}

func rawListener(listener net.Listener) syscall.RawConn {
	holder, ok := listener.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := holder.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
