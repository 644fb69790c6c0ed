package house_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/house"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	path     = "/api/v1/house"
	origin   = "https://church.example.org"
	manage   = "core.house.manage"
	initial  = `{"name":null,"accent":"blue","language":"en","timeZone":null,"secondFactor":"optional"}`
	patience = time.Minute // longer than any deadline of the platform
)

// process is one API process, with the platform's HTTP pipeline.
type process struct {
	service *house.Service
	handler http.Handler
	lines   *observer.ObservedLogs
	end     func() error // stops the process and returns what Serve returned
}

func start(t testing.TB, pool *pgxpool.Pool, every time.Duration) *process {
	t.Helper()
	core, lines := observer.New(zapcore.DebugLevel)
	p := &process{service: house.New(house.NewStore(pool), zap.New(core)), lines: lines}
	p.service.SetEvery(every)
	var err error
	p.handler, err = httpserver.New(httpserver.Config{
		Routes:         p.service.Routes(),
		TrustedOrigins: []environment.Origin{origin},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       p,
		Authorizer:     p,
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.service.Serve(ctx) }()
	var result error
	p.end = func() error {
		cancel()
		if ended != nil {
			result, ended = <-ended, nil
		}
		return result
	}
	t.Cleanup(func() { _ = p.end() })
	return p
}

// started waits until the process is ready.
func started(t testing.TB, pool *pgxpool.Pool, every time.Duration) *process {
	t.Helper()
	p := start(t, pool, every)
	select {
	case <-p.service.Ready():
	case <-time.After(patience):
		t.Fatal("the house was not read")
	}
	return p
}

// Resolve reads a person's only permission from a header; a request without it is anonymous.
func (p *process) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	if held := r.Header.Get("Test-Holds"); held != "" {
		return principal.Person(held), nil
	}
	return principal.Principal{}, nil
}

func (p *process) Caller(who principal.Principal) httpapi.Caller { return caller{who} }

type caller struct{ who principal.Principal }

func (c caller) Principal() principal.Principal { return c.who }

func (c caller) Allowed(_ context.Context, permission string) (bool, error) {
	return permission == c.who.UserID, nil
}

// send sends a request of a caller who may manage the house. headers are pairs of name and value that
// override the default headers; an empty value removes a header.
func (p *process) send(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	r.Header.Set("Origin", origin)
	r.Header.Set("Test-Holds", manage)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// withoutRevision returns the body of a response without its revision.
func withoutRevision(w *httptest.ResponseRecorder) string {
	before, rev, _ := strings.Cut(w.Body.String(), `,"rev":`)
	return before + strings.TrimLeft(rev, "0123456789")
}

// assertShown checks GET /api/v1/house without a cookie.
func (p *process) assertShown(t testing.TB, want string) {
	t.Helper()
	w := p.send("GET", path, "", "Test-Holds", "", "Origin", "")
	if w.Code != 200 || withoutRevision(w) != want {
		t.Errorf("GET %s: status %d, body %s, want 200 and %s", path, w.Code, w.Body, want)
	}
}

func assertCode(t testing.TB, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("%s: status %d, want %d %s; body %s", what, w.Code, status, code, w.Body)
	}
}
