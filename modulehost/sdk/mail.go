package sdk

import (
	"context"
	"errors"
	"net/mail"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Mail sends e-mail through the installation's mail server. The module never learns the server's address or
// password. Safe for concurrent use.
type Mail struct {
	client  *link.Client
	sending semaphore
}

const (
	mailsAtOnce  = 2                // the platform sends no more at once for one module
	sendDeadline = 35 * time.Second // longer than the platform's own 30 s
)

func newMail(client *link.Client) *Mail {
	return &Mail{client: client, sending: make(semaphore, mailsAtOnce)}
}

// Message is one e-mail. The sender is the installation's and cannot be set.
//
// An address is ASCII of at most 254 characters, without a quoted local part; a name has at most 200. All
// recipients can read the whole list. The subject is not blank and has at most 200 characters. Text and HTML
// have together at most 256 KiB; if both are set, the recipient's mail program chooses one. Control
// characters outside Text and HTML are refused, never stripped.
//
// A message without HTML gets an HTML part with the same words from the platform, in the house's colour and
// under its name. In Text an empty line ends a paragraph, "- " begins an item of a list, and a line above a
// list is its heading. A line that ends with a colon, above a web address on a line of its own, becomes a
// button. What follows a line "-- " is the signature; the house's name is added to it.
type Message struct {
	To      []mail.Address // 1 to 50
	Subject string
	Text    string // Text or HTML must be set, or both
	HTML    string
	ReplyTo *mail.Address // nil: replies go to the sender
	// Language is that of Text, such as "de"; "": the language of the house.
	Language string
}

// SendResult is the result of an attempt to send, always one of the constants below.
type SendResult string

// The results of Send. The server may have accepted the message after MailTimeout and MailConnectionFailed,
// but after no other failure.
const (
	// the server accepted the message for all recipients
	MailSent SendResult = "SENT"
	// this installation has no mail server, which is allowed
	MailNotConfigured SendResult = "NOT_CONFIGURED"
	// the message breaks a rule of Message; nothing was sent
	MailMessageInvalid   SendResult = "MESSAGE_INVALID"
	MailConnectionFailed SendResult = "CONNECTION_FAILED" // connecting failed, or the connection broke
	// no trusted encryption; neither the password nor the message was sent
	MailTLSFailed            SendResult = "TLS_FAILED"
	MailAuthenticationFailed SendResult = "AUTHENTICATION_FAILED" // the server refused the user or the method
	// the server refused the sender, a recipient or the message
	MailRejected SendResult = "REJECTED"
	// the server has not accepted the message yet, as with greylisting: send it again later
	MailDeferred SendResult = "DEFERRED"
	MailTimeout  SendResult = "TIMEOUT" // not within 30 s
)

// ErrTooManyMails: the module has made its 30 attempts of this minute. Nothing was sent.
const ErrTooManyMails = Error("TOO_MANY_REQUESTS")

// Send makes one attempt to hand the message to the mail server, for all recipients or none, and returns the
// result. It never tries again. It takes up to 30 s, so call it outside a request's handler where possible. A
// module has at most two attempts in progress, further ones wait; 30 a minute are allowed. Every attempt has
// a SendResult. An error means that there is none: ErrTooManyMails, ctx's own, or an error because the
// platform shuts down. After the last two the message may still be sent.
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
		errors.Is(err, ErrMessageUnencodable): // no valid message can cause these
		return MailMessageInvalid, nil
	}
	return "", err
}

func mailRequest(m Message) *abi.SendMailRequest {
	request := &abi.SendMailRequest{To: make([]*abi.MailAddress, len(m.To)), Subject: m.Subject, Text: m.Text,
		Html: m.HTML, Language: m.Language}
	for n, to := range m.To {
		request.To[n] = &abi.MailAddress{Address: to.Address, Name: to.Name}
	}
	if m.ReplyTo != nil {
		request.ReplyTo = &abi.MailAddress{Address: m.ReplyTo.Address, Name: m.ReplyTo.Name}
	}
	return request
}
