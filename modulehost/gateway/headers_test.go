package gateway_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

// platformHeaders are the headers that the platform sets on each of these responses.
var platformHeaders = []string{
	"Access-Control-Allow-Credentials", "Access-Control-Allow-Origin", "Cache-Control", "Content-Length",
	"Content-Security-Policy",
	"Content-Type", "Date", "Transfer-Encoding", "Vary", "X-Content-Type-Options", "X-Request-Id",
}

// rawResponseHead requests a handler to set headers and returns the head of the response byte for byte,
// without Go's client.
func (p *platform) rawResponseHead(
	method, path string, set map[string][]string,
) (status int, head textproto.MIMEHeader, raw string) {
	p.tb.Helper()
	body, err := json.Marshal(set)
	if err != nil {
		p.tb.Fatal(err)
	}
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		p.tb.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "%s %s%s HTTP/1.1\r\nHost: x\r\nOrigin: %s\r\nTest-Who: owner\r\n"+
		"Connection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, root, path, home, len(body), body)
	reader := bufio.NewReader(connection)
	for !strings.HasSuffix(raw, "\r\n\r\n") {
		line, err := reader.ReadString('\n')
		if raw += line; err != nil {
			p.tb.Fatalf("%s %s: the head breaks off after %q: %v", method, path, raw, err)
		}
	}
	first, rest, _ := strings.Cut(raw, "\r\n")
	status, _ = strconv.Atoi(strings.Fields(first)[1])
	if head, err = textproto.NewReader(bufio.NewReader(strings.NewReader(rest))).ReadMIMEHeader(); err != nil {
		p.tb.Fatalf("%s %s: %v in %q", method, path, err, raw)
	}
	head.Del("Connection")
	return status, head, raw
}

// TestResponseHeadersAreListed sets every header that a module might try to send, and headers that only
// resemble a listed one.
func TestResponseHeadersAreListed(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	passing := map[string][]string{
		"Content-Type": {"text/plain"}, "Content-Disposition": {`attachment; filename="a.txt"`},
		"Content-Language": {"de", "en"},
		"Content-Range":    {"bytes 0-1/2"}, "Accept-Ranges": {"bytes"}, "Etag": {`"kept"`},
		"Last-Modified": {"Wed, 21 Oct 2015 07:28:00 GMT"},
		"Location":      {root + "/lists/7?from=%0A&next=../x#part"}, "Retry-After": {"120"},
		"X-Module-Total": {"7", "8"},
		"X-Module-Words": {"größer\tals"}, "x-module-small": {"yes"},
	}
	const said = "from-the-module"
	set := maps.Clone(passing)
	for _, name := range []string{
		"Trailer:Set-Cookie", "Trailer:X-Module-A", "Trailer", "Set-Cookie", "Set-Cookie2", "Clear-Site-Data",
		"X-Accel-Redirect",
		"X-Accel-Buffering", "X-Sendfile", "Nel", "Report-To", "Reporting-Endpoints", "Alt-Svc", "Refresh", "Link",
		"Server", "Date",
		"Www-Authenticate", "Authentication-Info", "Access-Control-Allow-Origin", "Content-Encoding",
		"Content-Location", "Pragma",
		"Expires", "Age", "Upgrade", "Keep-Alive", "Sourcemap", "Permissions-Policy", "Referrer-Policy",
		"X-Frame-Options",
		"Speculation-Rules", "Content-Security-Policy-Report-Only", "X-Module-", "X-Module", "X-Modules-A",
		"X-Module-A B", "X-Module-A:B",
		"X-Module-\x00", "X-Module-ä", "Content-Type ", " Etag", "",
	} {
		set[name] = []string{said}
	}
	for i, value := range []string{"nul\x00" + said, "line\r\nSet-Cookie: " + said, "feed\n" + said,
		"delete\x7f" + said, "escape\x1b" + said} {
		set[fmt.Sprint("X-Module-Value-", i)] = []string{value}
	}
	for path, status := range map[string]int{"/headers/200/10": 200, "/headers/200/100000": 200,
		"/headers/304/0": 304} {
		got, head, raw := p.rawResponseHead("POST", path, set)
		if got != status || strings.Contains(raw, said) || strings.ContainsAny(raw, "\x00\x7f\x1b") {
			t.Errorf("%s: status %d, want %d; head %q", path, got, status, raw)
		}
		want := slices.Clone(platformHeaders)
		for name, values := range passing {
			name = textproto.CanonicalMIMEHeaderKey(name)
			want = append(want, name)
			if status == 304 && name == "Content-Type" {
				continue // net/http omits it
			}
			if !slices.Equal(head[name], values) {
				t.Errorf("%s: %s is %q, want %q", path, name, head[name], values)
			}
		}
		for name, values := range head {
			if !slices.Contains(want, name) {
				t.Errorf("%s: %s: %q is on the wire", path, name, values)
			}
		}
		if policy := head["Content-Security-Policy"]; len(policy) != 1 ||
			policy[0] != "sandbox; default-src 'none'" {
			t.Errorf("%s: Content-Security-Policy %q, want one sandbox policy", path, policy)
		}
	}
}

// TestResponseHeadersThatHaveOneValue checks headers that may occur once: recipients disagree on which of two
// values counts.
func TestResponseHeadersThatHaveOneValue(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	_, head, raw := p.rawResponseHead("POST", "/headers/200/10", map[string][]string{
		"Content-Type": {"text/plain", "text/html"}, "Etag": {`"1"`, `"2"`}, "Content-Length": {"3"},
		"X-Module-Padded": {" \tx\t "},
	})
	for name, want := range map[string]string{"Content-Type": "text/plain", "Etag": `"1"`,
		"Content-Length": "10", "X-Module-Padded": "x"} {
		if got := head[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q in %q", name, got, want, raw)
		}
	}
	_, head, _ = p.rawResponseHead("POST", "/headers/200/10", map[string][]string{"Content-Type": {""}})
	if got := head.Get("Content-Type"); got != "application/octet-stream" {
		t.Errorf("an empty Content-Type goes out as %q", got)
	}
}

func TestResponseHeadersAreBounded(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	set := map[string][]string{"Etag": {`"kept"`}, "Content-Language": {"de"}}
	for i := range 200 {
		set[fmt.Sprintf("X-Module-%03d", i)] = []string{strings.Repeat("x", 1000)}
	}
	for _, path := range []string{"/headers/200/10", "/headers/200/100000"} {
		status, head, raw := p.rawResponseHead("POST", path, set)
		if status != 200 || len(raw) < 15<<10 || len(raw) > 17<<10 || head.Get("Etag") == "" ||
			head.Get("Content-Language") == "" {
			t.Errorf("%s: status %d, a head of %d bytes, Etag %q; want 200, 16 KiB and the platform's own, the Etag",
				path, status, len(raw), head.Get("Etag"))
		}
	}
	status, head, raw := p.rawResponseHead("POST", "/headers/200/10",
		map[string][]string{"Etag": {strings.Repeat("x", 16<<10)}, "X-Module-A": {"kept"}})
	if status != 200 || head.Get("Etag") != "" || head.Get("X-Module-A") != "kept" {
		t.Errorf("one header of 16 KiB: status %d, a head of %d bytes", status, len(raw))
	}
}

func TestLocationStaysBelowTheModule(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for location, may := range map[string]bool{
		root + "/":                      true,
		root + "/lists/7":               true,
		root + "/a%2Fb/gr%C3%B6%C3%9Fe": true,
		root + "/a..b/.hidden/...":      true,
		root + "/x?next=../../y&u=//z":  true,
		root + "/x?b=%5C&n=%0A":         true,
		"":                              false,
		root:                            false,
		root + "-other/x":               false,
		root + "?x":                     false,
		"/":                             false,
		"/api/v1/principal":             false,
		"/api/v1/modules/another/x":     false,
		"lists/7":                       false,
		"/" + root + "/x":               false,
		root + "//x":                    false,
		root + "/%2Fx":                  false,
		"https://evil.example/":         false,
		"//evil.example" + root + "/":   false,
		"javascript:alert(1)":           false,
		root + "/../other/x":            false,
		root + "/..":                    false,
		root + "/./x":                   false,
		root + "/%2e%2e/other":          false,
		root + "/.%2E/other":            false,
		root + "/a%2F..%2F..%2Fother":   false,
		root + `/..\other`:              false,
		root + `/a\b`:                   false,
		root + `/x?\`:                   false,
		root + "/a%5Cb":                 false,
		root + "/a%00b":                 false,
		root + "/a%0d%0aSet-Cookie:x":   false,
		root + "/a%C2%85b":              false,
		root + "/a%7f":                  false,
		root + "/a\tb":                  false,
		root + "/a b":                   false,
		root + "/a\r\nSet-Cookie: x":    false,
		" " + root + "/a":               false,
		root + "/%zz":                   false,
		root + "/größe":                 false,
	} {
		for _, count := range []int{0, 100_000} {
			status, head, raw := p.rawResponseHead("POST", fmt.Sprint("/headers/303/", count),
				map[string][]string{"Location": {location}})
			if want := map[bool]int{true: 303, false: 500}[may]; status != want ||
				may != (head.Get("Location") == location && location != "") {
				t.Errorf("%q with %d bytes: status %d, want %d; %q", location, count, status, want, raw)
			}
			if !may && (len(head["Location"]) > 0 || head.Get("Content-Type") != "application/json") {
				t.Errorf("%q with %d bytes: %q goes out", location, count, raw)
			}
		}
	}
	status, _, raw := p.rawResponseHead("POST", "/headers/303/0",
		map[string][]string{"location": {root + "/a"}, "Location": {root + "/a", "https://evil.example/"}})
	if status != 500 {
		t.Errorf("a second location elsewhere: status %d, %q", status, raw)
	}
	p.assertTold("error: POST /headers/{status}/{count}: its Location is ")
	p.awaitFreeSockets(t)
}
