// Package mail owns outbound e-mail: what a message may be, the one attempt to hand it to the configured server, and the queue that
// keeps that off the path of a request (spec.md § Outbound email, contract.md §2 and §8).
//
// One attempt is one connection and one transaction, in this order; the first step that fails decides the outcome:
//
//	connect → TLS at once → greeting → EHLO → STARTTLS → AUTH → MAIL, every RCPT, DATA → SENT → QUIT
//
// No name of a server, no address and nothing that a server says leaves this package: a SendResult is all there is to see.
package mail

import (
	"context"
	"crypto/x509"
	"net"
	"os"

	"github.com/narthex-platform/narthex/services/environment"
)

// Sender is what hands a message over.
type Sender interface {
	Send(ctx context.Context, m Message) SendResult
}

// Transport sends messages to the configured server, or to nobody when none is configured. It is safe for concurrent use: every
// message has a connection of its own.
type Transport struct {
	settings environment.Mail
	from     address
	hello    string
	limits   limits
	roots    *x509.CertPool // nil: the system's
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ Sender = (*Transport)(nil)

// New checks the sender's address and opens no connection. Without a host the Transport is complete and answers NotConfigured. The only
// error is environment.ErrSMTP: the sender's address is none that a message can carry, by the rules for recipients.
//
// Without settings.HelloName the server is greeted with the machine's host name, as go-mail's own client does.
func New(settings environment.Mail) (*Transport, error) {
	t := &Transport{settings: settings, hello: settings.HelloName, limits: standardLimits(), dial: new(net.Dialer).DialContext}
	if settings.Host == "" {
		return t, nil
	}
	var ok bool
	if t.from, ok = parseAddress(settings.From); !ok {
		return nil, environment.ErrSMTP
	}
	if t.hello == "" {
		t.hello = machineName()
	}
	return t, nil
}

func machineName() string {
	name, err := os.Hostname()
	if err != nil || !isVisible(name) {
		return "localhost"
	}
	return name
}

// Send makes one attempt to hand m to the server, for all its recipients or none, and tells how it ended. It never panics and takes at
// most 30 s. A ctx that ends first ends the attempt with Timeout, except where the server has accepted the message: that is Sent.
// After Timeout or ConnectionFailed it may be unknown to both sides whether the message was taken; there is no second attempt.
func (t *Transport) Send(ctx context.Context, m Message) (outcome SendResult) {
	defer func() {
		if recover() != nil { // the library reads what a foreign server says
			outcome = ConnectionFailed
		}
	}()
	if t.settings.Host == "" {
		return NotConfigured
	}
	p, ok := t.pack(m)
	if !ok {
		return MessageInvalid
	}
	ctx, cancel := context.WithTimeout(ctx, t.limits.total)
	defer cancel()
	return t.deliver(ctx, p)
}
