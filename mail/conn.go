package mail

import (
	"errors"
	"net"
	"time"
)

// limits are the bounds of one attempt.
type limits struct {
	connect  time.Duration // finding the host and opening a connection, over all its addresses
	greeting time.Duration // from there to the greeting's last line, with the TLS handshake where TLS comes first
	socket   time.Duration // one read or write
	quit     time.Duration // the good-bye, when the outcome is known already
	total    time.Duration // all of it
	unread   int           // bytes that a server may say, with what TLS adds: a long certificate chain has 10 KiB
}

// standardLimits are contract.md §8's.
func standardLimits() limits {
	return limits{
		connect:  10 * time.Second,
		greeting: 10 * time.Second,
		socket:   20 * time.Second,
		quit:     2 * time.Second,
		total:    30 * time.Second,
		unread:   64 << 10,
	}
}

var errTalkative = errors.New("mail: the server says too much")

// line is the connection to the server, below TLS. The library reads lines of any length and sets no deadline in the steps used here,
// so the bounds are the line's. A line that failed stays failed: the library goes on after some errors, with a HELO after a lost EHLO,
// or with a good-bye that would end half a message as if it were whole.
type line struct {
	net.Conn
	socket time.Duration
	phase  time.Time // no read or write lasts longer than this; zero: no such bound
	unread int
	failed error
}

func (l *line) Read(p []byte) (int, error) {
	if l.failed == nil && l.unread == 0 {
		l.failed = errTalkative
	}
	if l.failed != nil {
		return 0, l.failed
	}
	_ = l.SetReadDeadline(l.deadline()) // fails where Read does
	n, err := l.Conn.Read(p[:min(len(p), l.unread)])
	l.unread -= n
	l.failed = err
	return n, err
}

func (l *line) Write(p []byte) (int, error) {
	if l.failed != nil {
		return 0, l.failed
	}
	_ = l.SetWriteDeadline(l.deadline())
	n, err := l.Conn.Write(p)
	l.failed = err
	return n, err
}

func (l *line) deadline() time.Time {
	next := time.Now().Add(l.socket)
	if !l.phase.IsZero() && l.phase.Before(next) {
		return l.phase
	}
	return next
}

// within bounds all that follows, until the next call; 0 takes the bound away.
func (l *line) within(limit time.Duration) {
	l.phase = time.Time{}
	if limit > 0 {
		l.phase = time.Now().Add(limit)
	}
}
