package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isLine tells whether a text is one line of so many characters.
func isLine(text string, least, most int) bool {
	return isText(text, least, most) && !strings.ContainsRune(text, '\n')
}

// isText tells whether a text has so many characters and none that is not seen, except the ends of lines.
func isText(text string, least, most int) bool {
	count := utf8.RuneCountInString(text)
	return least <= count && count <= most && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r)
	})
}

// normalized has every line end as \n, no tab, and no space at the ends.
func normalized(text string) string { return strings.TrimSpace(plainLines(text)) }

// withoutGaps has no empty line: in a song one is between two sections.
func withoutGaps(text string) string {
	for strings.Contains(text, "\n\n") {
		text = strings.ReplaceAll(text, "\n\n", "\n")
	}
	return text
}

func plainLines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(text)
}
