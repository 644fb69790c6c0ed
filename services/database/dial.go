package database

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A server whose machine loses power closes no connection. After goneAfter, connections on which a reply or
// an acknowledgement is missing are closed.
const (
	goneAfter     = 15 * time.Second
	probeInterval = 5 * time.Second
)

// dialFunc is how pgx opens a socket.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// dialer returns the net.Dialer for connections to a server. limit is its timeout; with 0 only the context
// limits a dial.
func dialer(limit time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout: limit,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: probeInterval, Interval: probeInterval,
			Count: int(goneAfter/probeInterval) - 1},
		Control: func(_, _ string, raw syscall.RawConn) error {
			var refused error
			err := raw.Control(func(socket uintptr) {
				refused = unix.SetsockoptInt(int(socket), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT,
					int(goneAfter.Milliseconds()))
			})
			if err != nil {
				return err
			}
			return refused
		},
	}
}

// isQuiet reports whether the server has neither closed an idle connection nor sent anything. It queries the
// kernel and needs no round trip. After a restart of PostgreSQL no idle connection is quiet.
func isQuiet(conn net.Conn) bool {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	if known, ok := conn.(*socket); ok {
		conn = known.Conn
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	var nothing bool
	err = raw.Control(func(socket uintptr) {
		var next [1]byte
		_, _, err := unix.Recvfrom(int(socket), next[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		nothing = err == unix.EAGAIN
	})
	return err == nil && nothing
}
