package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isText reports whether a text has least to most characters, all of them visible except line ends.
func isText(text string, least, most int) bool {
	count := utf8.RuneCountInString(text)
	return least <= count && count <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r)
	})
}

// normalized converts every line end to \n and tabs to spaces, and trims the text.
func normalized(text string) string { return strings.TrimSpace(plainLines(text)) }

// withoutGaps removes empty lines, because in a song they separate sections.
func withoutGaps(text string) string {
	for strings.Contains(text, "\n\n") {
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	return text
}

func plainLines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(text)
}
