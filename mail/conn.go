package mail

import (
	"errors"
	"net"
	"time"

	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// limits bound one attempt to send.
type limits struct {
	connect  time.Duration // resolving the host and connecting, over all its addresses
	greeting time.Duration // then until the greeting has ended, including the handshake of implicit TLS
	socket   time.Duration // one read or write
	quit     time.Duration // QUIT, when the result is known already
	total    time.Duration // the whole attempt
	maxRead  int           // bytes read, TLS included; a long certificate chain takes 10 KiB
}

func standardLimits() limits {
	return limits{
		connect:  10 * time.Second,
		greeting: 10 * time.Second,
		socket:   20 * time.Second,
		quit:     2 * time.Second,
		total:    deadlines.Email,
		maxRead:  64 << 10,
	}
}

var errTooMuchInput = errors.New("mail: the server sends too much")

// boundedConn is the TCP connection to the server, below TLS. The SMTP library reads lines of any length
// and sets no deadlines in the calls used here, so this type limits both. After the first error every
// further call fails with the same error. Otherwise the library would go on: it sends HELO when the
// response to EHLO is lost, and QUIT in the middle of a message, which some servers would then accept as
// complete.
type boundedConn struct {
	net.Conn
	socket  time.Duration
	phase   time.Time // no read or write may end later; zero: no such limit
	maxRead int
	failed  error
}

func (c *boundedConn) Read(p []byte) (int, error) {
	if c.failed == nil && c.maxRead == 0 {
		c.failed = errTooMuchInput
	}
	if c.failed != nil {
		return 0, c.failed
	}
	_ = c.SetReadDeadline(c.deadline()) // if this fails, Read fails too
	n, err := c.Conn.Read(p[:min(len(p), c.maxRead)])
	c.maxRead -= n
	c.failed = err
	return n, err
}

func (c *boundedConn) Write(p []byte) (int, error) {
	if c.failed != nil {
		return 0, c.failed
	}
	_ = c.SetWriteDeadline(c.deadline())
	n, err := c.Conn.Write(p)
	c.failed = err
	return n, err
}

func (c *boundedConn) deadline() time.Time {
	next := time.Now().Add(c.socket)
	if !c.phase.IsZero() && c.phase.Before(next) {
		return c.phase
	}
	return next
}

// limitPhase bounds all reads and writes until its next call. A limit of 0 removes the bound.
func (c *boundedConn) limitPhase(limit time.Duration) {
	c.phase = time.Time{}
	if limit > 0 {
		c.phase = time.Now().Add(limit)
	}
}
