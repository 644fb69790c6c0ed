package mail_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// parsedMessage is a message as a mail program reads it.
type parsedMessage struct {
	header     netmail.Header
	kind       string
	text, html string
	order      []string // of the parts
}

func parseMessage(t testing.TB, content []byte) parsedMessage {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("the message cannot be parsed: %v\n%q", err, content)
	}
	o := parsedMessage{header: m.Header}
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if o.kind = kind; kind != "multipart/alternative" {
		o.part(t, textproto.MIMEHeader(m.Header), m.Body)
		return o
	}
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return o
		}
		if err != nil {
			t.Fatal(err)
		}
		o.part(t, part.Header, part)
	}
}

func (o *parsedMessage) part(t testing.TB, header textproto.MIMEHeader, body io.Reader) {
	t.Helper()
	kind, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || parameters["charset"] != "UTF-8" ||
		header.Get("Content-Transfer-Encoding") != "quoted-printable" {
		t.Fatalf("part header %v, want UTF-8 text as quoted-printable; error %v", header, err)
	}
	decoded, err := io.ReadAll(quotedprintable.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	o.order = append(o.order, kind)
	switch kind {
	case "text/plain":
		o.text = string(decoded)
	case "text/html":
		o.html = string(decoded)
	}
}

// withCRLF returns text with the line ends of SMTP.
func withCRLF(text string) string {
	return strings.NewReplacer("\r\n", "\r\n", "\r", "\r\n", "\n", "\r\n").Replace(text)
}

func decodeHeader(t testing.TB, header string) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(header)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestContentArrivesUnchanged sends through a real mail server and compares what it received.
func TestContentArrivesUnchanged(t *testing.T) {
	t.Parallel()
	awkward := "Grüße aus Köln – 教会 🎉\n.\n..\n.eins\nFrom here\n" + strings.Repeat("lang ", 500) + "\n" +
		strings.Repeat("ü", 2000) + "\nspaces at the end   \n\ttab\t\n=3D =?x?=\n\n.\n"
	for name, m := range map[string]mail.Message{
		"text": {Text: awkward},
		"html": {HTML: "<p>" + awkward + "</p>"},
		"both": {Text: awkward, HTML: "<p>" + awkward + "</p>"},
		"full": {Text: strings.Repeat("ü\n", 50_000), HTML: strings.Repeat("x", mail.MaxBodyBytes-150_000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := startMailServer(t, nil, false)
			transport, _ := newTransport(t, plaintext(), in.listener)
			m.To = []string{`"Müller, Ännchen" <anna@example.net>`, "bert@example.net", "bert@example.net"}
			m.ReplyTo = "Pfarrbüro <buero@example.org>"
			m.Subject = strings.Repeat("Ü", mail.MaxSubjectCharacters)
			if result := send(t, transport, m); result != mail.Sent {
				t.Fatal("Send returned the wrong result:", result)
			}
			mails := in.seen().mails
			if to := []string{"anna@example.net", "bert@example.net", "bert@example.net"}; len(mails) != 1 ||
				!slices.Equal(mails[0].to, to) {
				t.Fatalf("the server received %+v, want one mail to %q", mails, to)
			}
			got := parseMessage(t, mails[0].content)
			text, html := strings.TrimSuffix(got.text, "\r\n"), strings.TrimSuffix(got.html, "\r\n")
			if text != strings.TrimSuffix(withCRLF(m.Text), "\r\n") ||
				html != strings.TrimSuffix(withCRLF(m.HTML), "\r\n") {
				t.Errorf("text\n%q\nwant\n%q\nHTML\n%q\nwant\n%q", got.text, m.Text, got.html, m.HTML)
			}
			if m.Text != "" && m.HTML != "" && !slices.Equal(got.order, []string{"text/plain", "text/html"}) {
				t.Errorf("order of the parts %q, want text/plain before text/html", got.order)
			}
			assertHeader(t, got.header, m)
		})
	}
}

// started is in whole seconds, as a Date field is.
var started = time.Now().Truncate(time.Second)

// assertHeader checks that the header fields are those of m and no others.
func assertHeader(t testing.TB, header netmail.Header, m mail.Message) {
	t.Helper()
	known := []string{
		"Auto-Submitted",
		"Content-Type",
		"Date",
		"From",
		"Message-Id",
		"Mime-Version",
		"Subject",
		"To",
	}
	if m.Text == "" || m.HTML == "" {
		known = append(known, "Content-Transfer-Encoding")
	}
	if m.ReplyTo != "" {
		known = append(known, "Reply-To")
		assertAddresses(t, header, "Reply-To", m.ReplyTo)
	}
	slices.Sort(known)
	if keys := slices.Sorted(maps.Keys(header)); !slices.Equal(keys, known) {
		t.Errorf("header fields %q, want %q", keys, known)
	}
	for key, values := range header {
		if len(values) != 1 {
			t.Errorf("%s occurs %d times, want once", key, len(values))
		}
	}
	if subject := decodeHeader(t, header.Get("Subject")); subject != m.Subject {
		t.Errorf("Subject %q, want %q", subject, m.Subject)
	}
	assertAddresses(t, header, "To", m.To...)
	assertAddresses(t, header, "From", "Gemeinde Süd <office@example.org>")
	if id := header.Get("Message-ID"); !regexp.MustCompile(`^<[A-Z2-7]{26}@example\.org>$`).MatchString(id) {
		t.Errorf("Message-ID %q, want 26 random characters at example.org", id)
	}
	if date, err := header.Date(); err != nil || date.Before(started) || date.After(time.Now()) ||
		!strings.HasSuffix(header.Get("Date"), "+0000") {
		t.Errorf("Date %q, want the present time in UTC; error %v", header.Get("Date"), err)
	}
	if header.Get("Auto-Submitted") != "auto-generated" || header.Get("MIME-Version") != "1.0" {
		t.Errorf("header %v, want Auto-Submitted auto-generated and MIME-Version 1.0", header)
	}
}

func assertAddresses(t testing.TB, header netmail.Header, key string, want ...string) {
	t.Helper()
	got, err := header.AddressList(key)
	if err != nil || len(got) != len(want) {
		t.Errorf("%s: addresses %v, want %q; error %v", key, got, want, err)
		return
	}
	for i, text := range want {
		if a, err := netmail.ParseAddress(text); err != nil || *a != *got[i] {
			t.Errorf("%s: %+v, not %+v", key, got[i], a)
		}
	}
}

func TestNoHeaderNamesLibraryOrServer(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(settings(setting.StartTLS))
	if err != nil {
		t.Fatal(err)
	}
	content, ok := transport.Render(testMessage())
	if !ok {
		t.Fatal("not rendered")
	}
	for _, word := range []string{"go-mail", "User-Agent", "X-Mailer", "wneessen", host, user} {
		if bytes.Contains(bytes.ToLower(content), bytes.ToLower([]byte(word))) {
			t.Errorf("the message contains %q, want nothing of program, host or account:\n%s", word, content)
		}
	}
}

// TestHeadersAreSafeToFold renders headers that the library alone would fold into a blank line, or in a way
// that lets them be read as something else.
func TestHeadersAreSafeToFold(t *testing.T) {
	t.Parallel()
	transport, err := mail.New(settings(setting.StartTLS))
	if err != nil {
		t.Fatal(err)
	}
	for i, subject := range []string{
		strings.Repeat("a", 64) + "  " + strings.Repeat("b", 80),
		strings.Repeat("a ", 30) + strings.Repeat(" ", 60) + "b",
		"=?utf-8?q?=0D=0ABcc:_x@example.net?=",
		" space around ",
		strings.Repeat("x", mail.MaxSubjectCharacters),
		strings.Repeat("🎉", mail.MaxSubjectCharacters),
		"x",
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			m := testMessage()
			m.Subject = subject
			long := strings.Repeat("a", 64) + "  " + strings.Repeat("b", 80)
			m.To = []string{`"` + long + `" <anna@example.net>`, `"=?utf-8?q?x?=" <bert@example.net>`}
			content, ok := transport.Render(m)
			if !ok {
				t.Fatal("refused")
			}
			assertWireFormat(t, content)
			header := parseMessage(t, content).header
			if got := decodeHeader(t, header.Get("Subject")); got != subject {
				t.Errorf("decoded Subject %q, want %q", got, subject)
			}
			if strings.Contains(header.Get("Subject"), "Bcc") {
				t.Errorf("encoded Subject %q, want no Bcc readable in it", header.Get("Subject"))
			}
		})
	}
}

var encodedWord = regexp.MustCompile(`=\?utf-8\?b\?[^?]*\?=`)

// assertWireFormat checks that content consists of lines of visible ASCII, each ended by CR LF, and that no
// header line is blank, too long or could be taken for a further field.
func assertWireFormat(t testing.TB, content []byte) {
	t.Helper()
	head, _, found := bytes.Cut(content, []byte("\r\n\r\n"))
	if !found {
		t.Fatalf("no end of the header in\n%q", content)
	}
	header := regexp.MustCompile(`^([A-Z][A-Za-z-]+:| )[ -~]*$`)
	for line := range strings.SplitSeq(string(head), "\r\n") {
		limit := 998
		if strings.Contains(line, "=?") || strings.HasPrefix(line, "Subject:") {
			limit = 76
		}
		if !header.MatchString(line) || strings.TrimSpace(line) == "" || len(line) > limit {
			t.Errorf("header line %q of %d bytes, want printable ASCII of at most %d", line, len(line), limit)
		}
		for _, word := range encodedWord.FindAllString(line, -1) {
			if text := decodeHeader(t, word); !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
				t.Errorf("a character is split before or after %q", word)
			}
		}
	}
	body := content[len(head):]
	if bytes.ContainsAny(bytes.ReplaceAll(content, []byte("\r\n"), nil), "\r\n") {
		t.Errorf("a bare CR or LF in\n%q", content)
	}
	for line := range strings.SplitSeq(string(body), "\r\n") {
		if len(line) > 998 ||
			strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && (r < ' ' || r > '~') }) {
			t.Errorf("body line %q of %d bytes, want printable ASCII of at most 998", line, len(line))
		}
	}
}
