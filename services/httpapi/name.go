package httpapi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsName reports whether text can be the name of a person or a thing where people decide by reading it: 1
// to limit characters, at least one of them visible, and none that hides, reorders or breaks the text
// around it.
func IsName(text string, limit int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= limit &&
		strings.ContainsFunc(text, isVisible) && !strings.ContainsFunc(text, isHidden)
}

// isVisible excludes characters that take space but show nothing: the Hangul fillers, which are letters,
// and the blank Braille pattern.
func isVisible(r rune) bool {
	const blank = '\u2800'
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && r != blank &&
		!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// isHidden reports controls, format characters (among them the bidirectional controls) and line and
// paragraph separators. It allows the two joiners: Persian and many Indian names need them for their
// correct spelling.
func isHidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return r != nonJoiner && r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
