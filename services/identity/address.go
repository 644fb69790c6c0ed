package identity

import (
	"regexp"
	"strings"
)

const maxAddress = 254 // characters, all of them ASCII

// The grammar of the browser client's library, except for its look-ahead: no dot first, no two in a row.
var addressGrammar = regexp.MustCompile(`^[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+\-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`)

// parseAddress returns the one spelling under which an address is stored and looked up. Nothing is trimmed.
func parseAddress(text string) (address string, ok bool) {
	if len(text) > maxAddress || strings.HasPrefix(text, ".") || strings.Contains(text, "..") || !addressGrammar.MatchString(text) {
		return "", false
	}
	return strings.ToLower(text), true
}
