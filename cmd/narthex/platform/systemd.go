package platform

import (
	"errors"
	"net"

	"github.com/coreos/go-systemd/v22/activation"
)

// InheritedListener is the socket that systemd holds for the platform while it is restarted; nil without
// one. The descriptors do not pass on to modules. A socket that the platform would not serve is refused:
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
		if listener != nil { // nil: no socket that can listen
			_ = listener.Close()
		}
	}
	return nil, errInherited
}

// errInherited has the code of every address that cannot be listened on, and its own words.
var errInherited = inheritedError{}

type inheritedError struct{}

func (inheritedError) Code() string { return "LISTEN_FAILED" }

func (inheritedError) Error() string {
	return "LISTEN_FAILED: systemd handed over something else than one listening TCP socket; " +
		"its socket unit needs one ListenStream= with a port, and no other socket."
}
