package environment

import (
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
)

// Realtime defines how several processes share updates. Without a NATS server, each process delivers only its
// own updates.
type Realtime struct {
	NATS []Secret // URLs of one server or cluster, all of one scheme; they may contain credentials
}

// Metrics is the address of the listener for metrics.
type Metrics struct {
	Network string // "tcp", "unix", or "" for none
	Address string
}

func readNATS(in input, out *Settings) Error {
	if !in.set {
		return ""
	}
	scheme := ""
	for part := range strings.SplitSeq(in.value, ",") {
		text := strings.TrimSpace(part)
		server, err := url.Parse(text)
		if err != nil || server.Hostname() == "" || server.RawQuery != "" || server.Fragment != "" ||
			strings.Trim(server.Path, "/") != "" {
			return ErrRealtime
		}
		plain := server.Scheme == "nats" && (!in.production || isLoopback(server.Hostname()))
		if server.Scheme != "tls" && !plain || scheme != "" && server.Scheme != scheme {
			return ErrRealtime
		}
		scheme = server.Scheme
		out.Realtime.NATS = append(out.Realtime.NATS, NewSecret(text))
	}
	return ""
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
