package sdk

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsID reports whether a text is a UUID as PostgreSQL writes it: 36 characters, lower case.
func IsID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for at, c := range []byte(text) {
		switch at {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// PathID returns the UUID that is the path's {id}, or missing: an id in another format does not exist.
func PathID(r *http.Request, missing error) (string, error) {
	if id := r.PathValue("id"); IsID(id) {
		return id, nil
	}
	return "", missing
}

// IsText reports whether a text has least to most characters, all of which PostgreSQL can store.
func IsText(text string, least, most int) bool {
	count := utf8.RuneCountInString(text)
	return least <= count && count <= most && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// IsLine reports whether a text is one line of least to most characters, without spaces around it and
// without control characters.
func IsLine(text string, least, most int) bool {
	return IsText(text, least, most) && text == strings.TrimSpace(text) && !strings.ContainsFunc(text, breaks)
}

// breaks reports control characters, and the separators of lines and paragraphs.
func breaks(r rune) bool { return unicode.IsControl(r) || r == 0x2028 || r == 0x2029 }
