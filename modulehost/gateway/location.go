package gateway

import (
	"net/textproto"
	"net/url"
	"strings"
	"unicode"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// outside returns the first Location among the headers that leads out of the module's own root. A browser
// follows a redirect with the reader's cookies on the Dashboard's origin, so a module that may choose any
// target could send people to other sites and other modules.
func outside(headers []*abi.Header, root string) (location string, found bool) {
	for _, header := range headers {
		name := textproto.CanonicalMIMEHeaderKey(string(header.GetName()))
		if name == "Location" && !isBelow(string(header.GetValue()), root) {
			return string(header.GetValue()), true
		}
	}
	return "", false
}

// isBelow checks the text of a location and its decoded path, because proxies and browsers differ in what
// they decode.
func isBelow(location, root string) bool {
	for i := range len(location) {
		if c := location[i]; c <= ' ' || c >= 0x7f || c == '\\' {
			return false
		}
	}
	path := location
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	below, found := strings.CutPrefix(path, root+"/")
	decoded, err := url.PathUnescape(below)
	if !found || err != nil || strings.HasPrefix(decoded, "/") {
		return false
	}
	for segment := range strings.SplitSeq(decoded, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(decoded, func(r rune) bool { return r == '\\' || unicode.IsControl(r) })
}
