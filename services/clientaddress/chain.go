package clientaddress

import (
	"net/netip"
	"strings"
)

// client walks the chain from the right, the end that trusted hands wrote, over all lines of the header as if they were one. The
// first hop that is no proxy of ours is the client; what stands to its left is a stranger's claim. That is still parsed, because one
// malformed hop means that the proxy did not overwrite the header, as it must.
func (s *Resolver) client(lines []string) (netip.Addr, error) {
	var client netip.Addr
	for i := len(lines) - 1; i >= 0; i-- {
		for rest, more := lines[i], true; more; {
			var text string
			rest, text, more = cutLast(rest, ',')
			hop, ok := parseHop(text)
			if !ok {
				return netip.Addr{}, ErrUnresolved
			}
			if !client.IsValid() && !s.Trusts(hop) {
				client = hop
			}
		}
	}
	if !client.IsValid() {
		return netip.Addr{}, ErrUnresolved
	}
	return client, nil
}

// parseHop takes a bare address. Ports, brackets, zones, names and octets with leading zeros are malformed: each is a way to write
// one client as two, or two as one.
func parseHop(text string) (hop netip.Addr, ok bool) {
	hop, err := netip.ParseAddr(strings.Trim(text, " \t"))
	if err != nil || hop.Zone() != "" {
		return netip.Addr{}, false
	}
	return hop.Unmap(), true
}

// cutLast splits at the last separator. Without one, all of it is after.
func cutLast(text string, separator byte) (before, after string, found bool) {
	i := strings.LastIndexByte(text, separator)
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}
