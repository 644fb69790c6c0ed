package emails

import (
	"html"
	"net/url"
	"slices"
	"strings"
)

// signatureMark separates a signature from the text above it (RFC 3676, section 4.3).
const signatureMark = "\n-- \n"

// cutSignature returns the lines above the last signature mark and below it.
func cutSignature(text string) (body, signature string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	at := strings.LastIndex(text, signatureMark)
	if at < 0 {
		return strings.TrimRight(text, "\n") + "\n", ""
	}
	return text[:at], strings.Trim(text[at+len(signatureMark):], "\n")
}

func hasLine(text, line string) bool { return slices.Contains(strings.Split(text, "\n"), line) }

// bodyOf makes HTML with the same words of a text. A line between two empty ones is a paragraph, "- " begins
// an item of a list, a line above a list is its heading. A line that ends with a colon above an address on a
// line of its own becomes a button, with the address below for programs in which the button does nothing.
// What stands below the first button explains it, and is smaller.
func (l letterhead) bodyOf(text string) string {
	page := bodyWriter{letterhead: l}
	for block := range strings.SplitSeq(text, "\n\n") {
		if block = strings.Trim(block, "\n"); block != "" {
			page.block(strings.Split(block, "\n"))
		}
	}
	return page.String()
}

type bodyWriter struct {
	strings.Builder

	letterhead letterhead
	pressed    bool // a button has been written
}

// block writes lines that no empty one separates.
func (b *bodyWriter) block(lines []string) {
	for n := 0; len(lines) > 0; lines = lines[n:] {
		switch {
		case isItem(lines[0]):
			for n = 1; n < len(lines) && isItem(lines[n]); n++ {
			}
			b.list(lines[:n])
		case isButton(lines):
			n = 2
			b.button(strings.TrimSuffix(lines[0], ":"), lines[1])
		case isAddress(lines[0]):
			n = 1
			b.paragraph(b.link(lines[0]), "")
		default:
			for n = 1; n < len(lines) && isWords(lines[n:]); n++ {
			}
			b.words(lines[:n], n < len(lines) && isItem(lines[n]))
		}
	}
}

// words writes lines, which may be the heading of a list.
func (b *bodyWriter) words(lines []string, heads bool) {
	style := ""
	if heads {
		style = "margin:0 0 4px;font-weight:600;"
	}
	b.paragraph(asLines(strings.Join(lines, "\n")), style)
}

// paragraph writes HTML in the size and colour that words have at this place.
func (b *bodyWriter) paragraph(content, style string) {
	class := ""
	if b.pressed {
		class, style = `class="quiet" `, "color:"+light.quiet+";font-size:14px;"+style
	}
	b.WriteString(`<p ` + class + `style="margin:0 0 16px;` + style + `">` + content + "</p>\n")
}

func (b *bodyWriter) list(items []string) {
	b.WriteString(`<ul style="margin:0 0 16px;padding:0 0 0 20px;">` + "\n")
	for _, item := range items {
		words := html.EscapeString(strings.TrimPrefix(item, "- "))
		b.WriteString(`<li style="margin:0 0 6px;">` + words + "</li>\n")
	}
	b.WriteString("</ul>\n")
}

func (b *bodyWriter) button(words, address string) {
	b.pressed = true
	b.WriteString(`<p style="margin:8px 0 16px;"><a class="press" href="` + html.EscapeString(address) +
		`" style="display:inline-block;padding:11px 20px;background:` + b.letterhead.colours.accent +
		`;color:#ffffff;border-radius:8px;font-weight:600;text-decoration:none;">` + html.EscapeString(words) +
		"</a></p>\n")
	b.paragraph(b.link(address), "")
}

func (b *bodyWriter) link(address string) string {
	escaped := html.EscapeString(address)
	return `<a class="link" href="` + escaped + `" style="color:` + b.letterhead.colours.accent +
		`;overflow-wrap:anywhere;word-break:break-all;">` + escaped + `</a>`
}

func asLines(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>\n")
}

func isItem(line string) bool { return strings.HasPrefix(line, "- ") }

// isAddress reports whether a line is a web address and nothing else.
func isAddress(line string) bool {
	if strings.ContainsAny(line, " \t\"<>") {
		return false
	}
	address, err := url.Parse(line)
	return err == nil && (address.Scheme == "https" || address.Scheme == "http") && address.Host != ""
}

func isButton(lines []string) bool {
	return len(lines) > 1 && strings.HasSuffix(lines[0], ":") && isAddress(lines[1])
}

func isWords(lines []string) bool {
	return !isItem(lines[0]) && !isAddress(lines[0]) && !isButton(lines)
}
