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
	"github.com/narthex-platform/narthex/services/environment"
)

// never is a limit that must not be what ends an attempt.
const never = 10 * time.Minute

// soon is the one that must. late is the same where a slow machine must first get through a good part of the conversation.
const (
	soon = time.Second
	late = 5 * time.Second
)

// only makes one limit the one that ends an attempt.
func only(limits mail.Limits) mail.Limits {
	for _, limit := range []*time.Duration{&limits.Connect, &limits.Greeting, &limits.Socket, &limits.Quit, &limits.Total} {
		if *limit == 0 {
			*limit = never
		}
	}
	return limits
}

// TestEveryServerHasItsOutcome plays servers that refuse, talk nonsense, fall silent or break off, at every turn.
func TestEveryServerHasItsOutcome(t *testing.T) {
	t.Parallel()
	socket, greeting, total, quit := mail.Limits{Socket: soon}, mail.Limits{Greeting: soon}, mail.Limits{Total: soon}, mail.Limits{Quit: soon}
	for _, c := range []struct {
		name   string
		turn   string
		does   answer
		limits mail.Limits
		want   mail.SendResult
	}{
		{"refuses the session", "", say("554 no"), mail.Limits{}, mail.Rejected},
		{"is busy", "", say("421 later"), mail.Limits{}, mail.Rejected},
		{"is no mail server", "", say("HTTP/1.1 400 Bad Request"), mail.Limits{}, mail.ConnectionFailed},
		{"greets with another code", "", say("250 hello"), mail.Limits{}, mail.ConnectionFailed},
		{"refuses MAIL for now", "MAIL", say("451 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses MAIL", "MAIL", say("550 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses RCPT for now", "RCPT", say("450 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses RCPT", "RCPT", say("550 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses DATA", "DATA", say("554 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses the message for now", ".", say("452 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"refuses the message", ".", say("552 marked-server-text"), mail.Limits{}, mail.Rejected},
		{"talks nonsense", "MAIL", say("yes"), mail.Limits{}, mail.ConnectionFailed},

		{"never greets", "", silence, only(greeting), mail.Timeout},
		{"greets letter by letter", "", trickle("220 "), only(greeting), mail.Timeout},
		{"greets line by line", "", trickle("220-x\r\n220-"), only(greeting), mail.Timeout},
		{"is silent at EHLO", "EHLO", silence, only(socket), mail.Timeout},
		{"is silent at MAIL", "MAIL", silence, only(socket), mail.Timeout},
		{"is silent at RCPT", "RCPT", silence, only(socket), mail.Timeout},
		{"is silent at DATA", "DATA", silence, only(socket), mail.Timeout},
		{"is silent after the message", ".", silence, only(mail.Limits{Socket: late}), mail.Timeout},
		{"does not read the message", "DATA", deaf, only(socket), mail.Timeout},
		{"answers EHLO letter by letter", "EHLO", trickle("250 "), only(total), mail.Timeout},
		{"answers the message letter by letter", ".", trickle("250-"), only(mail.Limits{Total: late}), mail.Timeout},

		{"greets for ever in one line", "", endless("x"), only(mail.Limits{}), mail.ConnectionFailed},
		{"greets for ever in lines", "", endless("220-x\r\n"), only(mail.Limits{}), mail.ConnectionFailed},
		{"has endless extensions", "EHLO", endless("250-X\r\n"), only(mail.Limits{}), mail.ConnectionFailed},
		{"explains a refusal for ever", "RCPT", endless("550-x\r\n"), only(mail.Limits{}), mail.ConnectionFailed},

		{"hangs up at once", "", hangUp, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at EHLO", "EHLO", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at MAIL", "MAIL", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off at DATA", "DATA", reset, mail.Limits{}, mail.ConnectionFailed},
		{"breaks off after the message", ".", reset, mail.Limits{}, mail.ConnectionFailed},

		{"is slow, but within its limits", "MAIL", after(late+soon, say("250 ok")), only(mail.Limits{Greeting: late}), mail.Sent},
		{"took it, and is silent at QUIT", "QUIT", silence, only(quit), mail.Sent},
		{"took it, and breaks off at QUIT", "QUIT", reset, mail.Limits{}, mail.Sent},
		{"took it, and says 500 to QUIT", "QUIT", say("500 stay"), mail.Limits{}, mail.Sent},
		{"took it, and never stops at QUIT", "QUIT", endless("221-x\r\n"), only(mail.Limits{}), mail.Sent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := play(t, script{c.turn: c.does}, nil)
			transport, way := newTransport(t, plaintext(), st)
			transport.Shorten(c.limits)
			m := letter()
			m.To = append(m.To, "bert@example.net")
			if c.name == "does not read the message" {
				m.Text = strings.Repeat("ü", mail.MaxBodyBytes/2) // more than sockets hold
			}
			if outcome := send(t, transport, m); outcome != c.want {
				t.Errorf("%s, not %s", outcome, c.want)
			}
			way.checkOnce(t)
			st.checkNever(t, "STARTTLS", "AUTH")
			if c.want != mail.Sent {
				order := []string{"", "EHLO", "MAIL", "RCPT", "DATA"} // ".", the last, has no later one
				if at := slices.Index(order, c.turn); at >= 0 {
					st.checkNever(t, order[at+1:]...)
				}
			}
			if way.in > transport.Unread() {
				t.Errorf("%d bytes were read", way.in)
			}
			whole := c.turn == "." || c.want == mail.Sent
			if len(st.taken) > 1 || len(st.taken) == 1 != whole {
				t.Errorf("%d messages arrived", len(st.taken))
			}
		})
	}
}

// TestNoUpgradeNoMail plays what stands between the client and TLS: each time nothing but EHLO, STARTTLS and QUIT may come.
func TestNoUpgradeNoMail(t *testing.T) {
	t.Parallel()
	offer := say("250-there\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN")
	for name, c := range map[string]struct {
		script script
		limits mail.Limits
		want   mail.SendResult
	}{
		"stripped":          {script{}, mail.Limits{}, mail.TLSFailed},
		"no EHLO":           {script{"EHLO": say("502 what")}, mail.Limits{}, mail.TLSFailed},
		"refused":           {script{"EHLO": offer, "STARTTLS": say("454 later")}, mail.Limits{}, mail.TLSFailed},
		"nonsense":          {script{"EHLO": offer, "STARTTLS": say("yes")}, mail.Limits{}, mail.TLSFailed},
		"no handshake":      {script{"EHLO": offer, "STARTTLS": say("220 go\r\n250 that was it")}, mail.Limits{}, mail.TLSFailed},
		"broken":            {script{"EHLO": offer, "STARTTLS": reset}, mail.Limits{}, mail.TLSFailed},
		"silent":            {script{"EHLO": offer, "STARTTLS": silence}, only(mail.Limits{Socket: soon}), mail.Timeout},
		"endless handshake": {script{"EHLO": offer, "STARTTLS": endless("220 go\r\n")}, only(mail.Limits{}), mail.TLSFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := play(t, c.script, nil)
			transport, way := newTransport(t, settings(environment.StartTLS), st)
			transport.Shorten(c.limits)
			if outcome := send(t, transport, letter()); outcome != c.want {
				t.Errorf("%s, not %s", outcome, c.want)
			}
			st.checkNever(t, "AUTH", "MAIL", "RCPT", "DATA")
			way.checkOnce(t)
			for _, word := range []string{"AUTH", "MAIL", "marked-body"} {
				if bytes.Contains(way.sent(), []byte(word)) {
					t.Errorf("%q was sent", word)
				}
			}
		})
	}
}

// TestAServerWithoutTLSIsNoMailServer: TLS comes first, so whatever speaks first has failed.
func TestAServerWithoutTLSIsNoMailServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does   answer
		limits mail.Limits
		want   mail.SendResult
	}{
		"plain greeting": {say("220 ready"), mail.Limits{}, mail.TLSFailed},
		"silence":        {silence, only(mail.Limits{Greeting: soon}), mail.Timeout},
		"trickle":        {trickle("\x16\x03\x03\x40\x00"), only(mail.Limits{Greeting: soon}), mail.Timeout}, // a record that does not end
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := play(t, script{"": c.does}, nil)
			transport, way := newTransport(t, settings(environment.ImplicitTLS), st)
			transport.Shorten(c.limits)
			if outcome := send(t, transport, letter()); outcome != c.want {
				t.Errorf("%s, not %s", outcome, c.want)
			}
			way.checkOnce(t)
		})
	}
}

// TestWhatWasSaidBeforeTLSIsForgotten: words slipped in behind the go-ahead for TLS must not count as answers under it.
func TestWhatWasSaidBeforeTLSIsForgotten(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	st := play(t, script{
		"EHLO":     say("250-there\r\n250-STARTTLS\r\n250 AUTH PLAIN"),
		"STARTTLS": say("220 go\r\n250-evil\r\n250 AUTH X-EVIL\r\n535 evil\r\n550 evil"),
	}, ca.config(t, host, time.Hour))
	transport, way := newTransport(t, settings(environment.StartTLS), st)
	transport.Trust(ca.roots())
	if outcome := send(t, transport, letter()); outcome != mail.Sent {
		t.Error(outcome)
	}
	if heard := st.heard(); !slices.Equal(heard, []string{"EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"}) {
		t.Errorf("%q", heard)
	}
	way.checkOnce(t)
}

func TestSigningIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		offers string
		does   answer // to AUTH and to the lines after it
		limits mail.Limits
		want   mail.SendResult
	}{
		"LOGIN alone":         {"250 AUTH LOGIN", inTurn("334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 welcome"), mail.Limits{}, mail.Sent},
		"in small letters":    {"250 AUTH gssapi plain", nil, mail.Limits{}, mail.Sent},
		"refused":             {"250 AUTH PLAIN", say("535 marked-server-text"), mail.Limits{}, mail.AuthenticationFailed},
		"refused for now":     {"250 AUTH PLAIN", say("454 marked-server-text"), mail.Limits{}, mail.AuthenticationFailed},
		"not offered":         {"250 SIZE 10", nil, mail.Limits{}, mail.AuthenticationFailed},
		"no way we speak":     {"250 AUTH CRAM-MD5 NTLM SCRAM-SHA-256", nil, mail.Limits{}, mail.AuthenticationFailed},
		"asks again for ever": {"250 AUTH LOGIN", say("334 bW9yZQ=="), mail.Limits{}, mail.ConnectionFailed},
		"silent":              {"250 AUTH PLAIN", silence, only(mail.Limits{Socket: soon}), mail.Timeout},
		"broken":              {"250 AUTH PLAIN", reset, mail.Limits{}, mail.ConnectionFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := play(t, script{"EHLO": say("250-there\r\n" + c.offers), "AUTH": c.does, "?": c.does}, nil)
			s := settings(environment.PlaintextMail)
			s.Host = "localhost" // where the library sends a password without TLS
			transport, err := mail.New(s)
			if err != nil {
				t.Fatal(err)
			}
			transport.DialBy((&way{to: st.Addr().String()}).dial)
			transport.Shorten(c.limits)
			if outcome := send(t, transport, letter()); outcome != c.want {
				t.Errorf("%s, not %s", outcome, c.want)
			}
			if c.want != mail.Sent {
				st.checkNever(t, "MAIL", "RCPT", "DATA")
			}
			if strings.HasPrefix(name, "no") {
				st.checkNever(t, "AUTH")
			}
			if name == "LOGIN alone" {
				words := []string{base64.StdEncoding.EncodeToString([]byte(user)), base64.StdEncoding.EncodeToString([]byte(password))}
				if heard := st.heard(); !slices.Equal(heard[1:4], append([]string{"AUTH"}, words...)) {
					t.Errorf("%q", heard)
				}
			}
		})
	}
}

func TestWithoutAConnection(t *testing.T) {
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
		"anything else": {func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("marked") }, mail.ConnectionFailed},
		"a panic":       {func(context.Context, string, string) (net.Conn, error) { panic("marked") }, mail.ConnectionFailed},
	} {
		transport, err := mail.New(settings(environment.StartTLS))
		if err != nil {
			t.Fatal(err)
		}
		transport.Shorten(only(mail.Limits{Connect: soon}))
		transport.DialBy(func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return c.dial(ctx, network, address)
		})
		dials = 0
		if outcome := send(t, transport, letter()); outcome != c.want || dials != 1 {
			t.Errorf("%s: %s after %d dials", name, outcome, dials)
		}
	}
}

func TestTheCallerMayGiveUp(t *testing.T) {
	t.Parallel()
	for _, turn := range []string{"EHLO", "MAIL", "."} {
		t.Run("at "+turn, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			st := play(t, script{turn: func(conn net.Conn) bool {
				cancel()
				return silence(conn)
			}}, nil)
			transport, way := newTransport(t, plaintext(), st)
			transport.Shorten(only(mail.Limits{}))
			if outcome := transport.Send(ctx, letter()); outcome != mail.Timeout {
				t.Error(outcome)
			}
			way.checkOnce(t)
			if outcome := transport.Send(ctx, letter()); outcome != mail.Timeout {
				t.Error(outcome)
			}
			if way.opened != 1 {
				t.Error("a caller who had given up opened a connection")
			}
		})
	}
}

// TestTheLimits are contract.md §8's.
func TestTheLimits(t *testing.T) {
	t.Parallel()
	want := mail.Limits{
		Connect: 10 * time.Second, Greeting: 10 * time.Second, Socket: 20 * time.Second, Quit: 2 * time.Second, Total: 30 * time.Second,
	}
	transport, err := mail.New(settings(environment.StartTLS))
	if err != nil {
		t.Fatal(err)
	}
	if got := transport.Limits(); got != want || transport.Unread() != 64<<10 {
		t.Errorf("%+v, %d bytes", got, transport.Unread())
	}
}
