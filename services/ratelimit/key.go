package ratelimit

import "net/netip"

// Key is whom a count belongs to: one client and one thing it asks for. Comparable.
type Key struct {
	client [16]byte // smaller than the netip.Addr
	path   string
}

// KeyOf takes an IPv6 client by its /64, which is what one household gets: single addresses cost nothing there. All clients without
// an address share one key. path must be a constant of the program, not text of a request, whose memory it would hold.
func KeyOf(client netip.Addr, path string) Key {
	client = client.Unmap()
	if client.Is6() {
		client = netip.PrefixFrom(client, 64).Masked().Addr()
	}
	return Key{client.As16(), path}
}
