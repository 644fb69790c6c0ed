package environment

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Origin is one canonical http or https origin, in the format of a browser's Origin header:
// "https://church.example.org".
type Origin string

// HTTPS reports whether cookies of this origin have Secure and the __Host- prefix.
func (o Origin) HTTPS() bool { return strings.HasPrefix(string(o), "https://") }

// ParseOrigin accepts an origin only in its canonical format: scheme, host, and a port that is not the
// default. In production it also refuses http and every form of a loopback or unspecified host.
func ParseOrigin(text string, production bool) (Origin, bool) {
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return "", false
	}
	host, loopback, ok := canonicalHost(parsed.Hostname())
	if !ok {
		return "", false
	}
	canonical := parsed.Scheme + "://" + host
	if port := parsed.Port(); port != "" && !isDefaultPort(parsed.Scheme, port) {
		canonical += ":" + port
	}
	if canonical != text || !isPort(parsed.Port()) {
		return "", false
	}
	if production && (parsed.Scheme != "https" || loopback) {
		return "", false
	}
	return Origin(canonical), true
}

func isDefaultPort(scheme, port string) bool {
	return scheme == "http" && port == "80" || scheme == "https" && port == "443"
}

// isPort accepts no port, or 1 to 65535 without leading zeros.
func isPort(port string) bool {
	var number int
	for _, digit := range port {
		number = number*10 + int(digit-'0')
	}
	return port == "" || len(port) <= 5 && port[0] != '0' && number <= 65535
}

// canonicalHost formats a host like browsers do and reports whether it is this machine (loopback).
func canonicalHost(host string) (canonical string, loopback, ok bool) {
	if address, err := netip.ParseAddr(host); err == nil {
		if address.Zone() != "" {
			return "", false, false
		}
		plain := address.Unmap()
		loopback = plain.IsLoopback() || plain.IsUnspecified()
		switch {
		case address.Is4In6(): // browsers write the mapped form in hexadecimal
			four := plain.As4()
			return fmt.Sprintf("[::ffff:%x:%x]", uint16(four[0])<<8|uint16(four[1]),
				uint16(four[2])<<8|uint16(four[3])), loopback, true
		case address.Is6():
			return "[" + address.String() + "]", loopback, true
		}
		return address.String(), loopback, true
	}
	if len(host) > 253 {
		return "", false, false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if !isLabel(label) {
			return "", false, false
		}
	}
	last := labels[len(labels)-1]
	if '0' <= last[0] && last[0] <= '9' { // browsers read 127.1 and 0x7f.1 as addresses
		return "", false, false
	}
	return host, last == "localhost", true
}

func isLabel(label string) bool {
	if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, r := range label {
		if r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') {
			return false
		}
	}
	return true
}
