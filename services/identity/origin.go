package identity

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
)

// trustedOrigins holds the base URL's own origin and the configured ones. Unlike the platform's exact check
// of other writes, it accepts a Referer in place of the Origin header, and it normalises the value before
// it compares.
type trustedOrigins map[string]struct{}

func newTrustedOrigins(settings environment.Identity) trustedOrigins {
	trusted := trustedOrigins{string(settings.BaseURL): {}}
	for _, origin := range settings.TrustedOrigins {
		trusted[string(origin)] = struct{}{}
	}
	return trusted
}

// ruleA is for a write with our session cookie: another site must not be able to use it.
func (t trustedOrigins) ruleA(header http.Header) error {
	claimed := claimedOrigin(header)
	if claimed == "" || claimed == "null" {
		return errMissingOrigin
	}
	if _, ok := t[originOf(claimed)]; !ok {
		return errUntrustedOrigin
	}
	return nil
}

// ruleB is for a sign-in without a session cookie: another site must not sign a visitor in to somebody else's
// account. A client that sends neither fetch metadata nor an origin is not a browser, and passes.
func (t trustedOrigins) ruleB(header http.Header) error {
	site, mode := header.Get("Sec-Fetch-Site"), header.Get("Sec-Fetch-Mode")
	if site == "cross-site" && mode == "navigate" {
		return errCrossSiteLogin
	}
	fromBrowser := strings.TrimSpace(site+mode+header.Get("Sec-Fetch-Dest")) != ""
	if !fromBrowser && claimedOrigin(header) == "" {
		return nil
	}
	return t.ruleA(header)
}

func claimedOrigin(header http.Header) string {
	if origin := header.Get("Origin"); origin != "" {
		return origin
	}
	return header.Get("Referer")
}

// originOf reduces a URL to its origin in the format of environment.Origin. It returns "" for something
// that is no URL; "" is never trusted.
func originOf(text string) string {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" {
		return ""
	}
	host := strings.ToLower(parsed.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	port := parsed.Port()
	switch {
	case parsed.Scheme == "https" && port == "443", parsed.Scheme == "http" && port == "80":
		port = ""
	}
	if port != "" {
		host += ":" + port
	}
	return parsed.Scheme + "://" + host
}
