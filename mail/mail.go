// Package mail owns outbound email: which messages are valid, the single attempt to hand one to the
// configured server, and the queue that sends emails outside of requests.
//
// One attempt is one connection and one transaction, in this order. The first step that fails decides the
// result:
//
//	connect → TLS → greeting → EHLO → STARTTLS → AUTH → MAIL, every RCPT, DATA → SENT → QUIT
//
// Callers and logs see only a SendResult: never the server's name, an address, or text from the server.
package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"os"

	"github.com/narthex-platform/narthex/supervisor/setting"
)

// Sender makes one attempt to send a message.
type Sender interface {
	Send(ctx context.Context, m Message) SendResult
}

// Transport sends messages to the configured server. It is safe for concurrent use: every message has its own
// connection.
type Transport struct {
	settings setting.Mail
	from     address
	hello    string
	limits   limits
	roots    *x509.CertPool // nil: the system's
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ Sender = (*Transport)(nil)

// ErrSettings: nothing can be sent with the settings.
var ErrSettings = errors.New("mail: the settings are not valid")

// New checks the sender's address and opens no connection. If settings have no host, every Send returns
// NotConfigured. The only error is ErrSettings: the sender's address breaks the rules for recipients.
//
// Without settings.HelloName, EHLO contains the machine's host name, as with go-mail's own client.
func New(settings setting.Mail) (*Transport, error) {
	t := &Transport{
		settings: settings,
		hello:    settings.HelloName,
		limits:   standardLimits(),
		dial:     new(net.Dialer).DialContext,
	}
	if settings.Host == "" {
		return t, nil
	}
	var ok bool
	if t.from, ok = parseAddress(settings.From); !ok {
		return nil, ErrSettings
	}
	if t.hello == "" {
		t.hello = machineName()
	}
	return t, nil
}

func machineName() string {
	name, err := os.Hostname()
	if err != nil || !isVisibleASCII(name) {
		return "localhost"
	}
	return name
}

// Send makes one attempt to hand m to the server, for all of its recipients or none, and returns the
// result. It never panics and takes at most 30 s. If ctx ends first, the result is Timeout, unless the
// server has already accepted the message: then it is Sent. After Timeout or ConnectionFailed the server
// may have accepted the message nevertheless. There is no second attempt.
func (t *Transport) Send(ctx context.Context, m Message) (result SendResult) {
	defer func() {
		if recover() != nil { // the library parses input from a foreign server
			result = ConnectionFailed
		}
	}()
	if t.settings.Host == "" {
		return NotConfigured
	}
	r, ok := t.render(m)
	if !ok {
		return MessageInvalid
	}
	ctx, cancel := context.WithTimeout(ctx, t.limits.total)
	defer cancel()
	return t.deliver(ctx, r)
}
