package mail_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// never is a limit that is too long to end an attempt in a test.
const never = 10 * time.Minute

// shortLimit is the limit that must end the attempt. longLimit is used where a slow machine first has to
// complete a large part of the conversation.
const (
	shortLimit = time.Second
	longLimit  = 5 * time.Second
)

// only returns limits of which only the given ones can end an attempt.
func only(limits mail.Limits) mail.Limits {
	for _, limit := range []*time.Duration{&limits.Connect, &limits.Greeting, &limits.Socket, &limits.Quit,
		&limits.Total} {
		if *limit == 0 {
			*limit = never
		}
	}
	return limits
}

// TestServerFaults runs servers that refuse, send nonsense, stop responding or disconnect, at every step.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	socket, greeting, total, quit := mail.Limits{
		Socket: shortLimit,
	}, mail.Limits{
		Greeting: shortLimit,
	}, mail.Limits{
		Total: shortLimit,
	}, mail.Limits{
		Quit: shortLimit,
	}
	for _, c := range []struct {
		name   string
		turn   string
		does   action
		limits mail.Limits
		want   mail.SendResult
	}{
		{"refuses the session", "", reply("554 no"), mail.Limits{}, mail.Rejected},
		{"is busy", "", reply("421 later"), mail.Limits{}, mail.Deferred},
		{"is no mail server", "", reply("HTTP/1.1 400 Bad Request"), mail.Limits{}, mail.ConnectionFailed},
		{"greets with another code", "", reply("250 hello"), mail.Limits{}, mail.ConnectionFailed},
		{"refuses MAIL for now", "MAIL", reply("451 marked-server-text"), mail.Limits{}, mail.Deferred},
		{"refuses MAIL", "MAIL", reply("550 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses RCPT for now", "RCPT", reply("450 marked-server-text"), mail.Limits{}, mail.Deferred},
		{"refuses RCPT", "RCPT", reply("550 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses DATA", "DATA", reply("554 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses the message for now", ".", reply("452 marked-server-text"), mail.Limits{}, mail.Deferred},
		{"refuses the message", ".", reply("552 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"talks nonsense", "MAIL", reply("yes"), mail.Limits{}, mail.ConnectionFailed},

		{"never greets", "", silence, only(greeting), mail.Timeout},
		{"greets letter by letter", "", trickle("220 "), only(greeting), mail.Timeout},
		{"greets line by line", "", trickle("220-x\r\n220-"), only(greeting), mail.Timeout},
		{"is silent at EHLO", "EHLO", silence, only(socket), mail.Timeout},
		{"is silent at MAIL", "MAIL", silence, only(socket), mail.Timeout},
		{"is silent at RCPT", "RCPT", silence, only(socket), mail.Timeout},
		{"is silent at DATA", "DATA", silence, only(socket), mail.Timeout},
		{"is silent after the message", ".", silence, only(mail.Limits{Socket: longLimit}), mail.Timeout},
		{"does not read the message", "DATA", stopReading, only(socket), mail.Timeout},
		{"answers EHLO letter by letter", "EHLO", trickle("250 "), only(total), mail.Timeout},
		{"answers the message letter by letter", ".", trickle("250-"), only(mail.Limits{Total: longLimit}),
			mail.Timeout},

		{"greets for ever in one line", "", endless("x"), only(mail.Limits{}), mail.ConnectionFailed},
		{"greets for ever in lines", "", endless("220-x\r\n"), only(mail.Limits{}), mail.ConnectionFailed},
		{"has endless extensions", "EHLO", endless("250-X\r\n"), only(mail.Limits{}), mail.ConnectionFailed},
		{"explains a refusal for ever", "RCPT", endless("550-x\r\n"), only(mail.Limits{}), mail.ConnectionFailed},

		{"hangs up at once", "", hangUp, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at EHLO", "EHLO", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at MAIL", "MAIL", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at DATA", "DATA", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off after the message", ".", reset, mail.Limits{}, mail.ConnectionFailed},

		{"is slow, but within its limits", "MAIL", after(longLimit+shortLimit, reply("250 ok")),
			only(mail.Limits{Greeting: longLimit}), mail.Sent},
		{"took it, and is silent at QUIT", "QUIT", silence, only(quit), mail.Sent},
		{"took it, and breaks off at QUIT", "QUIT", reset, mail.Limits{}, mail.Sent},
		{"took it, and says 500 to QUIT", "QUIT", reply("500 stay"), mail.Limits{}, mail.Sent},
		{"took it, and never stops at QUIT", "QUIT", endless("221-x\r\n"), only(mail.Limits{}), mail.Sent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := startScripted(t, script{c.turn: c.does}, nil)
			transport, dialer := newTransport(t, plaintext(), server)
			transport.Shorten(c.limits)
			m := testMessage()
			m.To = append(m.To, "bert@example.net")
			if c.name == "does not read the message" {
				m.Text = strings.Repeat("ü", mail.MaxBodyBytes/2) // more than sockets hold
			}
			if result := send(t, transport, m); result != c.want {
				t.Errorf("Send returned %s, want %s", result, c.want)
			}
			dialer.assertOneConnection(t)
			server.assertNever(t, "STARTTLS", "AUTH")
			if c.want != mail.Sent {
				order := []string{"", "EHLO", "MAIL", "RCPT", "DATA"} // ".", the last, has no later one
				if at := slices.Index(order, c.turn); at >= 0 {
					server.assertNever(t, order[at+1:]...)
				}
			}
			if dialer.in > transport.MaxRead() {
				t.Errorf("%d bytes were read, want at most %d", dialer.in, transport.MaxRead())
			}
			whole := c.turn == "." || c.want == mail.Sent
			if len(server.messages) > 1 || len(server.messages) == 1 != whole {
				t.Errorf("%d messages arrived, want one: %v", len(server.messages), whole)
			}
		})
	}
}

// TestSTARTTLSFailureSendsNothing makes STARTTLS fail in every way. Only EHLO, STARTTLS and QUIT may be sent
// then.
func TestSTARTTLSFailureSendsNothing(t *testing.T) {
	t.Parallel()
	offer := reply("250-there\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN")
	for name, c := range map[string]struct {
		script script
		limits mail.Limits
		want   mail.SendResult
	}{
		"stripped": {script{}, mail.Limits{}, mail.TLSFailed},
		"no EHLO":  {script{"EHLO": reply("502 what")}, mail.Limits{}, mail.TLSFailed},
		"refused":  {script{"EHLO": offer, "STARTTLS": reply("454 later")}, mail.Limits{}, mail.TLSFailed},
		"nonsense": {script{"EHLO": offer, "STARTTLS": reply("yes")}, mail.Limits{}, mail.TLSFailed},
		"no handshake": {script{"EHLO": offer, "STARTTLS": reply("220 go\r\n250 that was it")}, mail.Limits{},
			mail.TLSFailed},
		"broken": {script{"EHLO": offer, "STARTTLS": reset}, mail.Limits{}, mail.TLSFailed},
		"silent": {script{"EHLO": offer, "STARTTLS": silence}, only(mail.Limits{Socket: shortLimit}),
			mail.Timeout},
		"endless handshake": {script{"EHLO": offer, "STARTTLS": endless("220 go\r\n")}, only(mail.Limits{}),
			mail.TLSFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startScripted(t, c.script, nil)
			transport, dialer := newTransport(t, settings(setting.StartTLS), server)
			transport.Shorten(c.limits)
			if result := send(t, transport, testMessage()); result != c.want {
				t.Errorf("Send returned %s, want %s", result, c.want)
			}
			server.assertNever(t, "AUTH", "MAIL", "RCPT", "DATA")
			dialer.assertOneConnection(t)
			for _, word := range []string{"AUTH", "MAIL", "marked-body"} {
				if bytes.Contains(dialer.written(), []byte(word)) {
					t.Errorf("the connection was sent %q, want nothing of the mail before TLS", word)
				}
			}
		})
	}
}

// TestImplicitTLSNeedsTLSFirst checks the result for a server that does not begin with TLS.
func TestImplicitTLSNeedsTLSFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does   action
		limits mail.Limits
		want   mail.SendResult
	}{
		"plain greeting": {reply("220 ready"), mail.Limits{}, mail.TLSFailed},
		"silence":        {silence, only(mail.Limits{Greeting: shortLimit}), mail.Timeout},
		"trickle": {trickle("\x16\x03\x03\x40\x00"), only(mail.Limits{Greeting: shortLimit}),
			mail.Timeout}, // a record that does not end
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startScripted(t, script{"": c.does}, nil)
			transport, dialer := newTransport(t, settings(setting.ImplicitTLS), server)
			transport.Shorten(c.limits)
			if result := send(t, transport, testMessage()); result != c.want {
				t.Errorf("Send returned %s, want %s", result, c.want)
			}
			dialer.assertOneConnection(t)
		})
	}
}

// TestPlaintextInputBeforeTLSIsDiscarded sends responses in plain text directly after the 220 to STARTTLS.
// They must be ignored after TLS has begun.
func TestPlaintextInputBeforeTLSIsDiscarded(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	server := startScripted(t, script{
		"EHLO":     reply("250-there\r\n250-STARTTLS\r\n250 AUTH PLAIN"),
		"STARTTLS": reply("220 go\r\n250-evil\r\n250 AUTH X-EVIL\r\n535 evil\r\n550 evil"),
	}, ca.config(t, host, time.Hour))
	transport, dialer := newTransport(t, settings(setting.StartTLS), server)
	transport.Trust(ca.roots())
	if result := send(t, transport, testMessage()); result != mail.Sent {
		t.Error("Send returned the wrong result:", result)
	}
	if verbs := server.verbs(); !slices.Equal(
		verbs,
		[]string{"EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"},
	) {
		t.Errorf("commands %q, want EHLO, STARTTLS, EHLO, AUTH and one mail", verbs)
	}
	dialer.assertOneConnection(t)
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		offers string
		does   action // to AUTH and to the lines after it
		limits mail.Limits
		want   mail.SendResult
	}{
		"LOGIN alone": {"250 AUTH LOGIN",
			repliesInTurn("334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 welcome"), mail.Limits{}, mail.Sent},
		"in small letters": {"250 AUTH gssapi plain", nil, mail.Limits{}, mail.Sent},
		"refused": {"250 AUTH PLAIN", reply("535 marked-server-text"), mail.Limits{},
			mail.AuthenticationFailed},
		"refused for now": {"250 AUTH PLAIN", reply("454 marked-server-text"), mail.Limits{},
			mail.Deferred},
		"not offered": {"250 SIZE 10", nil, mail.Limits{}, mail.AuthenticationFailed},
		"no way we speak": {"250 AUTH CRAM-MD5 NTLM SCRAM-SHA-256", nil, mail.Limits{},
			mail.AuthenticationFailed},
		"asks again for ever": {"250 AUTH LOGIN", reply("334 bW9yZQ=="), mail.Limits{}, mail.ConnectionFailed},
		"silent":              {"250 AUTH PLAIN", silence, only(mail.Limits{Socket: shortLimit}), mail.Timeout},
		"broken":              {"250 AUTH PLAIN", reset, mail.Limits{}, mail.ConnectionFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startScripted(
				t,
				script{"EHLO": reply("250-there\r\n" + c.offers), "AUTH": c.does, "?": c.does},
				nil,
			)
			s := settings(setting.PlaintextMail)
			s.Host = "localhost" // where the library sends a password without TLS
			transport, err := mail.New(s)
			if err != nil {
				t.Fatal(err)
			}
			transport.DialBy((&recordingDialer{to: server.Addr().String()}).dial)
			transport.Shorten(c.limits)
			if result := send(t, transport, testMessage()); result != c.want {
				t.Errorf("Send returned %s, want %s", result, c.want)
			}
			if c.want != mail.Sent {
				server.assertNever(t, "MAIL", "RCPT", "DATA")
			}
			if strings.HasPrefix(name, "no") {
				server.assertNever(t, "AUTH")
			}
			if name == "LOGIN alone" {
				words := []string{
					base64.StdEncoding.EncodeToString([]byte(user)),
					base64.StdEncoding.EncodeToString([]byte(password)),
				}
				if verbs := server.verbs(); !slices.Equal(verbs[1:4], append([]string{"AUTH"}, words...)) {
					t.Errorf("commands %q, want AUTH and then %q", verbs, words)
				}
			}
		})
	}
}

func TestConnectFailures(t *testing.T) {
	t.Parallel()
	dials := 0
	for name, c := range map[string]struct {
		dial func(context.Context, string, string) (net.Conn, error)
		want mail.SendResult
	}{
		"refused": {func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:1")
		}, mail.ConnectionFailed},
		"unknown host": {func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}, mail.ConnectionFailed},
		"no answer": {func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, mail.Timeout},
		"anything else": {func(context.Context, string, string) (net.Conn, error) {
			return nil,
				errors.New("marked")
		}, mail.ConnectionFailed},
		"a panic": {func(context.Context, string, string) (net.Conn, error) { panic("marked") },
			mail.ConnectionFailed},
	} {
		transport, err := mail.New(settings(setting.StartTLS))
		if err != nil {
			t.Fatal(err)
		}
		transport.Shorten(only(mail.Limits{Connect: shortLimit}))
		transport.DialBy(func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return c.dial(ctx, network, address)
		})
		dials = 0
		if result := send(t, transport, testMessage()); result != c.want || dials != 1 {
			t.Errorf("%s: Send returned %s after %d dials, want %s after one", name, result, dials, c.want)
		}
	}
}

func TestCallerCancels(t *testing.T) {
	t.Parallel()
	for _, turn := range []string{"EHLO", "MAIL", "."} {
		t.Run("at "+turn, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := startScripted(t, script{turn: func(conn net.Conn) bool {
				cancel()
				return silence(conn)
			}}, nil)
			transport, dialer := newTransport(t, plaintext(), server)
			transport.Shorten(only(mail.Limits{}))
			if result := transport.Send(ctx, testMessage()); result != mail.Timeout {
				t.Error("Send returned the wrong result:", result)
			}
			dialer.assertOneConnection(t)
			if result := transport.Send(ctx, testMessage()); result != mail.Timeout {
				t.Error("Send returned the wrong result:", result)
			}
			if dialer.opened != 1 {
				t.Error("a caller who had given up opened a connection")
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	want := mail.Limits{
		Connect: 10 * time.Second, Greeting: 10 * time.Second, Socket: 20 * time.Second, Quit: 2 * time.Second,
		Total: 30 * time.Second,
	}
	transport, err := mail.New(settings(setting.StartTLS))
	if err != nil {
		t.Fatal(err)
	}
	if got := transport.Limits(); got != want || transport.MaxRead() != 64<<10 {
		t.Errorf("limits %+v and %d bytes to read, want %+v and %d", got, transport.MaxRead(), want, 64<<10)
	}
}
