package mail_test

import (
	"fmt"
	"mime"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// controls are characters that some programs treat as the end of a line, or that are otherwise harmful.
var controls = []string{
	"\r\nBcc: eve@example.net", "\nBcc: eve@example.net", "\r", "\n", "\x00", "\t", "\v", "\f", "\x1b", "\x1f",
	"\x7f",
	"\u0080", "\u0085", "\u009f", "\u2028", "\u2029", "\xff", "\xc0\x8d",
}

// addressOf returns an address of length characters, 64 of them before the @.
func addressOf(length int) string {
	start := strings.Repeat("a", 64) + "@" + strings.Repeat("b.", 80)
	return start + strings.Repeat("c", length-len(start))
}

func TestMessageLimits(t *testing.T) {
	t.Parallel()
	if mail.MaxRecipients != 50 || mail.MaxSubjectCharacters != 200 || mail.MaxBodyBytes != 256<<10 {
		t.Errorf(
			"%d recipients, %d characters, %d bytes",
			mail.MaxRecipients,
			mail.MaxSubjectCharacters,
			mail.MaxBodyBytes,
		)
	}
}

// TestInvalidMessagesOpenNoConnection lists the messages that never reach a server.
func TestInvalidMessagesOpenNoConnection(t *testing.T) {
	t.Parallel()
	change := map[string]func(*mail.Message){
		"no recipient":    func(m *mail.Message) { m.To = nil },
		"51 recipients":   func(m *mail.Message) { m.To = slices.Repeat(m.To, 51) },
		"no subject":      func(m *mail.Message) { m.Subject = "" },
		"a blank subject": func(m *mail.Message) { m.Subject = "  " },
		"201 characters":  func(m *mail.Message) { m.Subject = strings.Repeat("ü", 201) },
		"no body":         func(m *mail.Message) { m.Text = "" },
		"bodies too long": func(m *mail.Message) {
			m.HTML = strings.Repeat("x",
				mail.MaxBodyBytes-len(m.Text)+1)
		},
		"text not UTF-8": func(m *mail.Message) { m.Text = "\xff" },
		"html not UTF-8": func(m *mail.Message) { m.HTML = "\xff" },
		"address of 255": func(m *mail.Message) { m.To = []string{addressOf(255)} },
		"name of 201": func(m *mail.Message) {
			m.To = []string{strings.Repeat("n", 201) +
				" <a@example.net>"}
		},
		"an endless name": func(m *mail.Message) {
			m.To = []string{strings.Repeat("n", 1<<20) +
				" <a@example.net>"}
		},
		"a line as language":  func(m *mail.Message) { m.Language = "de\r\nBcc: eve@example.net" },
		"a long language":     func(m *mail.Message) { m.Language = strings.Repeat("e", 36) },
		"reply-to of two":     func(m *mail.Message) { m.ReplyTo = "a@example.net, b@example.net" },
		"one bad among three": func(m *mail.Message) { m.To = []string{"a@example.net", "b", "c@example.net"} },
	}
	for _, bad := range []string{
		"", " ", "anna", "@example.net", "anna@", "anna@example..net", ".anna@example.net", "a@b@example.net",
		"anna@example.net,bert@example.net",
		"anna@example.net bert@example.net", "Anna <anna@example.net", "<anna@example.net>>",
		"Ällo <änna@example.net>", "anna@exämple.net",
		`"anna maria"@example.net`, `"a>b"@example.net`, "anna@[127.0.0.1]", "anna@example.net> NOTIFY=NEVER",
		"anna@exa_mple.net",
		"=?utf-8?q?a=0D=0ABcc:_eve@example.net?= <anna@example.net>", "=?utf-8?q?a=00?= <anna@example.net>",
		"=?utf-8?b?4oCo?= <anna@example.net>", strings.Repeat("a", 65) + "@example.net",
	} {
		change[fmt.Sprintf("recipient %.40q", bad)] = func(m *mail.Message) { m.To = []string{bad} }
		if bad != "" {
			change[fmt.Sprintf("reply-to %.40q", bad)] = func(m *mail.Message) { m.ReplyTo = bad }
		}
	}
	for _, control := range controls {
		change[fmt.Sprintf("%q in the subject", control)] = func(m *mail.Message) {
			m.Subject = "a" + control +
				"b"
		}
		for place, text := range map[string]string{
			"before": control + "anna@example.net", "after": "anna@example.net" + control,
			"in the address": "an" + control + "na@example.net",
			"in the name":    "An" + control + "na <anna@example.net>",
			"in quotes":      `"An` + control + `na" <anna@example.net>`,
			"in a comment":   "anna@example.net (An" + control + "na)",
			"in the domain":  "anna@exam" + control + "ple.net",
		} {
			change[fmt.Sprintf("%q %s of a recipient", control,
				place)] = func(m *mail.Message) { m.To = []string{text} }
			change[fmt.Sprintf("%q %s of reply-to", control, place)] = func(m *mail.Message) { m.ReplyTo = text }
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	transport, dialer := newTransport(t, settings(setting.PlaintextMail), listener)
	for name, change := range change {
		m := testMessage()
		change(&m)
		if result := transport.Send(t.Context(), m); result != mail.MessageInvalid {
			t.Errorf("Send of a message with %s: %s, want %s", name, result, mail.MessageInvalid)
		}
	}
	if len(dialer.addresses) != 0 {
		t.Errorf("%d connections for invalid messages, want none", len(dialer.addresses))
	}
}

func TestValidMessagesAreRendered(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(settings(setting.StartTLS))
	if err != nil {
		t.Fatal(err)
	}
	long := addressOf(254)
	for name, m := range map[string]mail.Message{
		"50 recipients": {To: slices.Repeat([]string{"a@example.net"}, mail.MaxRecipients), Subject: "x",
			Text: "x"},
		"address of 254": {To: []string{long}, Subject: "x", Text: "x"},
		"name of 200": {To: []string{(&netmail.Address{Name: strings.Repeat("ü", 200),
			Address: long}).String()}, Subject: "x", Text: "x"},
		"all signs": {To: []string{"!#$%&'*+-/=?^_`{|}~a.b@x-1.example"}, Subject: `"quoted" <x@y>, (c)`,
			Text: "x"},
		"local host":  {To: []string{"root@localhost"}, Subject: "x", Text: "x"},
		"quoted name": {To: []string{`"\"A\\B\", C" <a@example.net>`}, Subject: "x", Text: "x"},
		"encoded name": {To: []string{mime.QEncoding.Encode("utf-8", "Änne") + " <a@example.net>"}, Subject: "x",
			Text: "x"},
		"controls inside": {To: []string{"a@example.net"}, Subject: "x", Text: "\x00\x1b\r.\r\n\u2028"},
		"full bodies": {To: []string{"a@example.net"}, Subject: "x",
			Text: strings.Repeat("\x00", mail.MaxBodyBytes-1), HTML: "x"},
	} {
		content, ok := transport.Render(m)
		if !ok {
			t.Errorf("Render of a message with %s: refused, want a message", name)
			continue
		}
		assertWireFormat(t, content)
		assertHeader(t, parseMessage(t, content).header, m)
	}
}

// FuzzMessage checks that an accepted message is sent with exactly its author's content.
func FuzzMessage(f *testing.F) {
	transport, err := mail.New(settings(setting.StartTLS))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("anna@example.net", "Hello", "text", "<p>html</p>", "")
	f.Add("Änne <anna@example.net>", "Grüße  aus =?utf-8?q?x?=", ".\r\n", "", `"a, b" <b@example.net>`)
	for _, control := range controls {
		f.Add("a@example.net"+control, "a"+control, control, control, "=?utf-8?q?=0A?="+control+"<a@example.net>")
	}
	f.Fuzz(func(t *testing.T, to, subject, text, html, replyTo string) {
		m := mail.Message{
			To:      []string{to, "bert@example.net"},
			Subject: subject,
			Text:    text,
			HTML:    html,
			ReplyTo: replyTo,
		}
		content, ok := transport.Render(m)
		if !ok {
			return
		}
		assertWireFormat(t, content)
		got := parseMessage(t, content)
		assertHeader(t, got.header, m)
		if got.text != withCRLF(text) || got.html != withCRLF(html) {
			t.Errorf("text %q, want %q; HTML %q, want %q", got.text, text, got.html, html)
		}
	})
}
