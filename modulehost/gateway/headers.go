package gateway

import (
	"net/http"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/abi"
)

// requestHeaders is all that a handler gets to see of a request's headers: no cookie, no authorization, no origin, nothing forwarded.
func requestHeaders(from http.Header) []*abi.Header {
	headers := make([]*abi.Header, 0, 8)
	for name, values := range from {
		switch name {
		case "Accept", "Accept-Language", "Content-Type", "Content-Length", "Range", "User-Agent",
			"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range":
			for _, value := range values {
				headers = append(headers, &abi.Header{Name: name, Value: value})
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

// responseHeaders takes over what a module may say and then says what only the platform does. What a module serves may be somebody's
// upload on the Dashboard's own origin: the sandbox policy keeps it from acting there.
func responseHeaders(to http.Header, response *abi.HandleResponse, follows bool) {
	for _, header := range response.GetHeaders() {
		name := textproto.CanonicalMIMEHeaderKey(header.GetName())
		if !isPlatformHeader(name) {
			to[name] = append(to[name], header.GetValue())
		}
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

// isPlatformHeader knows what a module may not set: cookies and site-wide switches, hop-by-hop and CORS headers, and what the platform
// sets on every response itself.
func isPlatformHeader(name string) bool {
	switch name {
	case "Set-Cookie", "Set-Cookie2", "Clear-Site-Data", "Service-Worker-Allowed", "Strict-Transport-Security",
		"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "Content-Length", "Cache-Control", "Vary", "Content-Security-Policy",
		"X-Content-Type-Options", "X-Request-Id", "Timing-Allow-Origin":
		return true
	}
	return strings.HasPrefix(name, "Access-Control-")
}
