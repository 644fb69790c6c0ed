package devices_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	secret = "0123456789abcdefghijklmnopqrstuv"

	pairing = "/api/v1/device-pairing"
	claim   = pairing + "/claim"
	managed = "/api/v1/devices"
)

// unlimited allows every request, because tests send many from one address.
type unlimited struct{}

func (unlimited) Allow(ratelimit.Rule, ratelimit.Key) (bool, time.Duration) { return true, 0 }

// displays are the displays of the running modules.
type displays struct {
	mu  sync.Mutex
	all []devices.Display
}

func (r *displays) Display(moduleID string) (devices.Display, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.all, func(d devices.Display) bool { return d.ModuleID == moduleID })
	if i < 0 {
		return devices.Display{}, false
	}
	return r.all[i], true
}

func (r *displays) Displays() []devices.Display {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

func (r *displays) set(all ...devices.Display) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = all
}

var (
	stage = devices.Display{ModuleID: "stage", ModuleName: "Stage", Permission: "stage.display.view"}
	board = devices.Display{
		ModuleID:   "announcements",
		ModuleName: "Announcements",
		Permission: "announcements.display.view",
	}
)

// harness is one service with its own database.
type harness struct {
	*databasetest.DB
	service  *devices.Service
	store    *devices.Store
	displays *displays
	logged   *observer.ObservedLogs
	admin    string // user id of the administrator
}

type option func(*devices.Config)

func limitedBy(l devices.Limiter) option { return func(c *devices.Config) { c.Limiter = l } }
func reachedAt(base environment.Origin) option {
	return func(c *devices.Config) { c.Settings.BaseURL = base }
}

func setup(t testing.TB, options ...option) *harness {
	t.Helper()
	db := databasetest.New(t)
	h := &harness{DB: db, displays: &displays{all: []devices.Display{board, stage}}}
	h.admin = h.text(
		t,
		"INSERT INTO core.person (email, name) VALUES ('anna@example.org', 'Anna') RETURNING id::text",
	)
	h.serve(t, db.Pool(t), options...)
	return h
}

// serve replaces the service by one that uses another pool.
func (h *harness) serve(t testing.TB, pool *pgxpool.Pool, options ...option) {
	t.Helper()
	core, logged := observer.New(zap.DebugLevel)
	h.store, h.logged = devices.NewStore(pool), logged
	config := devices.Config{
		Store: h.store, Displays: h.displays, Limiter: unlimited{},
		Settings: environment.Identity{Secret: environment.NewSecret(secret), BaseURL: "http://church.test:3000"},
		Log:      zap.New(core),
	}
	for _, change := range options {
		change(&config)
	}
	var err error
	if h.service, err = devices.New(config); err != nil {
		t.Fatal(err)
	}
}

// second returns another process on the same database.
func (h *harness) second(t testing.TB) *harness {
	t.Helper()
	return h.over(t, h.AnotherPool(t))
}

// over returns another process that uses the given pool.
func (h *harness) over(t testing.TB, pool *pgxpool.Pool) *harness {
	t.Helper()
	other := *h
	other.serve(t, pool)
	return &other
}

func (h *harness) text(t testing.TB, query string, args ...any) (value string) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: error %v, want one text", query, err)
	}
	return value
}

func (h *harness) count(t testing.TB, from string, args ...any) (n int) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM "+from, args...).Scan(&n); err != nil {
		t.Fatalf("count of %s: error %v, want a number", from, err)
	}
	return n
}

// assertRows checks how many rows there are.
func (h *harness) assertRows(t *testing.T, pairings, allDevices, permissions int) {
	t.Helper()
	got := [3]int{
		h.count(t, "core.device_pairing"),
		h.count(t, "core.device"),
		h.count(t, "core.device_permission"),
	}
	if got != [3]int{pairings, allDevices, permissions} {
		t.Errorf("pairings, devices, permissions: %v, want %v", got, [3]int{pairings, allDevices, permissions})
	}
}

// ageRows makes everything stored older by interval.
func (h *harness) ageRows(t testing.TB, interval string) {
	t.Helper()
	h.Exec(
		t,
		`UPDATE core.device_pairing SET created_at = created_at - $1::text::interval, expires_at = expires_at `+
			`- $1::text::interval, polled_at = polled_at - $1::text::interval`,
		interval,
	)
	h.Exec(t, `
		UPDATE core.device
		SET created_at = created_at - $1::text::interval, claimable_until = claimable_until - $1::text::interval,
			credential_set_at = credential_set_at - $1::text::interval, last_seen_at = last_seen_at -
				$1::text::interval,
			revoked_at = revoked_at - $1::text::interval`, interval)
}

// request is one request.
type request struct {
	method, path, body string
	cookie             string // the Cookie header
	client             string // an address
	agent              string
	noContentType      bool // without Content-Type
}

// manager is a caller who may do everything.
type manager struct{ userID string }

func (m manager) Principal() principal.Principal              { return principal.Person(m.userID) }
func (manager) Allowed(context.Context, string) (bool, error) { return true, nil }

func (q request) build(t testing.TB) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), q.method, q.path, strings.NewReader(q.body))
	if !q.noContentType && q.method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.cookie != "" {
		r.Header.Set("Cookie", q.cookie)
	}
	if q.agent != "" {
		r.Header.Set("User-Agent", q.agent)
	}
	if q.client == "" {
		q.client = "192.0.2.1"
	}
	r.Header.Set(clientaddress.Header, q.client)
	return r
}

func (h *harness) send(t testing.TB, q request) *httptest.ResponseRecorder {
	t.Helper()
	return httpapitest.Send(q.build(t), h.service.Routes(), manager{h.admin})
}

// assertSend sends a request and checks the response. For an error, code is the expected code in the body.
func (h *harness) assertSend(t testing.TB, q request, status int, code string) *httptest.ResponseRecorder {
	t.Helper()
	w := h.send(t, q)
	if w.Code != status || code != "" && w.Body.String() != `{"code":"`+code+`"}` {
		t.Fatalf("%s %s with %s: status %d, want %d %s; body %s",
			q.method, q.path, q.body, w.Code, status, code, w.Body)
	}
	if code != "" && w.Header().Get("Set-Cookie") != "" {
		t.Errorf("%s %s: an error response sets a cookie", q.method, q.path)
	}
	if w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: Cache-Control %q, want no-store", q.method, q.path, w.Header().Get("Cache-Control"))
	}
	return w
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (into T) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &into, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("body %s is not the JSON wanted: %v", w.Body, err)
	}
	return into
}

// screen is a browser that has requested a pairing.
type screen struct{ code, cookie string }

type pairingBody struct {
	State       string `json:"state"`
	PairingCode string `json:"pairingCode"`
	ExpiresAt   string `json:"expiresAt"`
}

type deviceBody struct {
	ID           string  `json:"id"`
	Label        string  `json:"label"`
	ModuleID     string  `json:"moduleId"`
	PermissionID string  `json:"permissionId"`
	CreatedAt    string  `json:"createdAt"`
	CreatedBy    *string `json:"createdBy"`
	LastSeenAt   *string `json:"lastSeenAt"`
	RevokedAt    *string `json:"revokedAt"`
}

// cookieOf returns the Cookie header that a browser sends back.
func cookieOf(w *httptest.ResponseRecorder) string {
	pair, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return pair
}

func asking(moduleID string) request {
	return request{method: "POST", path: pairing, body: `{"moduleId":"` + moduleID + `"}`}
}

func (h *harness) ask(t testing.TB, moduleID string) screen {
	t.Helper()
	w := h.assertSend(t, asking(moduleID), 201, "")
	return screen{decode[pairingBody](t, w).PairingCode, cookieOf(w)}
}

func approving(code string) request {
	return request{method: "POST", path: pairing + "/" + code + "/approve", body: `{"label":"Back wall"}`}
}

func rejecting(code string) request {
	return request{method: "POST", path: pairing + "/" + code + "/reject", body: `{}`}
}

func (h *harness) approve(t testing.TB, s screen) deviceBody {
	t.Helper()
	return decode[deviceBody](t, h.assertSend(t, approving(s.code), 200, ""))
}

func (s screen) state() request { return request{method: "GET", path: pairing, cookie: s.cookie} }
func (s screen) collect() request {
	return request{method: "POST", path: claim, body: `{}`, cookie: s.cookie}
}

func (h *harness) assertState(t testing.TB, s screen, state string) {
	t.Helper()
	if got := decode[pairingBody](t, h.assertSend(t, s.state(), 200, "")); got.State != state ||
		got.PairingCode != s.code {
		t.Fatalf("%+v, want %s %s", got, state, s.code)
	}
}

// pair pairs a screen, uses its credential once and returns the device and the Cookie header with its
// credential.
func (h *harness) pair(t testing.TB, moduleID string) (device deviceBody, credential string) {
	t.Helper()
	s := h.ask(t, moduleID)
	device = h.approve(t, s)
	credential = cookieOf(h.assertSend(t, s.collect(), 200, ""))
	h.assertDevice(t, credential, device.ID)
	return device, credential
}

func (h *harness) resolve(t testing.TB, cookie string) (principal.Principal, error) {
	t.Helper()
	return h.service.Resolve(t.Context(), request{method: "GET", path: "/", cookie: cookie}.build(t))
}

func (h *harness) assertDevice(t testing.TB, cookie, id string) {
	t.Helper()
	want := principal.Principal{}
	if id != "" {
		want = principal.Principal{Kind: principal.Device, DeviceID: id}
	}
	if who, err := h.resolve(t, cookie); who != want || err != nil {
		t.Errorf("resolved %v, %v, want %v", who, err, want)
	}
}
