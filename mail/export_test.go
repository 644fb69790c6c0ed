package mail

import (
	"context"
	"crypto/x509"
	"net"
	"time"
)

// Limits are the bounds that tests shorten.
type Limits struct{ Connect, Greeting, Socket, Quit, Total time.Duration }

// Shorten replaces the limits that are not zero.
func (t *Transport) Shorten(limits Limits) {
	for _, each := range []struct {
		limit *time.Duration
		value time.Duration
	}{
		{&t.limits.connect, limits.Connect},
		{&t.limits.greeting, limits.Greeting},
		{&t.limits.socket, limits.Socket},
		{&t.limits.quit, limits.Quit},
		{&t.limits.total, limits.Total},
	} {
		if each.value != 0 {
			*each.limit = each.value
		}
	}
}

// MaxRead returns how many bytes a server may send.
func (t *Transport) MaxRead() int { return t.limits.maxRead }

// NewBoundedConn wraps conn with a limit for each read or write and one for all that is read.
func NewBoundedConn(conn net.Conn, socket time.Duration, unread int) net.Conn {
	return &boundedConn{Conn: conn, socket: socket, maxRead: unread}
}

// Trust makes the test's authority the only trusted one.
func (t *Transport) Trust(roots *x509.CertPool) { t.roots = roots }

// DialBy replaces the function that connects to the server.
func (t *Transport) DialBy(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.dial = dial
}

// Render returns the message as it would be sent.
func (t *Transport) Render(m Message) (content []byte, ok bool) {
	p, ok := t.render(m)
	return p.content, ok
}

// Waiting returns how many emails are queued.
func (o *Outbox) Waiting() int { return len(o.queue) }

// Limits returns the bounds in force.
func (t *Transport) Limits() Limits {
	return Limits{t.limits.connect, t.limits.greeting, t.limits.socket, t.limits.quit, t.limits.total}
}
