package platform

import (
	"errors"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
)

// InheritedListener returns the socket that systemd keeps open while the platform is restarted; nil without
// one. Modules do not inherit its descriptor. A socket that the platform would not serve is refused, because
// its clients would wait for ever.
func InheritedListener() (net.Listener, error) {
	listeners, err := activation.Listeners()
	if err != nil {
		return nil, errors.Join(errInherited, err)
	}
	if len(listeners) == 0 {
		return nil, nil
	}
	if _, ok := listeners[0].(*net.TCPListener); ok && len(listeners) == 1 {
		return listeners[0], nil
	}
	for _, listener := range listeners {
		if listener != nil { // nil: not a listening socket
			_ = listener.Close()
		}
	}
	return nil, errInherited
}

// errInherited has the code of every address that cannot be listened on, and a message of its own.
var errInherited = inheritedError{}

type inheritedError struct{}

func (inheritedError) Code() string { return "LISTEN_FAILED" }

func (inheritedError) Error() string {
	return "LISTEN_FAILED: systemd handed over something else than one listening TCP socket; " +
		"its socket unit needs one ListenStream= with a port, and no other socket."
}
