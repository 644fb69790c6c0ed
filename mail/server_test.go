package mail_test

import (
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

const (
	user     = "narthex@example.org"
	password = "Korrekt-Pferd-8731"
)

// mailServer is a real mail server and a record of what it received.
type mailServer struct {
	refuseSender    bool
	refuseRecipient string // only this one

	listener net.Listener
	server   *smtp.Server

	mu sync.Mutex
	record
}

// record is what a mailServer has received so far.
type record struct {
	hellos   []string
	attempts int        // to sign in
	senders  int        // MAIL commands
	mails    []delivery // that were accepted
}

type delivery struct {
	from    string
	to      []string
	content []byte
	user    string
	tls     bool
}

// startMailServer starts a server. encryption may be nil; with implicit, TLS starts with the first byte.
func startMailServer(t *testing.T, encryption *tls.Config, implicit bool) *mailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	in := &mailServer{listener: listener}
	in.server = smtp.NewServer(smtp.BackendFunc(in.newSession))
	in.server.Domain = host
	in.server.AllowInsecureAuth = true // so that only the client can refuse
	in.server.EnableSMTPUTF8 = true
	in.server.ErrorLog = log.New(io.Discard, "", 0)
	if implicit {
		listener = tls.NewListener(listener, encryption)
	} else {
		in.server.TLSConfig = encryption
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = in.server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = in.server.Close()
		<-ended
	})
	return in
}

func (in *mailServer) newSession(c *smtp.Conn) (smtp.Session, error) {
	_, encrypted := c.TLSConnectionState()
	in.mu.Lock()
	defer in.mu.Unlock()
	in.hellos = append(in.hellos, c.Hostname())
	return &serverSession{server: in, delivery: delivery{tls: encrypted}}, nil
}

// seen returns a copy of the record.
func (in *mailServer) seen() record {
	in.mu.Lock()
	defer in.mu.Unlock()
	r := in.record
	r.hellos, r.mails = slices.Clone(r.hellos), slices.Clone(r.mails)
	return r
}

// assertCounts checks how many attempts to sign in, MAIL commands and accepted mails there were.
func (in *mailServer) assertCounts(t *testing.T, attempts, senders, mails int) {
	t.Helper()
	if r := in.seen(); r.attempts != attempts || r.senders != senders || len(r.mails) != mails {
		t.Errorf("%d attempts to sign in, %d senders, %d mails; want %d, %d, %d", r.attempts, r.senders,
			len(r.mails), attempts, senders, mails)
	}
}

// serverSession is one session on a mailServer.
type serverSession struct {
	server *mailServer
	delivery
}

func (v *serverSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (v *serverSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, secret string) error {
		v.server.mu.Lock()
		defer v.server.mu.Unlock()
		v.server.attempts++
		if name != user || secret != password {
			return smtp.ErrAuthFailed
		}
		v.user = name
		return nil
	}), nil
}

func (v *serverSession) Mail(from string, options *smtp.MailOptions) error {
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	v.server.senders++
	if v.server.refuseSender {
		return &smtp.SMTPError{Code: 550, Message: "marked-server-text"}
	}
	if options.UTF8 {
		return errors.New("SMTPUTF8 was asked for")
	}
	v.from = from
	return nil
}

func (v *serverSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == v.server.refuseRecipient {
		return &smtp.SMTPError{Code: 550, Message: "marked-server-text"}
	}
	v.to = append(v.to, to)
	return nil
}

func (v *serverSession) Data(r io.Reader) error {
	content, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	v.content = content
	v.server.mails = append(v.server.mails, v.delivery)
	return nil
}

func (v *serverSession) Reset()        { v.delivery = delivery{user: v.user, tls: v.tls} }
func (v *serverSession) Logout() error { return nil }
