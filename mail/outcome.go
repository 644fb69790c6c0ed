package mail

import (
	"context"
	"errors"
	"net"
	"net/textproto"
)

// Outcome is how an attempt ended (contract.md §8). The list is closed.
type Outcome string

// The outcomes. Only after Timeout and ConnectionFailed may a message have been taken nevertheless.
const (
	Sent                 Outcome = "SENT"                  // the server took the message for all recipients
	NotConfigured        Outcome = "NOT_CONFIGURED"        // this installation has no mail server
	MessageInvalid       Outcome = "MESSAGE_INVALID"       // the message breaks a rule of Message; nothing was opened
	ConnectionFailed     Outcome = "CONNECTION_FAILED"     // no connection, or it broke, or what came was no SMTP
	TLSFailed            Outcome = "TLS_FAILED"            // no trusted encryption; no password and no message left
	AuthenticationFailed Outcome = "AUTHENTICATION_FAILED" // the user or the way to sign in was refused, by the server or by us
	Rejected             Outcome = "REJECTED"              // the server refused the session, the sender, a recipient or the message
	Timeout              Outcome = "TIMEOUT"               // a limit of time passed, or the caller gave up
)

// errRefused marks that a step failed by what it is for, and not by its connection.
var errRefused = errors.New("mail: refused")

// outcomeOf maps an error of a step: refused is what the step's own failure is called.
func outcomeOf(ctx context.Context, err error, refused Outcome) Outcome {
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
