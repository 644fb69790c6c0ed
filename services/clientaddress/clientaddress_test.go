package clientaddress_test

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
)

const (
	forwarded = "X-Forwarded-For"
	proxy     = "10.0.0.1:443"
)

func behindProxies() *clientaddress.Resolver {
	return clientaddress.New(environment.ClientAddress{
		TrustedProxy: true,
		Header:       forwarded,
		Proxies: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:aaaa::/48"),
			netip.MustParsePrefix("fe80::/10"),
		},
	})
}

// request returns a request with one forwarded header line for each entry of chain.
func request(peer string, chain ...string) *http.Request {
	r := &http.Request{RemoteAddr: peer, Header: http.Header{}}
	for _, line := range chain {
		r.Header.Add(forwarded, line)
	}
	return r
}

// check resolves and stamps the request; want is the address, "" for ErrUnresolved.
func check(t *testing.T, resolver *clientaddress.Resolver, r *http.Request, want string) {
	t.Helper()
	r.Header[clientaddress.Header] = []string{"203.0.113.66", "203.0.113.67"} // supplied by the client
	client, err := resolver.Resolve(r)
	stamped := resolver.Stamp(r)
	if want == "" {
		if !errors.Is(err, clientaddress.ErrUnresolved) || !errors.Is(stamped, clientaddress.ErrUnresolved) ||
			client.IsValid() {
			t.Errorf("peer %s, header %q: resolved %v, %v; stamped %v; want ErrUnresolved from both", r.RemoteAddr,
				r.Header[forwarded], client, err, stamped)
		}
		if _, found := r.Header[clientaddress.Header]; found {
			t.Errorf("peer %s, header %q: the header that the client sent is left", r.RemoteAddr, r.Header[forwarded])
		}
		return
	}
	if err != nil || stamped != nil || client.String() != want {
		t.Errorf("peer %s, header %q: resolved %v, %v; stamped %v; want %s", r.RemoteAddr, r.Header[forwarded],
			client, err, stamped, want)
	}
	if got := r.Header[clientaddress.Header]; len(got) != 1 || got[0] != want ||
		clientaddress.Of(r.Header) != client {
		t.Errorf("stamped %q, want %s", got, want)
	}
}

func TestDirect(t *testing.T) {
	resolver := clientaddress.New(environment.ClientAddress{Header: forwarded,
		Proxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}})
	for _, row := range []struct{ peer, want string }{
		{"198.51.100.7:1234", "198.51.100.7"},
		{"[2001:db8::7]:1234", "2001:db8::7"},
		{"[2001:0db8:0:0::7]:1234", "2001:db8::7"},
		{"[::ffff:198.51.100.7]:1234", "198.51.100.7"},
		{"[::FFFF:c633:6407]:1234", "198.51.100.7"},
		{"[fe80::1%eth0]:1234", "fe80::1"},
		{"", ""}, {"@", ""}, {"198.51.100.7", ""}, {"localhost:80", ""},
	} {
		check(t, resolver, request(row.peer, "192.0.2.1"), row.want)
	}
}

func TestTrustedProxy(t *testing.T) {
	resolver := behindProxies()
	lines := func(chain ...string) []string { return chain }
	for _, row := range []struct {
		name, peer string
		chain      []string
		want       string
	}{
		{"one hop", proxy, lines("192.0.2.1"), "192.0.2.1"},
		{"a claim to the left", proxy, lines("203.0.113.9, 192.0.2.1"), "192.0.2.1"},
		{"a trusted claim to the left", proxy, lines("10.9.9.9, 192.0.2.1"), "192.0.2.1"},
		{"trailing proxies", proxy, lines("192.0.2.1, 10.1.1.1, 2001:db8:aaaa::2"), "192.0.2.1"},
		{"a stranger between proxies", proxy, lines("203.0.113.9, 10.1.1.1, 192.0.2.1, 10.2.2.2"), "192.0.2.1"},
		{"over lines", proxy, lines("203.0.113.9", "192.0.2.1", "10.1.1.1"), "192.0.2.1"},
		{"blanks and tabs", proxy, lines("\t192.0.2.1 ,10.1.1.1\t"), "192.0.2.1"},
		{"IPv6", proxy, lines("2001:DB8:0:0::1"), "2001:db8::1"},
		{"IPv4-mapped", proxy, lines("::ffff:192.0.2.1"), "192.0.2.1"},
		{"IPv4-mapped, upper case, hexadecimal", proxy, lines("::FFFF:C000:0201"), "192.0.2.1"},
		{"IPv4-mapped, written out", proxy, lines("0:0:0:0:0:ffff:192.0.2.1"), "192.0.2.1"},
		{"mapped proxies are proxies", proxy, lines("192.0.2.1, ::ffff:10.1.1.1"), "192.0.2.1"},
		{"mapped peer is a proxy", "[::ffff:10.0.0.1]:443", lines("192.0.2.1"), "192.0.2.1"},
		{"zoned peer is a proxy", "[fe80::1%eth0]:443", lines("192.0.2.1"), "192.0.2.1"},
		{"untrusted peer", "198.51.100.7:443", lines("192.0.2.1"), "198.51.100.7"},
		{"untrusted peer, malformed", "198.51.100.7:443", lines("nonsense"), "198.51.100.7"},
		{"untrusted peer, no header", "198.51.100.7:443", nil, "198.51.100.7"},

		{"missing", proxy, nil, ""},
		{"empty", proxy, lines(""), ""},
		{"blank", proxy, lines(" \t"), ""},
		{"all trusted", proxy, lines("10.1.1.1, 2001:db8:aaaa::2"), ""},
		{"empty hop", proxy, lines("192.0.2.1,,10.1.1.1"), ""},
		{"comma at the end", proxy, lines("192.0.2.1,"), ""},
		{"empty line", proxy, lines("192.0.2.1", ""), ""},
		{"port", proxy, lines("192.0.2.1:80"), ""},
		{"brackets", proxy, lines("[2001:db8::1]"), ""},
		{"brackets and port", proxy, lines("[2001:db8::1]:80"), ""},
		{"zone", proxy, lines("fe81::1%eth0"), ""},
		{"empty zone", proxy, lines("2001:db8::1%"), ""},
		{"name", proxy, lines("localhost"), ""},
		{"unknown", proxy, lines("unknown"), ""},
		{"leading zero", proxy, lines("192.0.2.01"), ""},
		{"leading zero, mapped", proxy, lines("::ffff:192.0.2.01"), ""},
		{"short", proxy, lines("192.0.513"), ""},
		{"number", proxy, lines("3221225985"), ""},
		{"hexadecimal", proxy, lines("0xc0.0.2.1"), ""},
		{"range", proxy, lines("192.0.2.0/24"), ""},
		{"quotes", proxy, lines(`"192.0.2.1"`), ""},
		{"RFC 7239", proxy, lines("for=192.0.2.1"), ""},
		{"two in one", proxy, lines("192.0.2.1 192.0.2.2"), ""},
		{"another separator", proxy, lines("192.0.2.1; 192.0.2.2"), ""},
		{"another blank", proxy, lines("192.0.2.1\u00a0"), ""},
		{"malformed on the right", proxy, lines("192.0.2.1, nonsense"), ""},
		{"malformed on the left", proxy, lines("nonsense, 192.0.2.1"), ""},
		{"malformed on an earlier line", proxy, lines("nonsense", "192.0.2.1"), ""},
	} {
		t.Run(row.name, func(t *testing.T) { check(t, resolver, request(row.peer, row.chain...), row.want) })
	}
}

func TestOnlyTheConfiguredHeaderCounts(t *testing.T) {
	r := request(proxy)
	for _, name := range []string{"X-Real-Ip", "Forwarded", "X_Forwarded_For", "Cf-Connecting-Ip"} {
		r.Header.Set(name, "192.0.2.1")
	}
	check(t, behindProxies(), r, "")
}

func TestOf(t *testing.T) {
	for _, values := range [][]string{nil, {}, {""}, {"nonsense"}, {"192.0.2.1", "192.0.2.1"}} {
		if got := clientaddress.Of(http.Header{clientaddress.Header: values}); got.IsValid() {
			t.Errorf("Of(%q): got %v, want no address", values, got)
		}
	}
}

// In direct mode an ordinary request costs one allocation: the header's slice.
func TestDirectStampAllocatesOnce(t *testing.T) {
	resolver := clientaddress.New(environment.ClientAddress{})
	for _, peer := range []string{"198.51.100.7:1234", "[2001:db8::7]:1234"} {
		r := request(peer)
		if n := testing.AllocsPerRun(100, func() { _ = resolver.Stamp(r) }); n != 1 {
			t.Errorf("Stamp with peer %s: %v allocations, want 1", peer, n)
		}
		n := testing.AllocsPerRun(100, func() { _, _ = resolver.Resolve(r); clientaddress.Of(r.Header) })
		if n != 0 {
			t.Errorf("Resolve with peer %s: %v allocations, want 0", peer, n)
		}
	}
}

// naive is a simpler implementation from the left: it splits and parses all addresses, and returns the last
// one that is not a proxy.
func naive(lines []string, trusts func(netip.Addr) bool) (client netip.Addr) {
	if len(lines) == 0 {
		return netip.Addr{}
	}
	for text := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		hop, err := netip.ParseAddr(strings.Trim(text, " \t"))
		if err != nil || strings.Contains(text, "%") {
			return netip.Addr{}
		}
		if hop = hop.Unmap(); !trusts(hop) {
			client = hop
		}
	}
	return client
}

func FuzzChain(f *testing.F) {
	for _, seed := range [][2]string{
		{"192.0.2.1", "10.1.1.1"}, {"192.0.2.1, 10.1.1.1", ""}, {"::FFFF:C000:0201", "2001:db8:aaaa::2 , fe80::1"},
		{"fe81::1%eth0", "[::1]:80"}, {"192.0.2.01", ","}, {"10.0.0.1", "10.0.0.2"},
	} {
		f.Add(seed[0], seed[1])
	}
	resolver := behindProxies()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:aaaa::/48"),
		netip.MustParsePrefix("fe80::/10")}
	trusts := func(address netip.Addr) bool {
		return trusted[0].Contains(address) || trusted[1].Contains(address) || trusted[2].Contains(address)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		r := request(proxy, first, second)
		client, err := resolver.Resolve(r)
		if want := naive([]string{first, second}, trusts); client != want || (err == nil) != want.IsValid() {
			t.Fatalf("%q, %q: got %v, %v, want %v", first, second, client, err, want)
		}
		if err != nil {
			return
		}
		if client.Is4In6() || client.Zone() != "" || trusts(client) {
			t.Fatalf("%q, %q: %v is a proxy or not canonical, want a client", first, second, client)
		}
		if err := resolver.Stamp(r); err != nil || clientaddress.Of(r.Header) != client {
			t.Fatalf("%q, %q: stamped %q, %v", first, second, r.Header[clientaddress.Header], err)
		}
	})
}
