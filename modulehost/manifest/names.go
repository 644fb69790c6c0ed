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
