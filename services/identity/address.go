package identity

import (
	"regexp"
	"strings"
	"sync"

	"github.com/narthex-platform/narthex/mail"
)

// addressGrammar is the grammar of the browser client's library, without its look-ahead; parseAddress
// checks what the look-ahead does: no dot at the start, and no two dots in a row.
var addressGrammar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+\-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$`,
	)
})

// parseAddress returns the form in which an address is stored and looked up: lowercase. It trims nothing.
// An address that mail cannot be sent to is refused, because its owner could never confirm it.
func parseAddress(text string) (address string, ok bool) {
	if !mail.IsMailbox(text) || strings.HasPrefix(text, ".") || strings.Contains(text, "..") ||
		!addressGrammar().MatchString(text) {
		return "", false
	}
	return strings.ToLower(text), true
}
