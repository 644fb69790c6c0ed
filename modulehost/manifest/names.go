package manifest

import (
	"regexp"
	"strings"
	"unicode"
)

// reserved is the platform's own namespace.
const reserved = "core"

var (
	idPattern         = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	namespacedPattern = regexp.MustCompile(
		`^([a-z][a-z0-9]*(?:-[a-z0-9]+)*)\.[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$`)
	bucketPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	keyPattern    = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
)

// ValidID says whether id can be a module's: lower-case words joined by hyphens, at most 48 characters, not
// core.
func ValidID(id string) bool {
	return len(id) <= maxIDLength && idPattern.MatchString(id) && id != reserved
}

// namespace answers the module id in front of a namespaced id, "" when it is not of the form
// <module-id>.<name>. A module id holds no dot, so that there is only one reading.
func namespace(id string) string {
	match := namespacedPattern.FindStringSubmatch(id)
	if match == nil || len(id) > maxNamespacedLength || len(match[1]) > maxIDLength {
		return ""
	}
	return match[1]
}

// SecretVariable is the environment variable that carries a module's secret: the id in capitals with _ for
// -, the key in upper snake case. apiToken is API_TOKEN, baseURL is BASE_URL, s3Key is S3_KEY (contract.md
// §7).
func SecretVariable(moduleID, key string) string {
	return "SERVICE_MODULE_SECRET__" + strings.ToUpper(strings.ReplaceAll(moduleID, "-", "_")) + "__" +
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
