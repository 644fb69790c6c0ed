package environment

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
)

// Realtime joins several processes; without a server each has its own hubs.
type Realtime struct {
	NATS Secret // a URL, which may hold credentials; "" means none
}

// Metrics is a listener of its own for whoever watches the process.
type Metrics struct {
	Network string // "tcp", "unix", or "" for none
	Address string
}

func readNATS(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	server, err := url.Parse(in.value)
	if err != nil || server.Hostname() == "" || server.RawQuery != "" || server.Fragment != "" || strings.Trim(server.Path, "/") != "" {
		return ErrRealtime
	}
	out.Realtime.NATS = NewSecret(in.value)
	plain := server.Scheme == "nats" && (!in.production || isLoopback(server.Hostname()))
	return unless(server.Scheme == "tls" || plain, ErrRealtime)
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}

func readMetricsAddress(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	if filepath.IsAbs(in.value) && !strings.ContainsRune(in.value, 0) {
		out.Metrics = Metrics{Network: "unix", Address: filepath.Clean(in.value)}
		return ""
	}
	host, port, err := net.SplitHostPort(in.value)
	if err != nil || !isLoopback(host) {
		return ErrMetricsAddress
	}
	out.Metrics = Metrics{Network: "tcp", Address: in.value}
	_, ok := parsePort(port)
	return unless(ok, ErrMetricsAddress)
}
