package e2e

import (
	"net/http"
	"testing"
)

// headerTransport adds a header to every request of a person, for example a claim about the client's address.
type headerTransport struct {
	http.RoundTripper
	name, value string
}

func (c headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(c.name, c.value)
	return c.RoundTripper.RoundTrip(r)
}

func (i *installation) visitorWithHeader(t *testing.T, name, value string) *person {
	p := i.visitor(t)
	p.client.Transport = headerTransport{p.client.Transport, name, value}
	return p
}

func (p *person) failToSignIn() int {
	p.t.Helper()
	return p.do("POST", "/api/auth/sign-in/email", map[string]string{"email": "nobody", "password": "x"}).status
}

func TestClaimedAddressesDoNotEscapeTheLimit(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.start(t)
	for n, p := range []*person{
		i.visitor(t),
		i.visitorWithHeader(t, "X-Forwarded-For", "192.0.2.1"),
		i.visitorWithHeader(t, "X-Service-Client-Address", "192.0.2.2"),
		i.visitorWithHeader(t, "X-Service-Client-Address", "192.0.2.3"),
	} {
		want := http.StatusBadRequest
		if n == 3 {
			want = http.StatusTooManyRequests
		}
		if got := p.failToSignIn(); got != want {
			t.Errorf("sign-in %d: %d, want %d", n+1, got, want)
		}
	}
}

func TestBehindAProxyEachClientCounts(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.environment["SERVICE_CLIENT_ADDRESS_MODE"] = "trusted-proxy"
	i.environment["SERVICE_CLIENT_ADDRESS_HEADER"] = "x-forwarded-for"
	i.environment["SERVICE_CLIENT_ADDRESS_TRUSTED_PROXIES"] = "127.0.0.0/8, ::1"
	i.start(t)
	anna := i.visitorWithHeader(t, "X-Forwarded-For", "192.0.2.1")
	bert := i.visitorWithHeader(t, "X-Forwarded-For", "192.0.2.2")
	for n := range 4 {
		want := http.StatusBadRequest
		if n == 3 {
			want = http.StatusTooManyRequests
		}
		if got := anna.failToSignIn(); got != want {
			t.Errorf("sign-in %d: %d, want %d", n+1, got, want)
		}
	}
	if got := bert.failToSignIn(); got != http.StatusBadRequest {
		t.Errorf("sign-in of another client: status %d, want 400", got)
	}
	past := i.visitor(t)
	if got := past.do("GET", "/api/v1/principal", nil); got.status != 503 ||
		got.body != `{"code":"CLIENT_ADDRESS_UNRESOLVED"}` {
		t.Errorf("GET /api/v1/principal without the proxy's header: status %d, want 503; body %s", got.status,
			got.body)
	}
	if got := past.do("GET", "/api/v1/health/ready", nil); got.status != http.StatusOK {
		t.Errorf("GET /api/v1/health/ready without the proxy's header: status %d, want 200; body %s",
			got.status,
			got.body)
	}
}
