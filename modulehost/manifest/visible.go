package manifest

import "unicode"

// IsHidden knows what can hide or reorder the text around it, or break its line: controls, format
// characters (among them the bidirectional controls), and separators of lines and paragraphs.
func IsHidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// isHiddenInWords lets the two joiners through: Persian and many Indian languages are not spelled right
// without them.
func isHiddenInWords(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return IsHidden(r) && r != nonJoiner && r != joiner
}

// isVisible knows letters and digits that have a shape; a Hangul filler is a letter, too.
func isVisible(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point,
		r)
}
