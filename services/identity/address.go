package identity

import (
	"regexp"
	"strings"

	"github.com/narthex-platform/narthex/mail"
)

// The grammar of the browser client's library, except for its look-ahead: no dot first, no two in a row.
var addressGrammar = regexp.MustCompile(
	`^[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+\-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
)

// parseAddress returns the one spelling under which an address is stored and looked up. Nothing is trimmed.
// What mail could not be sent to is no address: its owner could never confirm it.
func parseAddress(text string) (address string, ok bool) {
	if !mail.IsMailbox(text) || strings.HasPrefix(text, ".") || strings.Contains(text, "..") ||
		!addressGrammar.MatchString(text) {
		return "", false
	}
	return strings.ToLower(text), true
}
