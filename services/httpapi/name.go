package httpapi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsName reports whether text can stand as somebody's or something's name where people decide by reading it: 1 to limit characters, at
// least one of them visible, and nothing that hides, reorders or breaks the text around it.
func IsName(text string, limit int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= limit &&
		strings.ContainsFunc(text, isVisible) && !strings.ContainsFunc(text, isHidden)
}

// isVisible leaves out what has a place but no shape: the Hangul fillers, which are letters, and the blank Braille pattern.
func isVisible(r rune) bool {
	const blank = '\u2800'
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && r != blank &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// isHidden knows controls, format characters (among them the bidirectional controls) and separators of lines and paragraphs. The two
// joiners are letters' own: Persian and many Indian names are not spelled right without them.
func isHidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
