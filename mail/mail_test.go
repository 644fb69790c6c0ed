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
	"github.com/narthex-platform/narthex/supervisor/setting"
)

func TestWithoutHostNothingIsSent(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(setting.Mail{})
	if err != nil {
		t.Fatal(err)
	}
	if result := transport.Send(t.Context(), testMessage()); result != mail.NotConfigured {
		t.Error("Send returned the wrong result:", result)
	}
}

func TestInvalidSenderIsRefused(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"", "office", "büro@example.org", "office@exämple.org", `"a b"@example.org`,
		"a@example.org\r\nX: y"} {
		s := settings(setting.StartTLS)
		s.From = from
		if _, err := mail.New(s); err != mail.ErrSettings {
			t.Errorf("New with the sender %q: error %v, want %v", from, err, mail.ErrSettings)
		}
	}
}

// TestSendsUnderTLS also checks that neither the password nor the message is readable on the wire below TLS.
func TestSendsUnderTLS(t *testing.T) {
	t.Parallel()
	for name, security := range map[string]setting.MailSecurity{"starttls": setting.StartTLS,
		"tls": setting.ImplicitTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ca := newAuthority(t)
			in := startMailServer(t, ca.config(t, host, time.Hour), security == setting.ImplicitTLS)
			transport, dialer := newTransport(t, settings(security), in.listener)
			transport.Trust(ca.roots())
			if result := send(t, transport, testMessage()); result != mail.Sent {
				t.Fatal("Send returned the wrong result:", result)
			}
			in.assertCounts(t, 1, 1, 1)
			seen := in.seen()
			got := seen.mails[0]
			if !got.tls || got.user != user || got.from != "office@example.org" ||
				!slices.Equal(got.to, []string{"anna@example.net"}) {
				t.Errorf("received %+v, want it over TLS, as %s, from office@example.org to anna@example.net",
					got, user)
			}
			for _, hello := range seen.hellos {
				if hello != "narthex.example.org" {
					t.Errorf("EHLO with %q, want narthex.example.org", hello)
				}
			}
			for _, word := range []string{"AUTH", "MAIL FROM", "marked-body"} {
				if bytes.Contains(dialer.written(), []byte(word)) {
					t.Errorf("%q was readable on the wire, want it under TLS", word)
				}
			}
			dialer.assertOneConnection(t)
		})
	}
}

func TestPlaintextWithoutAUserSends(t *testing.T) {
	t.Parallel()
	in := startMailServer(t, nil, false)
	transport, dialer := newTransport(t, plaintext(), in.listener)
	if result := send(t, transport, testMessage()); result != mail.Sent {
		t.Error("Send returned the wrong result:", result)
	}
	in.assertCounts(t, 0, 1, 1)
	dialer.assertOneConnection(t)
}

func TestNoPasswordInPlaintext(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			server := startScripted(t, script{"EHLO": reply("250-there\r\n250 AUTH " + mechanism)}, nil)
			transport, dialer := newTransport(t, settings(setting.PlaintextMail), server)
			if result := send(t, transport, testMessage()); result != mail.AuthenticationFailed {
				t.Error("Send returned the wrong result:", result)
			}
			server.assertNever(t, "AUTH", "MAIL", "RCPT", "DATA")
			dialer.assertOneConnection(t)
		})
	}
}

// TestPlaintextAuthenticatesOnLoopback also uses the transport's own dial function, not a test's.
func TestPlaintextAuthenticatesOnLoopback(t *testing.T) {
	t.Parallel()
	in := startMailServer(t, nil, false)
	s := settings(setting.PlaintextMail)
	s.Host, s.Port = "127.0.0.1", uint16(in.listener.Addr().(*net.TCPAddr).Port)
	transport, err := mail.New(s)
	if err != nil {
		t.Fatal(err)
	}
	if result := send(t, transport, testMessage()); result != mail.Sent {
		t.Fatal("Send returned the wrong result:", result)
	}
	if mails := in.seen().mails; len(mails) != 1 || mails[0].user != user {
		t.Errorf("received %+v, want one mail as %s", mails, user)
	}
}

func TestDefaultHelloIsTheHostName(t *testing.T) {
	t.Parallel()
	in := startMailServer(t, nil, false)
	s := plaintext()
	s.HelloName = ""
	transport, _ := newTransport(t, s, in.listener)
	if result := send(t, transport, testMessage()); result != mail.Sent {
		t.Fatal("Send returned the wrong result:", result)
	}
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	seen := in.seen()
	if !slices.Equal(seen.hellos, []string{name}) {
		t.Errorf("EHLO with %q, want %q", seen.hellos, []string{name})
	}
	assertHeader(
		t,
		parseMessage(t, seen.mails[0].content).header,
		testMessage(),
	) // where the machine's name must not appear
}

func TestUntrustedTLSSendsNothing(t *testing.T) {
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
		for mode, security := range map[string]setting.MailSecurity{"starttls": setting.StartTLS,
			"tls": setting.ImplicitTLS} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				in := startMailServer(t, config, security == setting.ImplicitTLS)
				transport, dialer := newTransport(t, settings(security), in.listener)
				transport.Trust(ca.roots())
				if result := send(t, transport, testMessage()); result != mail.TLSFailed {
					t.Error("Send returned the wrong result:", result)
				}
				in.assertCounts(t, 0, 0, 0)
				dialer.assertOneConnection(t)
			})
		}
	}
}

func TestWrongPasswordSendsNothing(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := startMailServer(t, ca.config(t, host, time.Hour), false)
	s := settings(setting.StartTLS)
	s.Password = setting.NewSecret("wrong")
	transport, dialer := newTransport(t, s, in.listener)
	transport.Trust(ca.roots())
	if result := send(t, transport, testMessage()); result != mail.AuthenticationFailed {
		t.Error("Send returned the wrong result:", result)
	}
	in.assertCounts(t, 1, 0, 0)
	dialer.assertOneConnection(t)
}

func TestOneRefusalStopsTheMessage(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(*mailServer){
		"sender":           func(in *mailServer) { in.refuseSender = true },
		"first recipient":  func(in *mailServer) { in.refuseRecipient = "anna@example.net" },
		"second recipient": func(in *mailServer) { in.refuseRecipient = "bert@example.net" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := startMailServer(t, nil, false)
			refuse(in)
			transport, dialer := newTransport(t, plaintext(), in.listener)
			m := testMessage()
			m.To = append(m.To, "bert@example.net")
			if result := send(t, transport, m); result != mail.Rejected {
				t.Error("Send returned the wrong result:", result)
			}
			in.assertCounts(t, 0, 1, 0)
			if bytes.Contains(dialer.written(), []byte("DATA")) {
				t.Error("a message was begun")
			}
			dialer.assertOneConnection(t)
		})
	}
}

func TestConcurrentSends(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	in := startMailServer(t, ca.config(t, host, time.Hour), false)
	transport, dialer := newTransport(t, settings(setting.StartTLS), in.listener)
	transport.Trust(ca.roots())
	const many = 20
	var senders sync.WaitGroup
	for i := range many {
		senders.Go(func() {
			m := mail.Message{
				To:      []string{fmt.Sprintf("p%d@example.net", i)},
				Subject: "Hello",
				Text:    fmt.Sprintf("for %d.", i),
			}
			if result := transport.Send(t.Context(), m); result != mail.Sent {
				t.Error("Send returned the wrong result:", result)
			}
		})
	}
	senders.Wait()
	mails := in.seen().mails
	ids := make(map[string]bool)
	for _, got := range mails {
		opened := parseMessage(t, got.content)
		ids[opened.header.Get("Message-ID")] = true
		number := strings.TrimPrefix(strings.TrimSuffix(got.to[0], "@example.net"), "p")
		if text := opened.text; text != "for "+number+".\r\n" || len(got.to) != 1 {
			t.Errorf("%q received %q, want one recipient and the text for %s", got.to, text, number)
		}
	}
	if len(mails) != many || len(ids) != many || dialer.opened != many {
		t.Errorf("%d mails, %d ids, %d connections, want %d of each", len(mails), len(ids), dialer.opened,
			many)
	}
}
