package links_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	base     = "https://church.example.org"
	openPath = "/api/v1/links/open"
	answer   = "rota.answer" // the permission of the links
)

// platform is one process.
type platform struct {
	*links.Service
	store   *links.Store
	handler http.Handler
}

func setup(t testing.TB) (*platform, *databasetest.DB) {
	t.Helper()
	db := databasetest.New(t)
	return process(t, db.Pool(t), base), db
}

func process(t testing.TB, pool *pgxpool.Pool, origin environment.Origin) *platform {
	t.Helper()
	p := &platform{store: links.NewStore(pool)}
	var err error
	p.Service, err = links.New(links.Config{Store: p.store, Limiter: ratelimit.New(), Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	p.handler, err = httpserver.New(httpserver.Config{
		Routes:         p.Routes(),
		TrustedOrigins: []environment.Origin{origin},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       nobody{},
		Authorizer:     nobody{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// nobody is everybody who asks.
type nobody struct{}

func (nobody) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	return principal.Principal{}, nil
}

func (nobody) Caller(principal.Principal) httpapi.Caller { return nobody{} }

func (nobody) Principal() principal.Principal { return principal.Principal{} }

func (nobody) Allowed(context.Context, string) (bool, error) { return false, nil }

// link makes a link of the module rota, and returns its secret.
func (p *platform) link(t testing.TB, subject string, ends time.Time) string {
	t.Helper()
	return p.linkOf(t, "", subject, ends)
}

// personIn adds a person.
func personIn(t testing.TB, db *databasetest.DB, name string) (id string) {
	t.Helper()
	if err := db.Pool(t).QueryRow(t.Context(), `INSERT INTO core.person (email, name)
		VALUES (gen_random_uuid() || '@example.org', $1) RETURNING id::text`, name).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// linkOf makes a link of somebody who has an account, or with "" of nobody who has.
func (p *platform) linkOf(t testing.TB, person, subject string, ends time.Time) string {
	t.Helper()
	address, err := p.Create(t.Context(), "", person, "rota", answer, subject, ends)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(address, "#")
	return secret
}

// open sends a secret from an address of its own, so that no limit counts.
func (p *platform) open(t testing.TB, from, module, secret string) *httptest.ResponseRecorder {
	t.Helper()
	body, err := json.Marshal(map[string]string{"moduleId": module, "secret": secret})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", openPath, strings.NewReader(string(body)))
	r.Header.Set("Origin", base)
	r.Header.Set("Content-Type", "application/json")
	r.RemoteAddr = from + ":1000"
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// holder resolves the cookie of an answer, beside others.
func (p *platform) holder(t testing.TB, cookies ...string) principal.Principal {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.Header.Set("Cookie", strings.Join(cookies, "; "))
	who, err := p.Resolve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return who
}

// cookieOf returns name and value of the cookie that an answer sets.
func cookieOf(w *httptest.ResponseRecorder) string {
	cookie, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return cookie
}
