package mail

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// fold continues a header on the next line (RFC 5322 § 2.2.3).
const fold = "\r\n "

// rendered is a checked message in its wire format. It is made before a connection is opened.
type rendered struct {
	to      []address
	content []byte
}

// render checks m and writes it in its wire format. It returns false if m breaks a rule of Message.
func (t *Transport) render(m Message) (rendered, bool) {
	if len(m.To) < 1 || len(m.To) > MaxRecipients || !isSubject(m.Subject) || !m.hasBody() ||
		!isLanguage(m.Language) {
		return rendered{}, false
	}
	to := make([]address, len(m.To))
	headers := make([]string, len(m.To))
	for i, text := range m.To {
		var ok bool
		if to[i], ok = parseAddress(text); !ok {
			return rendered{}, false
		}
		headers[i] = to[i].header()
	}
	email := t.newMessage()
	email.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderTo), strings.Join(headers, ","+fold))
	email.SetGenHeaderPreformatted(gomail.HeaderSubject, headerText(m.Subject))
	if m.ReplyTo != "" {
		replyTo, ok := parseAddress(m.ReplyTo)
		if !ok {
			return rendered{}, false
		}
		email.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderReplyTo), replyTo.header())
	}
	if m.Language != "" {
		email.SetGenHeaderPreformatted(gomail.HeaderContentLang, m.Language)
	}
	setBodies(email, m)
	var content bytes.Buffer
	_, err := email.WriteTo(&content)
	return rendered{to, content.Bytes()}, err == nil
}

// newMessage makes a message with the headers that all messages have. The library's own defaults would reveal
// the library, the machine's name (in the Message-ID) and its time zone.
//
// Headers with text from a caller are encoded here and not by the library. The library would send a subject
// that looks like an encoded word unchanged, and it can fold a run of spaces into a blank line, which some
// programs take for the end of the headers.
func (t *Transport) newMessage() *gomail.Msg {
	email := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	email.SetDateWithValue(time.Now().UTC())
	email.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: prevents automatic replies
	email.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderFrom), t.from.header())
	email.SetMessageIDWithValue(rand.Text() + "@" + t.from.domain())
	return email
}

// setBodies adds the plainest form first, as RFC 2046 § 5.1.4 requires.
func setBodies(email *gomail.Msg, m Message) {
	switch {
	case m.HTML == "":
		email.SetBodyString(gomail.TypeTextPlain, m.Text)
	case m.Text == "":
		email.SetBodyString(gomail.TypeTextHTML, m.HTML)
	default:
		email.SetBodyString(gomail.TypeTextPlain, m.Text)
		email.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
}

func headerText(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedWords(text)
}

// isPlain reports whether text can be used in a header without encoding: it is one short line of ASCII, it
// cannot be read as an encoded word, and folding loses none of its spaces.
func isPlain(text string) bool {
	return len(text) <= 60 && text == strings.Join(strings.Fields(text), " ") &&
		!strings.Contains(text, "=?") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// encodedWords encodes text by RFC 2047, one encoded word per line. No line is longer than 76 characters, and
// no character is split between two words.
func encodedWords(text string) string {
	const perWord = 39 // bytes: 52 characters of base64, 12 around them, 12 for the header's name
	var words []string
	for text != "" {
		end := min(perWord, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(words, fold)
}
