// Package clientaddress finds the address that a request comes from, and passes it to the rest of the
// platform in one internal header.
//
// In direct mode the address is that of the socket's peer, and no header is read. Behind a trusted proxy
// the forwarded header counts, but only when the peer is that proxy. An ambiguous header is refused and
// never guessed at, because the rate limiter would then count several clients as one, or one as several.
package clientaddress

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
)

// Header is the name of the internal header with the resolved address. Stamp sets it, and removes any value
// that a client sent.
const Header = "X-Service-Client-Address"

// Resolver finds the client address of requests. It never changes, so it is safe for concurrent use.
type Resolver struct {
	header  string
	proxies []netip.Prefix // empty in direct mode: no peer is trusted then
}

// New makes a Resolver from validated settings. In direct mode it ignores the settings for header and
// proxies.
func New(settings environment.ClientAddress) *Resolver {
	if !settings.TrustedProxy {
		return &Resolver{}
	}
	return &Resolver{header: settings.Header, proxies: settings.Proxies}
}

// Resolve returns the client's address: IPv4-mapped IPv6 as IPv4, no zone. It fails with ErrUnresolved when
// the peer is a trusted proxy whose chain is missing, empty, malformed or contains only proxies, and when the
// peer has no address.
func (s *Resolver) Resolve(r *http.Request) (netip.Addr, error) {
	peer, err := peerAddress(r.RemoteAddr)
	if err != nil || !s.Trusts(peer) {
		return peer, err
	}
	return s.client(r.Header[s.header])
}

// Stamp resolves the client's address and writes it into Header, replacing any value that the client sent. It
// fails like Resolve; the header is then absent.
func (s *Resolver) Stamp(r *http.Request) error {
	client, err := s.Resolve(r)
	if err != nil {
		delete(r.Header, Header)
		return err
	}
	r.Header[Header] = []string{format(client, r.RemoteAddr)}
	return nil
}

// Of returns the address that Stamp wrote. It returns the zero address when Stamp has not set the header.
func Of(header http.Header) netip.Addr {
	stamped := header[Header]
	if len(stamped) != 1 {
		return netip.Addr{}
	}
	client, err := netip.ParseAddr(stamped[0])
	if err != nil {
		return netip.Addr{}
	}
	return client
}

// Trusts reports whether an address is that of a trusted proxy.
func (s *Resolver) Trusts(address netip.Addr) bool {
	for _, proxy := range s.proxies {
		if proxy.Contains(address) {
			return true
		}
	}
	return false
}

// peerAddress returns the peer's address without its zone, because the zone identifies an interface of this
// machine, not the client.
func peerAddress(remote string) (netip.Addr, error) {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, ErrUnresolved // without the cause, which contains the address
	}
	return peer.Addr().Unmap().WithZone(""), nil
}

// format is client.String(), but without an allocation in the usual case, in which remote contains the same
// text.
func format(client netip.Addr, remote string) string {
	host, _, _ := cutLast(remote, ':')
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	var text [64]byte
	if written := client.AppendTo(text[:0]); string(written) != host {
		return string(written)
	}
	return host
}
