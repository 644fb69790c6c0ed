package feeds_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/feeds"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/links"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	base = "https://church.example.org"
	path = "/api/v1/feeds"
)

// house is one process with a module that offers two feeds and has a route that is none.
type house struct {
	*databasetest.DB
	handler http.Handler
	links   *links.Service
	logged  *observer.ObservedLogs
	anna    string // user id

	mu     sync.Mutex
	denied map[string]bool // permissions that no person has
	module http.HandlerFunc
	asked  []*http.Request // by the platform, of the module

	callers []principal.Principal // for whom
}

func setup(t testing.TB) *house {
	t.Helper()
	db := databasetest.New(t)
	h := &house{DB: db, denied: make(map[string]bool)}
	h.anna = h.person(t, "anna@example.org")
	h.handler = h.process(t, db.Pool(t))
	h.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/calendar; charset=utf-8")
		w.Header().Set("Etag", `"1"`)
		w.Header().Set("Content-Disposition", "inline")
		_, _ = w.Write([]byte("BEGIN:VCALENDAR"))
	})
	return h
}

func (h *house) process(t testing.TB, pool *pgxpool.Pool) http.Handler {
	t.Helper()
	core, logged := observer.New(zap.DebugLevel)
	h.logged = logged
	guests := links.NewStore(pool)
	var err error
	h.links, err = links.New(links.Config{Store: guests, Limiter: ratelimit.New(), Origin: base})
	if err != nil {
		t.Fatal(err)
	}
	service, err := feeds.New(feeds.Config{Store: feeds.NewStore(pool, guests), Authorizer: h,
		Limiter: ratelimit.New(), BaseURL: base, Log: zap.New(core),
		Restricted: func(id string) bool { return id != "calendar.read" }})
	if err != nil {
		t.Fatal(err)
	}
	row := func(path, feed string) httpapi.Route {
		return httpapi.Route{Method: "GET", Path: "/api/v1/modules/calendar" + path, Module: "calendar",
			Permission: "calendar.read", Feed: feed, Head: true, Handle: h.serve}
	}
	public, foreign := row("/public.ics", "text/calendar"), row("/foreign.ics", "text/calendar")
	public.Permission, foreign.Permission = "calendar.public", "core.people.manage"
	handler, err := httpserver.New(httpserver.Config{
		Routes: service.Routes([]httpapi.Route{row("/house.ics", "text/calendar"), row("/news/all.xml",
			"application/rss+xml"), row("/secret", ""), public, foreign}),
		TrustedOrigins: []environment.Origin{base},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       h,
		Authorizer:     h,
		Log:            zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func (h *house) person(t testing.TB, email string) (id string) {
	t.Helper()
	err := h.Pool(t).QueryRow(t.Context(),
		`INSERT INTO core.person (email, name) VALUES ($1, 'Anna') RETURNING id::text`, email).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// answer sets what the module responds.
func (h *house) answer(serve http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.module = serve
}

func (h *house) serve(c *httpapi.Call) error {
	h.mu.Lock()
	h.asked = append(h.asked, c.Request)
	h.callers = append(h.callers, c.Caller.Principal())
	serve := h.module
	h.mu.Unlock()
	serve(c.Writer, c.Request)
	return nil
}

// Resolve reads the person from a header.
func (h *house) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	if id := r.Header.Get("Test-Person"); id != "" {
		return principal.Person(id), nil
	}
	return principal.Principal{}, nil
}

type caller struct {
	*house
	who principal.Principal
}

func (h *house) Caller(p principal.Principal) httpapi.Caller { return caller{h, p} }

func (c caller) Principal() principal.Principal { return c.who }

// Allowed asks the real store about a link.
func (c caller) Allowed(ctx context.Context, permission string) (bool, error) {
	if c.who.Kind == principal.Link {
		held, err := c.links.Permission(ctx, c.who.LinkID)
		return held == permission, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.denied["factor:"+permission] {
		return false, httpapi.ErrFactorMissing
	}
	return c.who.Kind == principal.Human && !c.denied[permission] && !c.denied[permission+c.who.UserID], nil
}

func (h *house) deny(permission string, denied bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.denied[permission] = denied
}

// send sends a request of a person; "" is nobody.
func (h *house) send(t testing.TB, who, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Origin", base)
	r.Header.Set("Test-Person", who)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

func assertCode(t testing.TB, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || code != "" && w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("%s: status %d, want %d %s; body %.300s", what, w.Code, status, code, w.Body)
	}
}

type made struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

const wanted = `{"moduleId":"calendar","path":"/house.ics","query":"room=3","label":"My phone"}`

// make makes a feed of the house's calendar.
func (h *house) make(t testing.TB, who string) (m made) {
	t.Helper()
	w := h.send(t, who, "POST", path, wanted)
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("POST: status %d, want 201; body %s", w.Code, w.Body)
	}
	return m
}

const wantedOfHouse = `{"moduleId":"calendar","path":"/public.ics","label":"Website","house":true}`

// makeOfHouse makes a feed of the house.
func (h *house) makeOfHouse(t testing.TB) (m made) {
	t.Helper()
	w := h.send(t, h.anna, "POST", path, wantedOfHouse)
	if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("POST: status %d, want 201; body %s", w.Code, w.Body)
	}
	return m
}

// local is the address without its origin.
func (m made) local(t testing.TB) string {
	t.Helper()
	parsed, err := url.Parse(m.URL)
	if err != nil || parsed.Scheme+"://"+parsed.Host != base {
		t.Fatalf("the address %q is not below %s: %v", m.URL, base, err)
	}
	return parsed.Path
}

func (h *house) assertFetch(t testing.TB, what string, m made, status int) {
	t.Helper()
	code := ""
	if status == http.StatusNotFound {
		code = "FEED_NOT_FOUND"
	}
	assertCode(t, what, h.send(t, "", "GET", m.local(t), ""), status, code)
}
