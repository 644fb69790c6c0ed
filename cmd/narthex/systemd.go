package main

import (
	"fmt"
	"net"

	"github.com/coreos/go-systemd/v22/activation"

	"github.com/narthex-platform/narthex/services/httpserver"
)

// inheritedListener is the socket that systemd holds for the platform while it is restarted; nil without one. The descriptors do not
// pass on to modules.
func inheritedListener() (net.Listener, error) {
	listeners, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", httpserver.ErrListen, err)
	}
	for _, listener := range listeners {
		if listener != nil {
			return listener, nil
		}
	}
	return nil, nil
}
