package browsertest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

var clients atomic.Uint32

// newClient returns a client with an address of its own, because the platform limits how often a client may
// sign in.
func newClient() *http.Transport {
	number := clients.Add(1)
	address := &net.TCPAddr{IP: net.IPv4(127, 1, byte(number>>8), byte(number))}
	return &http.Transport{DialContext: (&net.Dialer{LocalAddr: address}).DialContext}
}

// front is a proxy in front of the house with an address of its own. It records the requests of the API, and
// gives the responses that a test sets in the place of the house.
func (d *devServer) front(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{t: t, house: d, responses: map[string]http.HandlerFunc{}}
	h.Server = httptest.NewUnstartedServer(nil)
	target, err := url.Parse(d.address)
	if err != nil {
		t.Fatal(err)
	}
	transport := newClient()
	h.platform = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = target.Host
			if r.In.Header.Get("Origin") == h.URL && !h.untrusted {
				r.Out.Header.Set("Origin", d.address)
			}
		},
		FlushInterval: -1,
		Transport:     transport,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	h.Config.Handler = http.HandlerFunc(h.serve)
	h.Start()
	t.Cleanup(func() {
		h.CloseClientConnections() // "narthex dev" keeps a request of each page open
		h.Close()
		transport.CloseIdleConnections()
	})
	return h
}

// hold lets the requests of a route wait until open is called.
func (h *fixture) hold(route string) (open func()) {
	opened := make(chan struct{})
	h.handle(route, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-opened:
			h.platform.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
	return func() { close(opened) }
}

// openAs opens a page of the Dashboard as a person who has signed in.
func (h *fixture) openAs(email, path string, v view) *tab {
	h.t.Helper()
	return h.house.openAt(h.t, chromium, h.house.signIn(h.t, email), h.URL, path, v)
}

// withdraw takes a permission from the person of a page. The list of its screen is not read until the
// returned function is called: the page reads it every 15 s, and then says that there is no access in the
// place of what a test is about to press.
func (h *fixture) withdraw(p *tab, email, permission, list string) (read func()) {
	h.t.Helper()
	h.awaitRead(p)
	read = h.hold(list)
	h.house.revoke(h.t, email, permission)
	return read
}

var members atomic.Int32

// member adds a person with a name and grants, and returns their email address.
func (d *devServer) member(t *testing.T, name string, permissions ...string) (email string) {
	t.Helper()
	email = fmt.Sprintf("%s%d@example.org", strings.ToLower(strings.ReplaceAll(name, " ", "")), members.Add(1))
	id := d.addPerson(t, email, name)
	for _, permission := range permissions {
		d.grant(t, id, permission, "NULL")
	}
	return email
}

// emailedLink waits for an email with a link to an address, and returns the path of the newest link.
func (d *devServer) emailedLink(t *testing.T, email string) string {
	t.Helper()
	link := regexp.MustCompile(`(?s)── mail to ` + regexp.QuoteMeta(email) +
		` ──.*?(/\?service_auth=\S+).*?\n──\n`)
	var found [][]string
	waittest.Until(t, email+" gets an email", func() bool {
		found = link.FindAllStringSubmatch(d.text(), -1)
		return len(found) > 0
	})
	return found[len(found)-1][1]
}
