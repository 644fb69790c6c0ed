package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/services/environment"
)

const (
	nameLimit      = 3 * time.Second // the wait for a name server
	handshakeLimit = 3 * time.Second // the wait for the proxy
)

// names looks up the names of the addresses that people open. It only warns, because browsers may have
// another name server than this machine.
func (e *Examination) names(ctx context.Context) {
	if e.Sound&environment.IdentitySection == 0 {
		return
	}
	e.name(ctx, "SERVICE_IDENTITY_BASE_URL", "Base URL", e.Settings.Identity.BaseURL)
	e.http2(ctx, "SERVICE_IDENTITY_BASE_URL", "Base URL", e.Settings.Identity.BaseURL)
	if e.Topology != "same-origin" {
		e.name(ctx, "SERVICE_DASHBOARD_ORIGIN", "Dashboard", e.Settings.Identity.Dashboard)
	}
}

// http2 warns if a proxy speaks only HTTP/1.1 with browsers. It ends the handshake of TLS without a request,
// and says nothing if this machine does not reach the address, because browsers may.
func (e *Examination) http2(ctx context.Context, variable, what string, origin environment.Origin) {
	parsed, err := url.Parse(string(origin))
	if err != nil || parsed.Scheme != "https" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeLimit)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{
		ServerName: parsed.Hostname(),
		NextProtos: []string{"h2", "http/1.1"},
		// Nothing is sent, and who answers is for browsers to check.
		InsecureSkipVerify: true,
	}}
	connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(parsed.Hostname(),
		cmp.Or(parsed.Port(), "443")))
	if err != nil {
		return
	}
	defer connection.Close()
	if connection.(*tls.Conn).ConnectionState().NegotiatedProtocol == "h2" {
		e.ok("%s: browsers can use HTTP/2.", what)
		return
	}
	e.warn("HTTP2_MISSING", "The proxy at "+variable+" speaks only HTTP/1.1, so a browser has six connections "+
		"for all its windows, and the streams of several windows slow each other down; turn HTTP/2 on in the "+
		"proxy.")
}

func (e *Examination) name(ctx context.Context, variable, what string, origin environment.Origin) {
	parsed, err := url.Parse(string(origin))
	if err != nil {
		return
	}
	host := parsed.Hostname()
	_, err = netip.ParseAddr(host)
	if err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return // browsers look none of them up (RFC 6761, 6.3)
	}
	ctx, cancel := context.WithTimeout(ctx, nameLimit)
	defer cancel()
	_, err = net.DefaultResolver.LookupHost(ctx, host)
	failure := (*net.DNSError)(nil)
	switch {
	case err == nil:
		e.ok("%s: its name is found.", what)
	case errors.As(err, &failure) && failure.IsNotFound:
		e.warn("BASE_URL_UNRESOLVED", "The name in "+variable+" is not found by this machine, so browsers may not "+
			"find it either; correct it, or add it to the DNS.")
	default:
		e.warn("BASE_URL_UNRESOLVED", "The name in "+variable+" could not be looked up, because no name server "+
			"answers this machine; see /etc/resolv.conf.")
	}
}
