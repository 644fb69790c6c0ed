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

// fold is where a header's line goes on (RFC 5322 § 2.2.3).
const fold = "\r\n "

// parcel is a message ready to go: nothing about it can fail any more once a connection is open.
type parcel struct {
	to      []address
	content []byte
}

// pack checks m and renders it.
func (t *Transport) pack(m Message) (parcel, bool) {
	if len(m.To) < 1 || len(m.To) > MaxRecipients || !isSubject(m.Subject) || !m.hasBody() {
		return parcel{}, false
	}
	to := make([]address, len(m.To))
	headers := make([]string, len(m.To))
	for i, text := range m.To {
		var ok bool
		if to[i], ok = parseAddress(text); !ok {
			return parcel{}, false
		}
		headers[i] = to[i].header()
	}
	letter := t.letterhead()
	letter.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderTo), strings.Join(headers, ","+fold))
	letter.SetGenHeaderPreformatted(gomail.HeaderSubject, headerText(m.Subject))
	if m.ReplyTo != "" {
		replyTo, ok := parseAddress(m.ReplyTo)
		if !ok {
			return parcel{}, false
		}
		letter.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderReplyTo), replyTo.header())
	}
	setBodies(letter, m)
	var content bytes.Buffer
	_, err := letter.WriteTo(&content)
	return parcel{to, content.Bytes()}, err == nil
}

// letterhead is what all messages have. The library would name itself, the machine in the Message-ID, and the machine's time zone.
//
// The headers that carry a caller's words go to it ready-made: left to itself it would send a subject that looks like an encoded word as it
// is, and it can fold runs of spaces into a blank line, which ends a header for some programs.
func (t *Transport) letterhead() *gomail.Msg {
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.SetDateWithValue(time.Now().UTC())
	letter.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no out-of-office answers
	letter.SetGenHeaderPreformatted(gomail.Header(gomail.HeaderFrom), t.from.header())
	letter.SetMessageIDWithValue(rand.Text() + "@" + t.from.domain())
	return letter
}

// setBodies puts the plainest form first, as RFC 2046 § 5.1.4 wants it.
func setBodies(letter *gomail.Msg, m Message) {
	switch {
	case m.HTML == "":
		letter.SetBodyString(gomail.TypeTextPlain, m.Text)
	case m.Text == "":
		letter.SetBodyString(gomail.TypeTextHTML, m.HTML)
	default:
		letter.SetBodyString(gomail.TypeTextPlain, m.Text)
		letter.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
}

func headerText(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedWords(text)
}

// isPlain tells whether text can stand in a header as it is: one short line of ASCII that no program reads as an encoded word, and
// without spaces that get lost.
func isPlain(text string) bool {
	return len(text) <= 60 && text == strings.Join(strings.Fields(text), " ") && !strings.Contains(text, "=?") &&
		!strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// encodedWords writes text by RFC 2047, a word a line: no line is longer than 76 characters and no character is split.
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
