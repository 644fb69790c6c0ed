package mail

import (
	"context"
	"errors"
	"net"
	"net/textproto"
)

// SendResult tells how an attempt ended. It is always one of the constants below.
type SendResult string

// Only after Timeout and ConnectionFailed may a message have been taken nevertheless.
const (
	Sent                 SendResult = "SENT"                  // the server took the message for all recipients
	NotConfigured        SendResult = "NOT_CONFIGURED"        // this installation has no mail server
	MessageInvalid       SendResult = "MESSAGE_INVALID"       // the message breaks a rule of Message; nothing was opened
	ConnectionFailed     SendResult = "CONNECTION_FAILED"     // no connection, or it broke, or what came was no SMTP
	TLSFailed            SendResult = "TLS_FAILED"            // no trusted encryption; no password and no message left
	AuthenticationFailed SendResult = "AUTHENTICATION_FAILED" // the user or the way to sign in was refused, by the server or by us
	Rejected             SendResult = "REJECTED"              // the server refused the session, the sender, a recipient or the message
	Timeout              SendResult = "TIMEOUT"               // a limit of time passed, or the caller gave up
)

// errRefused marks that a step failed by what it is for, and not by its connection.
var errRefused = errors.New("mail: refused")

// outcomeOf maps an error of a step: refused is what the step's own failure is called.
func outcomeOf(ctx context.Context, err error, refused SendResult) SendResult {
	var network net.Error
	var answer *textproto.Error
	switch {
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return Timeout
	case errors.Is(err, errRefused), errors.As(err, &answer) && answer.Code >= 400:
		return refused
	}
	return ConnectionFailed
}
