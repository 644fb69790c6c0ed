package e2e

import (
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// mailbox is a mail server that accepts and keeps every email.
type mailbox struct {
	arrived chan email
	taken   []email
}

type email struct {
	to      string
	message []byte
}

// mailbox starts a mail server and makes the installation use it.
func (i *installation) mailbox(t *testing.T) *mailbox {
	t.Helper()
	box := &mailbox{arrived: make(chan email, 100)}
	i.mailServer(t, func(*smtp.Conn) (smtp.Session, error) { return &smtpSession{box: box}, nil })
	return box
}

// mailServer starts a mail server with these sessions and makes the installation use it.
func (i *installation) mailServer(t *testing.T, sessions smtp.BackendFunc) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(sessions)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	i.environment["SERVICE_SMTP_HOST"] = "127.0.0.1"
	i.environment["SERVICE_SMTP_PORT"] = strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	i.environment["SERVICE_SMTP_SECURITY"] = "plaintext"
	i.environment["SERVICE_SMTP_FROM"] = "Church office <office@church.example.org>"
}

// smtpSession is one connection to the mailbox.
type smtpSession struct {
	box *mailbox
	to  []string
}

func (d *smtpSession) Reset()                               { d.to = nil }
func (d *smtpSession) Logout() error                        { return nil }
func (d *smtpSession) Mail(string, *smtp.MailOptions) error { return nil }

// refusedRecipient is an address that the mailbox refuses.
const refusedRecipient = "refused@example.net"

// deferredRecipient is an address that the mailbox does not accept yet, as a server with greylisting does.
const deferredRecipient = "deferred@example.net"

func (d *smtpSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == refusedRecipient {
		return &smtp.SMTPError{Code: 550, Message: "no such recipient"}
	}
	if to == deferredRecipient {
		return &smtp.SMTPError{Code: 451, Message: "greylisted, try again later"}
	}
	d.to = append(d.to, to)
	return nil
}

func (d *smtpSession) Data(r io.Reader) error {
	message, err := io.ReadAll(r)
	if err == nil {
		d.box.arrived <- email{strings.Join(d.to, ","), message}
	}
	return err
}

// next waits for the next email.
func (b *mailbox) next(t *testing.T) email {
	t.Helper()
	select {
	case l := <-b.arrived:
		b.taken = append(b.taken, l)
		return l
	case <-time.After(patience):
		t.Fatal("no mail came")
		return email{}
	}
}

// all counts all emails received so far, by recipient and purpose. Call it only when none is being sent any
// more.
func (b *mailbox) all(t *testing.T, dashboard string) map[string]int {
	t.Helper()
	for len(b.arrived) > 0 {
		b.taken = append(b.taken, <-b.arrived)
	}
	count := make(map[string]int)
	for _, l := range b.taken {
		purpose := "password-changed"
		if !strings.Contains(l.text(t), "every device was signed out") {
			purpose = l.link(t, dashboard).Get("service_auth")
		}
		count[l.to+" "+purpose]++
	}
	return count
}

// token returns the token of the email's link, which must lead to the Dashboard and have this purpose.
func (l email) token(t *testing.T, dashboard, purpose string) string {
	t.Helper()
	query := l.link(t, dashboard)
	if query.Get("service_auth") != purpose || query.Get("token") == "" {
		t.Fatalf("the link's query is %v, want a token and service_auth=%s", query, purpose)
	}
	return query.Get("token")
}

var linkWithQuery = regexp.MustCompile(`https?://\S+\?\S*`)

// link returns the query of the only link with a query in the email's text.
func (l email) link(t *testing.T, dashboard string) url.Values {
	t.Helper()
	text := l.text(t)
	links := linkWithQuery.FindAllString(text, -1)
	if len(links) != 1 {
		t.Fatalf("the mail has %d links with a query, want 1: %q", len(links), text)
	}
	query, found := strings.CutPrefix(links[0], dashboard+"/?")
	values, err := url.ParseQuery(query)
	if !found || err != nil || len(values) != 2 {
		t.Fatalf("the mail's link is %s, want %s/? with two parameters; error %v", links[0], dashboard, err)
	}
	return values
}

// text returns the plain text of the email, the first part if there are several.
func (l email) text(t *testing.T) string {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(string(l.message)))
	if err != nil {
		t.Fatal(err)
	}
	sender, err := message.Header.AddressList("From")
	if err != nil || len(sender) != 1 || sender[0].Address != "office@church.example.org" ||
		sender[0].Name != "Church office" {
		t.Errorf("the sender is %v, want Church office <office@church.example.org>; error %v", sender, err)
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	body := io.Reader(message.Body)
	switch {
	case err != nil:
		t.Fatal(err)
	case strings.HasPrefix(kind, "multipart/"):
		if body, err = multipart.NewReader(message.Body, parameters["boundary"]).NextPart(); err != nil {
			t.Fatal(err)
		}
	case strings.EqualFold(message.Header.Get("Content-Transfer-Encoding"), "quoted-printable"):
		body = quotedprintable.NewReader(message.Body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
