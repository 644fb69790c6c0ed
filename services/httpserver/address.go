package httpserver

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// listenError is ErrListen with what the operating system refused.
type listenError struct{ cause error }

func (e listenError) Code() string    { return ErrListen.Code() }
func (e listenError) Unwrap() []error { return []error{ErrListen, e.cause} }

func (e listenError) Error() string {
	switch {
	case errors.Is(e.cause, syscall.EADDRINUSE):
		return string(ErrListen) + ": Another program has the address of SERVICE_API_HOST and SERVICE_API_PORT; " +
			"stop it (ss -ltnp as root names it), or choose another address."
	case errors.Is(e.cause, syscall.EADDRNOTAVAIL):
		return string(ErrListen) + ": SERVICE_API_HOST is no address of this machine; correct it."
	case errors.Is(e.cause, fs.ErrPermission):
		return string(ErrListen) + ": This user may not listen on SERVICE_API_PORT; choose a port from 1024 on, " +
			"or give the program CAP_NET_BIND_SERVICE."
	}
	return ErrListen.Error()
}

// errBound ends TryListen when the address could be bound.
var errBound = errors.New("bound")

// TryListen reports whether a Listener could listen on the address. It binds the address as a Listener does,
// and closes the socket without listening, so that it is in the way of no Listener that starts at the same
// time: Linux lets sockets with SO_REUSEADDR bind an address that none of them listens on. The error is
// ErrListen.
func TryListen(ctx context.Context, address string) error {
	config := listenConfig()
	config.Control = func(network, address string, socket syscall.RawConn) (err error) {
		if outer := socket.Control(func(fd uintptr) { err = bind(int(fd), network, address) }); outer != nil {
			return outer
		}
		if err == nil {
			err = errBound
		}
		return err
	}
	_, err := config.Listen(ctx, "tcp", address)
	if errors.Is(err, errBound) {
		return nil
	}
	return listenError{err}
}

func bind(fd int, network, text string) error {
	address, err := netip.ParseAddrPort(text)
	if err != nil {
		return err
	}
	if network == "tcp4" {
		return unix.Bind(fd, &unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()})
	}
	wanted := &unix.SockaddrInet6{Port: int(address.Port())}
	if !address.Addr().IsUnspecified() { // 0.0.0.0 is a socket for both versions, too
		wanted.Addr = address.Addr().As16()
	}
	if zone := address.Addr().Zone(); zone != "" {
		link, err := net.InterfaceByName(zone)
		if err != nil {
			return err
		}
		wanted.ZoneId = uint32(link.Index)
	}
	return unix.Bind(fd, wanted)
}
