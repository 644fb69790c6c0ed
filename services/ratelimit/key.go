package ratelimit

import "net/netip"

// Key is what is counted: one client and the path that it requests. Comparable.
type Key struct {
	client [16]byte // smaller than the netip.Addr
	path   string
}

// KeyOf makes the key of a client and a path. An IPv6 client is counted by its /64, which is what one
// household gets, because single addresses cost nothing there. All clients without an address share one
// key. path must be a constant of the program: text of a request would keep the request's memory alive.
func KeyOf(client netip.Addr, path string) Key {
	client = client.Unmap()
	if client.Is6() {
		client = netip.PrefixFrom(client, 64).Masked().Addr()
	}
	return Key{client.As16(), path}
}
