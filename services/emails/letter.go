package emails

import (
	_ "embed"
	"html"
	"strings"
	"unicode"

	"github.com/narthex-platform/narthex/mail"
)

// letterForm is the page of every email, with a word in double braces for each part. It is filled by
// text replacement, because with package template the linker would keep every method of every type, which
// makes a quarter of the program.
//
// It loads nothing, has no tables, and reads well without styles. Many mail programs drop the style sheet, so
// every colour and size stands at its element; the style sheet has only what is different on a phone and in a
// dark theme.
//
//go:embed letter.html
var letterForm string

// letterhead is what an email shows of the house.
type letterhead struct {
	name     string // "": none
	language string
	colours  colours
}

func (w *Writer) letterhead() letterhead {
	name, language, accent := w.house.Letterhead()
	return letterhead{oneLine(name), language, coloursOf(accent)}
}

// dress adds the house's name to the text of a message and makes the HTML of it.
func (l letterhead) dress(m mail.Message) mail.Message {
	body, signature := cutSignature(m.Text)
	if l.name != "" && !hasLine(signature, l.name) {
		signature = strings.TrimPrefix(signature+"\n"+l.name, "\n")
	}
	if signature != "" {
		m.Text = body + signatureMark + signature + "\n"
	}
	if m.Language == "" {
		m.Language = l.language
	}
	m.HTML = l.page(m.Language, m.Subject, body, signature)
	return m
}

func (l letterhead) page(language, title, body, signature string) string {
	name, foot := "", ""
	if l.name != "" {
		name = `<bdi>` + html.EscapeString(l.name) + `</bdi>`
	}
	if signature != "" {
		foot = `<p class="foot" style="margin:0;padding:16px 28px 0;color:` + light.quiet +
			`;font-size:13px;line-height:1.5;overflow-wrap:anywhere;">` + asLines(signature) + "</p>\n"
	}
	return strings.NewReplacer(
		"{{Language}}", html.EscapeString(language), "{{Title}}", html.EscapeString(title),
		"{{Name}}", name, "{{Body}}", l.bodyOf(body), "{{Foot}}", foot,
		"{{Accent}}", l.colours.accent, "{{DarkFill}}", l.colours.darkFill,
		"{{DarkAccent}}", l.colours.darkAccent,
		"{{Page}}", light.page, "{{Card}}", light.card, "{{Line}}", light.line, "{{Text}}", light.text,
		"{{DarkPage}}", dark.page, "{{DarkCard}}", dark.card, "{{DarkLine}}", dark.line,
		"{{DarkText}}", dark.text, "{{DarkQuiet}}", dark.quiet,
	).Replace(letterForm)
}

// oneLine removes line ends and control characters from a name.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, text)), " ")
}
