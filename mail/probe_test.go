package mail_test

import (
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// TestProbeSignsInAndSendsNothing checks each result of a probe against a real server, and that no server
// receives a sender.
func TestProbeSignsInAndSendsNothing(t *testing.T) {
	in := startMailServer(t, nil, false)
	right := settings(setting.PlaintextMail)
	right.Host = "127.0.0.1" // a password is sent unencrypted only to this machine
	wrong := right
	wrong.Password = setting.NewSecret("m4rked")
	encrypted := right
	encrypted.Security = setting.StartTLS
	for _, row := range []struct {
		name     string
		settings setting.Mail
		want     mail.SendResult
	}{
		{"the right password", right, mail.Sent},
		{"a wrong password", wrong, mail.AuthenticationFailed},
		{"TLS that is not offered", encrypted, mail.TLSFailed},
		{"no mail server", setting.Mail{}, mail.NotConfigured},
	} {
		transport, _ := newTransport(t, row.settings, in.listener)
		if got := transport.Probe(t.Context()); got != row.want {
			t.Errorf("probe with %s: %s, want %s", row.name, got, row.want)
		}
	}
	in.assertCounts(t, 2, 0, 0)
	_ = in.server.Close()
	transport, _ := newTransport(t, right, in.listener)
	if got := transport.Probe(t.Context()); got != mail.ConnectionFailed {
		t.Errorf("probe of a server that is gone: %s, want %s", got, mail.ConnectionFailed)
	}
}
