// Package porttest finds ports for programs that tests start.
package porttest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The range is below the one from which Linux assigns ports, so that no connection gets one of them.
const lowest, ports = 20_000, 12_000

// Free returns a port of 127.0.0.1 that nothing listens to. No other test of any process gets it before this
// one ends.
func Free(tb testing.TB) int {
	tb.Helper()
	port, release, err := Hold()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(release)
	return port
}

var errNone = errors.New("no port is free")

// Hold returns a port as Free does, until release. No other test of any process gets it, because each holds
// the UDP port of the same number.
func Hold() (port int, release func(), err error) {
	for range 10 * ports {
		port := lowest + rand.IntN(ports)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			_ = held.Close()
			continue
		}
		_ = listener.Close()
		return port, func() { _ = held.Close() }, nil
	}
	return 0, nil, errNone
}
