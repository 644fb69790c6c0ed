package main

import (
	"io"
	"iter"
	"mime/quotedprintable"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// maxICSLine bounds an unfolded line. Longer ones, such as attachments, are cut there.
const maxICSLine = 64 << 10

// icsLine is one content line, unfolded: NAME;PARAMETER=VALUE:VALUE (RFC 5545 §3.1).
type icsLine struct {
	number     int // in the file, from 1
	name       string
	parameters map[string]string
	value      string
}

// icsNames are the names of lines that mean something here. All others are passed over.
var icsNames = []string{"BEGIN", "END", "METHOD", "UID", "SUMMARY", "DESCRIPTION", "LOCATION", "STATUS",
	"SEQUENCE", "DTSTART", "DTEND", "DURATION", "RRULE", "EXRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "TZID",
	"X-LIC-LOCATION", "TZOFFSETFROM", "TZOFFSETTO", "X-MICROSOFT-CDO-ALLDAYEVENT"}

// icsText is a file of another program: its text, and whether its letters had to be guessed.
type icsFile struct {
	text    string
	guessed bool
}

func newICSFile(content []byte) *icsFile {
	if text, encoding := files.Text(content); encoding == files.UTF16 {
		return &icsFile{text: text}
	}
	return &icsFile{text: strings.TrimPrefix(string(content), "\ufeff")}
}

// lines returns the lines that mean something. A line that is none, such as the rest of a text that was
// broken without being folded, has no name.
//
// Lines are unfolded before their letters are looked at, because a program may fold inside of one.
func (f *icsFile) lines() iter.Seq[icsLine] {
	return func(yield func(icsLine) bool) {
		var unfolded strings.Builder
		number, first := 0, 0
		for text := range physicalLines(f.text) {
			number++
			if folded := text != "" && (text[0] == ' ' || text[0] == '\t'); folded || continues(unfolded.String()) {
				whole := unfolded.String()
				if !folded { // a soft break of quoted-printable
					unfolded.Reset()
					unfolded.WriteString(strings.TrimSuffix(whole, "="))
				} else {
					text = text[1:]
				}
				unfolded.WriteString(text[:min(len(text), max(0, maxICSLine-unfolded.Len()))])
				continue
			}
			if line, is := f.line(unfolded.String()); is {
				line.number = first
				if !yield(line) {
					return
				}
			}
			unfolded.Reset()
			unfolded.WriteString(text[:min(len(text), maxICSLine)])
			first = number
		}
		if line, is := f.line(unfolded.String()); is {
			line.number = first
			yield(line)
		}
	}
}

// physicalLines splits at CRLF, LF and CR.
func physicalLines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			end := strings.IndexAny(text, "\r\n")
			if end < 0 {
				yield(text)
				return
			}
			if !yield(text[:end]) {
				return
			}
			if strings.HasPrefix(text[end:], "\r\n") {
				end++
			}
			text = text[end+1:]
		}
	}
}

// continues reports whether a line of vCalendar 1.0 goes on in the next one.
func continues(line string) bool {
	return strings.HasSuffix(line, "=") && strings.Contains(line, "QUOTED-PRINTABLE")
}

func (f *icsFile) line(text string) (line icsLine, is bool) {
	if strings.TrimSpace(text) == "" {
		return line, false
	}
	if !utf8.ValidString(text) {
		f.guessed = true
		text, _ = files.Text([]byte(text))
	}
	end := strings.IndexAny(text, ";:")
	if end < 1 || strings.ContainsFunc(text[:end], notInName) {
		return icsLine{value: text}, true
	}
	line.name = strings.ToUpper(text[:end])
	if !slices.Contains(icsNames, line.name) {
		return line, false
	}
	var ok bool
	if line.parameters, line.value, ok = icsParameters(text[end:]); !ok {
		return icsLine{value: text}, true
	}
	if _, is := line.parameters["QUOTED-PRINTABLE"]; is || line.parameters["ENCODING"] == "QUOTED-PRINTABLE" {
		line.value = f.unquoted(line.value)
	}
	return line, true
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '.'
}

// icsParameters reads ;NAME=VALUE,"VALUE":REST. Of several values the first is kept.
func icsParameters(text string) (parameters map[string]string, rest string, ok bool) {
	for text[0] == ';' {
		text = text[1:]
		end := strings.IndexAny(text, "=;:")
		if end < 0 {
			return nil, "", false
		}
		name, value := strings.ToUpper(text[:end]), ""
		for first := true; text[end] == '=' || !first && text[end] == ','; first = false {
			text = text[end+1:]
			one := ""
			if one, end = icsParameterValue(text); end < 0 {
				return nil, "", false
			}
			if first {
				value = one
			}
		}
		if text = text[end:]; text[0] != ';' && text[0] != ':' {
			return nil, "", false
		}
		if parameters == nil {
			parameters = make(map[string]string)
		}
		parameters[name] = value
	}
	return parameters, text[1:], true
}

// icsParameterValue returns the value with which a text begins, and where it ends; -1: nowhere.
func icsParameterValue(text string) (value string, end int) {
	if rest, quoted := strings.CutPrefix(text, `"`); quoted {
		if end = strings.IndexByte(rest, '"'); end < 0 || end+2 >= len(text) {
			return "", -1
		}
		return rest[:end], end + 2
	}
	if end = strings.IndexAny(text, ";:,"); end < 0 {
		return "", -1
	}
	return text[:end], end
}

// unquoted decodes quoted-printable, as vCalendar 1.0 writes texts.
func (f *icsFile) unquoted(value string) string {
	decoded, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(value)))
	if err != nil {
		return value
	}
	text, encoding := files.Text(decoded)
	f.guessed = f.guessed || encoding == files.Windows1252
	return text
}

// unescaped returns a value of the type TEXT as one text with composed letters.
func unescaped(value string) string {
	text := strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n", `\N`, "\n").Replace(value)
	text, _ = files.Text([]byte(text))
	return text
}
