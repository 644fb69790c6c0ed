package identity

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
)

// trustedOrigins is the base URL's own origin and the listed ones, and the two rules that ask for them.
// Unlike the platform's exact check of other writes, a Referer may stand in for the Origin here, and
// spelling makes no difference (contract.md §2).
type trustedOrigins map[string]struct{}

func newTrustedOrigins(settings environment.Identity) trustedOrigins {
	trusted := trustedOrigins{string(settings.BaseURL): {}}
	for _, origin := range settings.TrustedOrigins {
		trusted[string(origin)] = struct{}{}
	}
	return trusted
}

// ruleA is for a write that carries our session cookie: another site must not use it.
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

// ruleB is for a first authentication, which carries no session: another site must not sign a visitor in as
// somebody else. What sends neither fetch metadata nor an origin is no browser and passes.
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

// originOf reduces a URL to its origin in the canonical spelling of environment.Origin; "" is an origin of
// nobody.
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
