package manifest

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// reserved is the platform's own namespace.
const reserved = "core"

var (
	idPattern         = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	namespacedPattern = regexp.MustCompile(
		`^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$`)
	bucketPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	})
	keyPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	})
)

// ValidID reports whether id can be a module's id: lower-case words joined by hyphens, at most 48
// characters, not core.
func ValidID(id string) bool {
	return len(id) <= maxIDLength && idPattern.MatchString(id) && id != reserved
}

// namespace returns the module id in front of a namespaced id, and "" when it does not have the form
// <module-id>.<name>. A module id has no dot, so the split is unambiguous.
func namespace(id string) string {
	match := namespacedPattern.FindStringSubmatch(id)
	if match == nil || len(id) > maxNamespacedLength || len(match[1]) > maxIDLength {
		return ""
	}
	return match[1]
}

// SecretPrefix begins the names of all modules' secrets.
const SecretPrefix = "SERVICE_MODULE_SECRET__"

// SecretVariable returns the name of the environment variable that carries a module's secret: the id in
// upper case with _ for -, then the key in upper snake case. apiToken becomes API_TOKEN, baseURL BASE_URL
// and s3Key S3_KEY.
func SecretVariable(moduleID, key string) string {
	return SecretPrefix + strings.ToUpper(strings.ReplaceAll(moduleID, "-", "_")) + "__" +
		upperSnake(key)
}

func upperSnake(key string) string {
	var out strings.Builder
	runes := []rune(key)
	for i, c := range runes {
		if i > 0 && unicode.IsUpper(c) {
			afterWord := !unicode.IsUpper(runes[i-1])
			beforeWord := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterWord || beforeWord {
				out.WriteByte('_')
			}
		}
		out.WriteRune(unicode.ToUpper(c))
	}
	return out.String()
}

// IsHidden reports whether a character can hide or reorder the text around it, or break its line: control
// characters, format characters (the bidirectional controls among them), and separators of lines and
// paragraphs.
func IsHidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// isHiddenInWords is IsHidden without the two joiners, because Persian and many Indian languages need them.
func isHiddenInWords(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	return IsHidden(r) && r != nonJoiner && r != joiner
}

// isVisible reports whether a character is a letter or digit with a shape. The Hangul fillers are letters
// without one.
func isVisible(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point,
		r)
}
