package manifest

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Accepts reports whether the declaration allows value: a string for string, enum and url, an int64 for
// integer, a bool for boolean. Nothing is converted. A secret accepts nothing, because it is never stored.
// Defaults, submitted values and stored values are all checked by this one rule.
func (d Declaration) Accepts(value any) bool {
	switch v := value.(type) {
	case string:
		return d.acceptsText(v)
	case int64:
		return d.Type == TypeInteger && -maxInteger <= v && v <= maxInteger &&
			(d.Minimum == nil || v >= *d.Minimum) && (d.Maximum == nil || v <= *d.Maximum)
	case bool:
		return d.Type == TypeBoolean
	}
	return false
}

func (d Declaration) acceptsText(text string) bool {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) { // PostgreSQL can store neither
		return false
	}
	switch d.Type {
	case TypeString:
		length := int64(utf8.RuneCountInString(text))
		return (d.MinLength == nil || length >= *d.MinLength) && (d.MaxLength == nil || length <= *d.MaxLength)
	case TypeEnum:
		return slices.Contains(d.Values, text)
	case TypeURL:
		return absoluteHTTP(text)
	}
	return false
}

func absoluteHTTP(text string) bool {
	if strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}
