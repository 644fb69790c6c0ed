package clientaddress

import (
	"net/netip"
	"strings"
)

// client walks the chain of all lines of the header from the right, the end that the trusted proxies wrote.
// The first address that is not a trusted proxy is the client. Everything to its left was written by the
// client, so it is ignored. It is parsed nevertheless, because a malformed address shows that the proxy did
// not overwrite the header, as it must.
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

// parseHop parses a bare address. Ports, brackets, zones, names and octets with leading zeros are malformed,
// because with them one client could look like two, or two like one.
func parseHop(text string) (hop netip.Addr, ok bool) {
	hop, err := netip.ParseAddr(strings.Trim(text, " \t"))
	if err != nil || hop.Zone() != "" {
		return netip.Addr{}, false
	}
	return hop.Unmap(), true
}

// cutLast splits text at the last separator. Without a separator, all of it is after.
func cutLast(text string, separator byte) (before, after string, found bool) {
	i := strings.LastIndexByte(text, separator)
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+1:], true
}
