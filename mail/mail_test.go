package mail_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/environment"
)

func TestWithoutAServerItIsComplete(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(environment.Mail{})
	if err != nil {
		t.Fatal(err)
	}
	if outcome := transport.Send(t.Context(), letter()); outcome != mail.NotConfigured {
		t.Error(outcome)
	}
}

func TestASenderThatNoMessageCanCarryIsRefused(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", "office", "büro@example.org", "office@exämple.org", `"a b"@example.org`, "a@example.org\r\nX: y"} {
		s := settings(environment.StartTLS)
		s.From = from
		if _, err := mail.New(s); err != environment.ErrSMTP {
			t.Errorf("%q: %v", from, err)
		}
	}
}

// TestSendsUnderTLS also holds that the password and the message are nowhere on the wire below TLS.
func TestSendsUnderTLS(t *testing.T) {
	t.Parallel()
	for name, security := range map[string]environment.MailSecurity{"starttls": environment.StartTLS, "tls": environment.ImplicitTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ca := newAuthority(t)
			in := newInbox(t, ca.config(t, host, time.Hour), security == environment.ImplicitTLS)
			transport, way := newTransport(t, settings(security), in.listener)
			transport.Trust(ca.roots())
			if outcome := send(t, transport, letter()); outcome != mail.Sent {
				t.Fatal(outcome)
			}
			in.check(t, 1, 1, 1)
			happened := in.happened()
			got := happened.mails[0]
			if !got.tls || got.user != user || got.from != "office@example.org" || !slices.Equal(got.to, []string{"anna@example.net"}) {
				t.Errorf("%+v", got)
			}
			for _, hello := range happened.hellos {
				if hello != "narthex.example.org" {
					t.Errorf("it called itself %q", hello)
				}
			}
			for _, word := range []string{"AUTH", "MAIL FROM", "marked-body"} {
				if bytes.Contains(way.sent(), []byte(word)) {
					t.Errorf("%q was readable on the way", word)
				}
			}
			way.checkOnce(t)
		})
	}
}

func TestPlaintextWithoutAUserSends(t *testing.T) {
	t.Parallel()
	in := newInbox(t, nil, false)
	transport, way := newTransport(t, plaintext(), in.listener)
	if outcome := send(t, transport, letter()); outcome != mail.Sent {
		t.Error(outcome)
	}
	in.check(t, 0, 1, 1)
	way.checkOnce(t)
}

func TestAPasswordCrossesNoNetworkInPlaintext(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			st := play(t, script{"EHLO": say("250-there\r\n250 AUTH " + mechanism)}, nil)
			transport, way := newTransport(t, settings(environment.PlaintextMail), st)
			if outcome := send(t, transport, letter()); outcome != mail.AuthenticationFailed {
				t.Error(outcome)
			}
			st.checkNever(t, "AUTH", "MAIL", "RCPT", "DATA")
			way.checkOnce(t)
		})
	}
}

// TestPlaintextSignsInOnThisMachine also takes the real way: no dial of the test's.
func TestPlaintextSignsInOnThisMachine(t *testing.T) {
	t.Parallel()
	in := newInbox(t, nil, false)
	s := settings(environment.PlaintextMail)
	s.Host, s.Port = "127.0.0.1", uint16(in.listener.Addr().(*net.TCPAddr).Port)
	transport, err := mail.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if outcome := send(t, transport, letter()); outcome != mail.Sent {
		t.Fatal(outcome)
	}
	if mails := in.happened().mails; len(mails) != 1 || mails[0].user != user {
		t.Errorf("%+v", mails)
	}
}

func TestWithoutAHelloNameItIsTheMachines(t *testing.T) {
	t.Parallel()
	in := newInbox(t, nil, false)
	s := plaintext()
	s.HelloName = ""
	transport, _ := newTransport(t, s, in.listener)
	if outcome := send(t, transport, letter()); outcome != mail.Sent {
		t.Fatal(outcome)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	happened := in.happened()
	if !slices.Equal(happened.hellos, []string{name}) {
		t.Errorf("%q", happened.hellos)
	}
	checkHeader(t, open(t, happened.mails[0].content).header, letter()) // where no name of a machine has a place
}

func TestNoTrustNoMail(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	old := ca.config(t, host, time.Hour)
	old.MaxVersion = tls.VersionTLS11
	old.MinVersion = tls.VersionTLS10
	for name, config := range map[string]*tls.Config{
		"wrong name":        ca.config(t, "mail.example.com", time.Hour),
		"unknown authority": other.config(t, host, time.Hour),
		"expired":           ca.config(t, host, -time.Minute),
		"TLS 1.1":           old,
	} {
		for mode, security := range map[string]environment.MailSecurity{"starttls": environment.StartTLS, "tls": environment.ImplicitTLS} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				in := newInbox(t, config, security == environment.ImplicitTLS)
				transport, way := newTransport(t, settings(security), in.listener)
				transport.Trust(ca.roots())
				if outcome := send(t, transport, letter()); outcome != mail.TLSFailed {
					t.Error(outcome)
				}
				in.check(t, 0, 0, 0)
				way.checkOnce(t)
			})
		}
	}
}

func TestAWrongPasswordSendsNothing(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := newInbox(t, ca.config(t, host, time.Hour), false)
	s := settings(environment.StartTLS)
	s.Password = environment.NewSecret("wrong")
	transport, way := newTransport(t, s, in.listener)
	transport.Trust(ca.roots())
	if outcome := send(t, transport, letter()); outcome != mail.AuthenticationFailed {
		t.Error(outcome)
	}
	in.check(t, 1, 0, 0)
	way.checkOnce(t)
}

func TestOneRefusalStopsTheMessageForAll(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*inbox){
		"sender":           func(in *inbox) { in.refuseSender = true },
		"first recipient":  func(in *inbox) { in.refuseRecipient = "anna@example.net" },
		"second recipient": func(in *inbox) { in.refuseRecipient = "bert@example.net" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := newInbox(t, nil, false)
			refuse(in)
			transport, way := newTransport(t, plaintext(), in.listener)
			m := letter()
			m.To = append(m.To, "bert@example.net")
			if outcome := send(t, transport, m); outcome != mail.Rejected {
				t.Error(outcome)
			}
			in.check(t, 0, 1, 0)
			if bytes.Contains(way.sent(), []byte("DATA")) {
				t.Error("a message was begun")
			}
			way.checkOnce(t)
		})
	}
}

func TestManyAtOnceDoNotMix(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := newInbox(t, ca.config(t, host, time.Hour), false)
	transport, way := newTransport(t, settings(environment.StartTLS), in.listener)
	transport.Trust(ca.roots())
	const many = 20
	var senders sync.WaitGroup
	for i := range many {
		senders.Go(func() {
			m := mail.Message{To: []string{fmt.Sprintf("p%d@example.net", i)}, Subject: "Hello", Text: fmt.Sprintf("for %d.", i)}
			if outcome := transport.Send(t.Context(), m); outcome != mail.Sent {
				t.Error(outcome)
			}
		})
	}
	senders.Wait()
	mails := in.happened().mails
	ids := make(map[string]bool)
	for _, got := range mails {
		opened := open(t, got.content)
		ids[opened.header.Get("Message-ID")] = true
		number := strings.TrimPrefix(strings.TrimSuffix(got.to[0], "@example.net"), "p")
		if text := opened.text; text != "for "+number+".\r\n" || len(got.to) != 1 {
			t.Errorf("%q got %q", got.to, text)
		}
	}
	if len(mails) != many || len(ids) != many || way.opened != many {
		t.Errorf("%d mails, %d ids, %d connections", len(mails), len(ids), way.opened)
	}
}
