package sdk

import (
	"context"
	"errors"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Mail sends e-mail through the installation's mail server, whose name and password a module never learns.
// Safe for concurrent use.
type Mail struct {
	client  *link.Client
	sending semaphore
}

const (
	mailsAtOnce  = 2                // the platform sends no more at the same time for one module
	sendDeadline = 35 * time.Second // the platform's own 30 s come first
)

func newMail(client *link.Client) *Mail {
	return &Mail{client: client, sending: make(semaphore, mailsAtOnce)}
}

// Message is one e-mail. There is no sender: that is the installation's.
//
// An address is ASCII of at most 254 characters, without a quoted local part; a name has at most 200. All
// recipients can read the whole list. The subject is not blank and has at most 200 characters, Text and
// HTML together at most 256 KiB; with both, the reader's program chooses. Control characters are refused
// everywhere but in the two, never stripped.
type Message struct {
	To      []mail.Address // 1 to 50
	Subject string
	Text    string // at least one of the two
	HTML    string
	ReplyTo *mail.Address // nil: replies go to the sender
}

// SendResult tells how an attempt ended. It is always one of the constants below.
type SendResult string

// The results of Send. Only after MailTimeout and MailConnectionFailed may the server have taken the message.
const (
	// the server took the message for all recipients
	MailSent SendResult = "SENT"
	// this installation has no mail server, which is no mistake
	MailNotConfigured SendResult = "NOT_CONFIGURED"
	// the message breaks a rule of Message; nothing was sent
	MailMessageInvalid   SendResult = "MESSAGE_INVALID"
	MailConnectionFailed SendResult = "CONNECTION_FAILED" // no connection, or one that broke
	// no trusted encryption; no password and no message left
	MailTLSFailed            SendResult = "TLS_FAILED"
	MailAuthenticationFailed SendResult = "AUTHENTICATION_FAILED" // the user or the way to sign in was refused
	// the server refused the sender, a recipient or the message
	MailRejected SendResult = "REJECTED"
	MailTimeout  SendResult = "TIMEOUT" // not within 30 s
)

// ErrTooManyMails: the module has used up its 30 attempts of this minute, and this one was not made.
const ErrTooManyMails = Error("TOO_MANY_REQUESTS")

// Send makes one attempt to hand the message to the mail server, for all recipients or none, and returns how
// it ended. It is never repeated. It takes up to 30 s, so call it outside a request's handler where possible.
// Two attempts of a module run at once and further ones wait; 30 a minute are allowed. Every attempt ends
// with a SendResult. An error means that there is no result: ErrTooManyMails, ctx's own, or the platform
// shuts down. After the last two the message may still be sent.
func (m *Mail) Send(ctx context.Context, message Message) (SendResult, error) {
	within, cancel := withCallDeadline(ctx, sendDeadline)
	defer cancel()
	if err := m.sending.acquire(within); err != nil {
		return "", err
	}
	defer m.sending.release()
	var response abi.SendMailResponse
	err := call(within, m.client, abi.Method_METHOD_SEND_MAIL, mailRequest(message), &response)
	switch {
	case err == nil:
		return SendResult(response.GetOutcome()), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, ErrMessageTooLarge),
		errors.Is(err, ErrMessageUnencodable): // no message that is allowed is
		return MailMessageInvalid, nil
	}
	return "", err
}

func mailRequest(m Message) *abi.SendMailRequest {
	request := &abi.SendMailRequest{To: make([]*abi.MailAddress, len(m.To)), Subject: m.Subject, Text: m.Text,
		Html: m.HTML}
	for n, to := range m.To {
		request.To[n] = &abi.MailAddress{Address: to.Address, Name: to.Name}
	}
	if m.ReplyTo != nil {
		request.ReplyTo = &abi.MailAddress{Address: m.ReplyTo.Address, Name: m.ReplyTo.Name}
	}
	return request
}
