package environment

import (
	"net/netip"
	"net/textproto"
	"slices"
	"strings"
)

// ClientAddress defines where a client's address is read from.
type ClientAddress struct {
	TrustedProxy bool           // false: only from the socket's peer
	Header       string         // canonical; set with TrustedProxy only
	Proxies      []netip.Prefix // masked; IPv4-mapped ranges as IPv4; set with TrustedProxy only
}

func readClientAddressMode(in input, out *Settings) Error {
	switch {
	case in.value == "trusted-proxy":
		out.ClientAddress.TrustedProxy = true
	case in.set && in.value != "direct":
		return ErrClientAddress
	}
	return ""
}

func readClientAddressHeader(in input, out *Settings) Error {
	if !out.ClientAddress.TrustedProxy {
		return ""
	}
	header := textproto.CanonicalMIMEHeaderKey(in.value)
	if !isToken(in.value) || slices.Contains(noAddresses, header) {
		return ErrClientAddress
	}
	out.ClientAddress.Header = header
	return ""
}

// noAddresses are headers that cannot be the forwarded one. Forwarded has a grammar of its own (RFC 7239).
// The others belong to the connection or the message, and net/http hides most of them from a handler.
var noAddresses = []string{"Forwarded", "Host", "Connection", "Content-Length", "Keep-Alive", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade"}

// isToken reports whether name is a field name by the grammar of RFC 9110.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

func readTrustedProxies(in input, out *Settings) Error {
	if !out.ClientAddress.TrustedProxy {
		return ""
	}
	for part := range strings.SplitSeq(in.value, ",") {
		proxy, ok := parseProxy(strings.TrimSpace(part))
		if !ok || proxy.Bits() == 0 { // with a range of all addresses, every client could choose its address
			return ErrClientAddress
		}
		out.ClientAddress.Proxies = append(out.ClientAddress.Proxies, proxy)
	}
	return ""
}

// parseProxy parses an address or a range. It converts a range of IPv4-mapped addresses to the IPv4 range.
func parseProxy(text string) (netip.Prefix, bool) {
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), address.Zone() == ""
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	if prefix.Addr().Is4In6() {
		if prefix.Bits() < 96 { // larger than the mapped block: there is no equal IPv4 range
			return netip.Prefix{}, false
		}
		prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
	}
	return prefix.Masked(), true
}
