package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// TestBytesThatAreNoText sends bytes that are not UTF-8, and NUL, wherever a client may send some,
// to every route of the platform and of the four sample modules that have a server. In a header they have no
// effect on the response. In a path they are refused. In a query or a body they are no failure of the server.
func TestBytesThatAreNoText(t *testing.T) {
	if testing.Short() {
		t.Skip("it sends thousands of requests")
	}
	t.Parallel()
	i := install(t, "announcements", "calendar", "rota", "stage")
	i.useProxyAddresses()
	routes := matrixRoutes(i.inProcess(t))
	owner := &noTextSender{person: i.visitorFrom(t, 1).signInAs(t, ownerAddress)}
	values := owner.values(t)

	for _, route := range routes {
		if strings.Contains(route.Path, "/sign-out") {
			continue // it ends the session, and reads nothing
		}
		owner.checkHeaders(t, route)
		owner.checkPath(t, route)
		owner.checkQuery(t, route)
		owner.checkBody(t, route, values)
	}
}

// noText is what a client may send in a path, percent-encoded: Latin-1, a cut sequence, a surrogate, NUL.
var noText = []string{"%FC", "a%C3", "%ED%A0%80", "%00", "a%00b"}

// noTextSender sends each request from another client's address, so that no rate limit refuses one.
type noTextSender struct {
	*person
	sent int
}

func (p *noTextSender) send(
	t *testing.T, method, path, query string, header http.Header, body string,
) httpResponse {
	t.Helper()
	target, err := url.Parse(p.address + path)
	if err != nil {
		t.Fatal(err)
	}
	target.RawQuery = query
	request, err := http.NewRequestWithContext(t.Context(), method, target.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.URL.RawQuery = query
	p.sent++
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.1", p.sent/250, p.sent%250))
	request.Header.Set("Cookie", p.cookie)
	if method != http.MethodGet {
		request.Header.Set("Origin", p.address)
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := p.client.Do(request)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	if strings.HasPrefix(path, gateway.RealtimePrefix) && response.StatusCode == http.StatusOK {
		return httpResponse{response.StatusCode, response.Header, ""} // a stream does not end
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return httpResponse{response.StatusCode, response.Header, string(text)}
}

// some returns the route's path with existing values, as far as there are any.
func some(route httpapi.Route) string {
	return parameterSegment.ReplaceAllString(route.Path, "00000000-0000-4000-8000-000000000000")
}

// needsStorage reports whether the route answers 503 here, because this installation has no object storage.
func needsStorage(got httpResponse) bool {
	return got.status == http.StatusServiceUnavailable && strings.Contains(got.body, "STORAGE_UNAVAILABLE")
}

func (p *noTextSender) checkHeaders(t *testing.T, route httpapi.Route) {
	t.Helper()
	if route.Method != http.MethodGet {
		return
	}
	path := some(route)
	want := p.send(t, route.Method, path, "", nil, "")
	for _, name := range []string{"User-Agent", "Accept", "Accept-Language", "If-None-Match", "Range",
		"Content-Type", "If-Modified-Since", "If-Range"} {
		got := p.send(t, route.Method, path, "", http.Header{name: {"T\xfcr, \xc3"}}, "")
		if got.status != want.status {
			t.Errorf("%s %s with Latin-1 in %s: %d %.100s, want %d", route.Method, route.Path, name, got.status,
				got.body, want.status)
		}
	}
}

func (p *noTextSender) checkPath(t *testing.T, route httpapi.Route) {
	t.Helper()
	for _, parameter := range parameterSegment.FindAllString(route.Path, -1) {
		for _, bytes := range noText {
			path := strings.Replace(route.Path, parameter, bytes, 1)
			path = parameterSegment.ReplaceAllString(path, "1")
			body := "{}"
			if route.MaxBody == 0 {
				body = ""
			}
			got := p.send(t, route.Method, path, "", nil, body)
			absent := route.Method == http.MethodDelete && got.status == 204 // what cannot exist is gone
			if got.status != 400 && got.status != 404 && !absent {
				t.Errorf("%s %s: %d %.100s, want 400 or 404", route.Method, path, got.status, got.body)
			}
		}
	}
}

func (p *noTextSender) checkQuery(t *testing.T, route httpapi.Route) {
	t.Helper()
	if route.Method != http.MethodGet {
		return
	}
	for _, name := range []string{
		"limit", "cursor", "from", "to", "q", "search", "service", "state", "\xfc", "%00",
	} {
		for _, bytes := range append(slices.Clone(noText), "\xfc") {
			got := p.send(t, route.Method, some(route), name+"="+bytes, nil, "")
			if got.status >= 500 && !needsStorage(got) {
				t.Errorf("%s %s?%q: %d %.100s, want no failure", route.Method, route.Path, name+"="+bytes,
					got.status, got.body)
			}
		}
	}
}

// checkBody changes each string of the route's body in turn.
func (p *noTextSender) checkBody(t *testing.T, route httpapi.Route, values map[string]string) {
	t.Helper()
	if route.Method == http.MethodGet || route.MaxBody == 0 {
		return
	}
	path := route.Path
	for from, to := range values {
		path = strings.Replace(path, from, to, 1)
	}
	path = parameterSegment.ReplaceAllString(path, "00000000-0000-4000-8000-000000000000")
	body := values[route.Method+" "+route.Path]
	for _, bytes := range []string{"\xfc", "\xed\xa0\x80", `\ud800`, `\u0000`} {
		for n := range max(1, strings.Count(body, "§")) {
			changed := body
			for at := range n + 1 {
				if at == n {
					changed = strings.Replace(changed, "§", bytes, 1)
				} else {
					changed = strings.Replace(changed, "§", "", 1)
				}
			}
			changed = strings.ReplaceAll(changed, "§", "")
			if body == "" {
				changed = `{"name":"` + bytes + `"}`
			}
			if got := p.send(t, route.Method, path, "", nil, changed); got.status >= 500 {
				t.Errorf("%s %s with %.200q: %d %.100s, want no failure", route.Method, route.Path, changed,
					got.status, got.body)
			}
		}
		for _, typed := range []string{"text/plain", "text/csv", "text/calendar", "application/octet-stream",
			"image/png", "application/json; charset=\xfc", "\xfc/\xfc"} {
			got := p.send(t, route.Method, path, "", http.Header{"Content-Type": {typed}}, "a;b\n"+bytes+"\n")
			if got.status >= 500 && !needsStorage(got) {
				t.Errorf("%s %s with %q as %q: %d %.100s, want no failure", route.Method, route.Path, bytes, typed,
					got.status, got.body)
			}
		}
	}
}

// values creates an object of each kind. It returns by a route the body that the route accepts, with a § in
// each text, and by the beginning of a path the same path with an existing object's id.
func (p *noTextSender) values(t *testing.T) map[string]string {
	t.Helper()
	module := "/api/v1/modules/"
	text, err := os.ReadFile("testdata/bodies.txt")
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if route, body, found := strings.Cut(strings.TrimSpace(line), " {"); found {
			values[route] = "{" + body
		}
	}
	for beginning, route := range map[string]string{
		module + "announcements/slides/{id}": module + "announcements/slides",
		module + "calendar/rooms/{id}":       module + "calendar/rooms",
		module + "calendar/events/{id}":      module + "calendar/events",
		module + "stage/services/{id}":       module + "stage/services",
		module + "stage/songs/{id}":          module + "stage/songs",
	} {
		got := p.send(t, "POST", route, "", nil, strings.ReplaceAll(values["POST "+route], "§", ""))
		var made struct{ ID any }
		if err := json.Unmarshal([]byte(got.body), &made); err != nil || made.ID == nil {
			t.Fatalf("POST %s: %d %.200s, error %v; want an id", route, got.status, got.body, err)
		}
		values[beginning] = strings.Replace(beginning, "{id}", fmt.Sprint(made.ID), 1)
	}
	service := values[module+"stage/services/{id}"]
	values[module+"stage/live/{id}"] = strings.Replace(service, "services", "live", 1)
	return values
}
