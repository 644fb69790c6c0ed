package gateway

import (
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// requestHeaders returns all headers of a request that a handler gets: no cookie, no authorization, no
// origin, nothing about forwarding. Without anyBytes it leaves out values that are not UTF-8, which a module
// built with an older SDK cannot decode.
func requestHeaders(from http.Header, anyBytes bool) []*abi.Header {
	headers := make([]*abi.Header, 0, 8)
	for name, values := range from {
		switch name {
		case "Accept", "Accept-Language", "Content-Type", "Content-Length", "Range", "User-Agent",
			"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range":
			for _, value := range values {
				if anyBytes || utf8.ValidString(value) {
					headers = append(headers, &abi.Header{Name: []byte(name), Value: []byte(value)})
				}
			}
		}
	}
	return headers
}

var (
	noStore          = []string{"no-store"}
	varyOriginCookie = []string{"Origin, Cookie"}
	sandboxPolicy    = []string{"sandbox; default-src 'none'"}
	octetStream      = []string{"application/octet-stream"}
)

// maxResponseHeaders bounds the bytes of a module's headers on the wire.
const maxResponseHeaders = 16 << 10

// responseHeaders copies the headers that a module may set and then sets those that only the platform sets. A
// module's response may be an upload, and it is served on the Dashboard's own origin: the sandbox policy
// prevents scripts in it from acting there.
func responseHeaders(to http.Header, response *abi.HandleResponse, follows bool) {
	left := copyHeaders(to, response.GetHeaders(), standard, maxResponseHeaders)
	copyHeaders(to, response.GetHeaders(), custom, left)
	if typed := to["Content-Type"]; len(typed) > 0 && typed[0] == "" {
		delete(to, "Content-Type")
	}
	if _, typed := to["Content-Type"]; !typed && (follows || len(response.GetBody()) > 0) {
		to["Content-Type"] = octetStream
	}
	switch {
	case !follows:
		to["Content-Length"] = []string{strconv.Itoa(len(response.GetBody()))}
	case response.BodyBytes != nil:
		to["Content-Length"] = []string{strconv.FormatUint(response.GetBodyBytes(), 10)}
	}
	if status := response.GetStatus(); status == http.StatusNoContent || status == http.StatusNotModified {
		delete(to, "Content-Length")
	}
	to["Cache-Control"] = noStore
	to["Vary"] = varyOriginCookie
	to["Content-Security-Policy"] = sandboxPolicy
}

// copyHeaders copies the headers of one kind as long as they fit into left bytes, and returns the remaining
// bytes. It drops a header that does not fit, and a second value of a header that RFC 9110 allows only once.
func copyHeaders(to http.Header, headers []*abi.Header, wanted headerKind, left int) int {
	for _, header := range headers {
		name := textproto.CanonicalMIMEHeaderKey(string(header.GetName()))
		kind, many := kindOf(name)
		value := strings.Trim(string(header.GetValue()), " \t")
		size := len(name) + len(": ") + len(value) + len("\r\n")
		if kind != wanted || size > left || !isFieldValue(value) || !many && len(to[name]) > 0 {
			continue
		}
		to[name] = append(to[name], value)
		left -= size
	}
	return left
}

// headerKind is the group of a header. The standard headers are copied first, so that a module's own headers
// cannot displace them.
type headerKind int

const (
	platform headerKind = iota
	standard
	custom
)

// kindOf returns the group of a header that a module may set, by its canonical name, and whether it may have
// several values. Content-Length is not among them: the platform computes it from the body.
func kindOf(name string) (kind headerKind, many bool) {
	switch name {
	case "Content-Type", "Content-Disposition", "Content-Range", "Etag", "Last-Modified", "Location",
		"Retry-After":
		return standard, false
	case "Content-Language", "Accept-Ranges":
		return standard, true
	}
	if own, found := strings.CutPrefix(name, "X-Module-"); found && own != "" && isToken(own) {
		return custom, true
	}
	return platform, false
}

// isToken reports whether s contains only the characters of a field name (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// isFieldValue reports whether a trimmed s contains only the characters of a field value (RFC 9110 §5.5).
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
