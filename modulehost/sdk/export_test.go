package sdk

import (
	"net"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Fill reads the next piece of a Put's body.
var Fill = fill

// ServeWithin is ServeOn with result as the platform's timeout for a response.
func ServeWithin(
	result time.Duration,
) func(m Module, incoming, outgoing net.Conn, open func(descriptor int) link.Stream) error {
	times := platformTimeouts()
	times.response, times.short = result, result
	return func(m Module, incoming, outgoing net.Conn, open func(descriptor int) link.Stream) error {
		return serveWithin(m, incoming, outgoing, open, times)
	}
}
