package mail

import (
	"context"
	"errors"
	"net"
	"net/textproto"
)

// SendResult tells how an attempt ended. It is always one of the constants below.
type SendResult string

// Only after Timeout and ConnectionFailed may the server have accepted the message nevertheless.
const (
	Sent                 SendResult = "SENT"                  // accepted for all recipients
	NotConfigured        SendResult = "NOT_CONFIGURED"        // this installation has no mail server
	MessageInvalid       SendResult = "MESSAGE_INVALID"       // the message breaks a rule of Message
	ConnectionFailed     SendResult = "CONNECTION_FAILED"     // no connection, a broken one, or no SMTP
	TLSFailed            SendResult = "TLS_FAILED"            // no trusted encryption; nothing secret was sent
	AuthenticationFailed SendResult = "AUTHENTICATION_FAILED" // user refused, or no safe mechanism
	Rejected             SendResult = "REJECTED"              // session, sender, recipient or message refused
	Deferred             SendResult = "DEFERRED"              // refused for now (SMTP 4xx): send again later
	Timeout              SendResult = "TIMEOUT"               // a limit passed, or the context ended
)

// errRefused marks a failure of a step's own purpose, as opposed to a failure of the connection.
var errRefused = errors.New("mail: refused")

// resultOf turns a step's error into a result. refused is the result for the step's own failure.
func resultOf(ctx context.Context, err error, refused SendResult) SendResult {
	var network net.Error
	var response *textproto.Error
	answered := errors.As(err, &response) && response.Code >= 400
	switch {
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return Timeout
	case errors.Is(err, errRefused), answered && response.Code >= 500:
		return refused
	case answered: // the server itself says that the same may succeed later (RFC 5321 § 4.2.1)
		return Deferred
	}
	return ConnectionFailed
}
