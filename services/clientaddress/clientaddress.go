// Package clientaddress owns which address a request comes from, and the one internal header that tells it to the rest of the
// platform (spec.md § Authentication 9).
//
// In direct mode that is the socket's peer, and no header is looked at. Behind a trusted proxy the proxy's word counts, but only the
// proxy's: a forwarded header from any other peer is ignored. What cannot be told apart safely is refused, never guessed, because the
// rate limiter would otherwise count strangers together or not at all.
package clientaddress

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/narthex-platform/narthex/services/environment"
)

// Header carries the resolved address inside the process. Stamp writes it; a copy that a client sends never survives.
const Header = "X-Service-Client-Address"

// Resolver tells where requests come from. Safe for concurrent use; it holds nothing that changes.
type Resolver struct {
	header  string
	proxies []netip.Prefix // none in direct mode: then no peer is ever trusted
}

// New makes a Resolver. The settings are validated already; in direct mode its header and proxies do not count.
func New(settings environment.ClientAddress) *Resolver {
	if !settings.TrustedProxy {
		return &Resolver{}
	}
	return &Resolver{header: settings.Header, proxies: settings.Proxies}
}

// Resolve returns the client's address: IPv4-mapped IPv6 as IPv4, no zone. It fails with ErrUnresolved when the peer is a trusted
// proxy whose chain is missing, empty, malformed anywhere or made of proxies alone, and when the peer has no address.
func (s *Resolver) Resolve(r *http.Request) (netip.Addr, error) {
	peer, err := peerAddress(r.RemoteAddr)
	if err != nil || !s.Trusts(peer) {
		return peer, err
	}
	return s.client(r.Header[s.header])
}

// Stamp resolves the client's address and writes it into Header, in place of whatever came with the request. It fails as Resolve
// does; then the header is absent.
func (s *Resolver) Stamp(r *http.Request) error {
	client, err := s.Resolve(r)
	if err != nil {
		delete(r.Header, Header)
		return err
	}
	r.Header[Header] = []string{spell(client, r.RemoteAddr)}
	return nil
}

// Of reads what Stamp wrote. The zero address: nothing was stamped, so nobody knows.
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

// Trusts tells whether an address is one of the proxies.
func (s *Resolver) Trusts(address netip.Addr) bool {
	for _, proxy := range s.proxies {
		if proxy.Contains(address) {
			return true
		}
	}
	return false
}

// peerAddress drops the zone of a link-local peer: it names an interface of this machine, not the client.
func peerAddress(remote string) (netip.Addr, error) {
	peer, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, ErrUnresolved // without the cause, which repeats the address
	}
	return peer.Addr().Unmap().WithZone(""), nil
}

// spell is client.String() that spares the allocation in the usual case: the socket's peer is written in the same way already.
func spell(client netip.Addr, remote string) string {
	host, _, _ := cutLast(remote, ':')
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	var text [64]byte
	if written := client.AppendTo(text[:0]); string(written) != host {
		return string(written)
	}
	return host
}
