// Package porttest finds ports for programs that tests start.
package porttest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The range is below the one from which Linux assigns ports, so that no connection gets one of them.
const lowest, ports = 20_000, 12_000

// Free returns a port of 127.0.0.1 that nothing listens to. No other test of any process gets it before this
// one ends, because each holds the UDP port of the same number.
func Free(tb testing.TB) int {
	tb.Helper()
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
		tb.Cleanup(func() { _ = held.Close() })
		return port
	}
	tb.Fatal("no port is free")
	return 0
}
