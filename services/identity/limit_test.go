package identity_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

const tooMany = `{"message":"Too many requests. Please try again later.","code":"TOO_MANY_REQUESTS"}`

// server serves h over real connections. The header Test-Client sets the client's address.
func (h harness) server(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(clientaddress.Header, r.Header.Get("Test-Client"))
		h.handle(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func post(t *testing.T, server *httptest.Server, client, path, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodPost,
		server.URL+path,
		strings.NewReader(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Test-Client", client)
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	result, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(result)
}

func TestFourthSignInIsRefused(t *testing.T) {
	t.Parallel()
	h := setup(t).limitedBy(t, ratelimit.New())
	h.person(t, "anna@example.org")
	server := h.server(t)
	right := credentials("anna@example.org", password)
	signIn := func(client, path, body string) int {
		response, result := post(t, server, client, path, body)
		if response.StatusCode != http.StatusTooManyRequests {
			return response.StatusCode
		}
		wait, err := strconv.Atoi(response.Header.Get("X-Retry-After"))
		if result != tooMany || err != nil || wait < 1 || wait > 10 || response.Header.Get("Retry-After") != "" ||
			response.Header.Get(
				"Cache-Control",
			) != "no-store" || response.Header.Get("Content-Type") != "application/json" ||
			response.Header.Get("Set-Cookie") != "" {
			t.Errorf("a refusal has the header %v and the body %s, want %s and X-Retry-After of 1 to 10 s",
				response.Header, result, tooMany)
		}
		return response.StatusCode
	}
	for _, step := range []struct {
		name, client, path, body string
		status                   int
	}{
		{"first", "192.0.2.1", signInPath, right, 200},
		{"a body past the limit does not count", "192.0.2.1", signInPath, strings.Repeat(" ", 8<<10+1), 413},
		{"malformed counts", "192.0.2.1", signInPath, "{", 400},
		{"a wrong password counts", "192.0.2.1", signInPath, credentials("anna@example.org", "wrong"), 401},
		{"fourth", "192.0.2.1", signInPath, right, 429},
		{"before the body is looked at", "192.0.2.1", signInPath, "{", 429},
		{"after the body is counted", "192.0.2.1", signInPath, strings.Repeat(" ", 8<<10+1), 413},
		{"the query is no part of the path", "192.0.2.1", signInPath + "?a=b", right, 429},
		{"another path", "192.0.2.1", "/api/auth/sign-out", "{}", 200},
		{"an unknown path is no route", "192.0.2.1", "/api/auth/sign-in/social", right, 404},
		{"another client", "192.0.2.2", signInPath, right, 200},
		{"IPv6", "2001:db8:0:1::1", signInPath, right, 200},
		{"the same /64", "2001:db8:0:1::2", signInPath, "{", 400},
		{"the same /64", "2001:db8:0:1:ffff::3", signInPath, "{", 400},
		{"the same /64", "2001:db8:0:1::4", signInPath, right, 429},
		{"another /64", "2001:db8:0:2::1", signInPath, right, 200},
	} {
		if got := signIn(step.client, step.path, step.body); got != step.status {
			t.Errorf("%s: POST %s from %s: status %d, want %d", step.name, step.path, step.client, got, step.status)
		}
	}
	if n := h.sessions(t); n != 4 {
		t.Errorf("%d sessions, want 4: one for each successful sign-in", n)
	}
	h.assertLog(t, 0)
}

func TestConcurrentSignInsAreCountedAtOnce(t *testing.T) {
	t.Parallel()
	server := setup(t).limitedBy(t, ratelimit.New()).server(t)
	var refused atomic.Int32
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if response, _ := post(
				t, server, "192.0.2.1", signInPath, "{",
			); response.StatusCode == http.StatusTooManyRequests {
				refused.Add(1)
			}
		})
	}
	callers.Wait()
	if got := refused.Load(); got != 5 {
		t.Errorf("%d of 8 concurrent sign-ins were refused, want 5", got)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]ratelimit.Rule{
		"/api/auth/sign-in/email":           {Window: 10 * time.Second, Max: 3},
		"/api/auth/sign-up/email":           {Window: 10 * time.Second, Max: 3},
		"/api/auth/request-password-reset":  {Window: 60 * time.Second, Max: 3},
		"/api/auth/send-verification-email": {Window: 60 * time.Second, Max: 3},
		"/api/auth/reset-password":          {Window: 10 * time.Second, Max: 100},
		"/api/auth/verify-email":            {Window: 10 * time.Second, Max: 100},
		"/api/auth/sign-out":                {Window: 10 * time.Second, Max: 100},
		"/api/auth/ok":                      {Window: 10 * time.Second, Max: 100},
	} {
		if got := identity.RuleOf(path); got != want {
			t.Errorf("the limit of %s is %v, want %v", path, got, want)
		}
	}
}

// recorder is a limiter that records all requests and refuses them.
type recorder struct {
	rules []ratelimit.Rule
	keys  []ratelimit.Key
}

func (r *recorder) Allow(rule ratelimit.Rule, key ratelimit.Key) (bool, time.Duration) {
	r.rules, r.keys = append(r.rules, rule), append(r.keys, key)
	return false, 59*time.Second + 1
}

// Every route below /api/auth has a rate limit; GET /api/v1/principal has none.
func TestEveryRouteIsLimited(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, route := range h.service.Routes() {
		limiter := &recorder{}
		w := h.limitedBy(t, limiter).send(t, request{method: route.Method, path: route.Path})
		if strings.HasPrefix(route.Path, "/api/v1/") {
			if w.Code != http.StatusOK || len(limiter.rules) != 0 {
				t.Errorf("%s: status %d, want 200; limits asked %v, want none", route.Path, w.Code,
					limiter.rules)
			}
			continue
		}
		if w.Code != http.StatusTooManyRequests || w.Header().Get("X-Retry-After") != "60" ||
			len(limiter.rules) != 1 ||
			limiter.rules[0] != identity.RuleOf(route.Path) ||
			limiter.keys[0] != ratelimit.KeyOf(netip.Addr{}, route.Path) {
			t.Errorf("%s: %d %v, asked for %v, %v", route.Path, w.Code, w.Header(), limiter.rules, limiter.keys)
		}
	}
}
