package identity_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	base      = "http://church.test:3000"
	dashboard = "https://dashboard.church.test"
	password  = "correct horse battery"
	secret    = "0123456789abcdefghijklmnopqrstuv"
)

// passwordHash is made once: under the race detector a hash is slow.
var passwordHash = sync.OnceValue(func() string { return identity.HashPassword(password) })

// unlimited allows every request, because tests send many from one address.
type unlimited struct{}

func (unlimited) Allow(ratelimit.Rule, ratelimit.Key) (bool, time.Duration) { return true, 0 }

// letterhead is a house with a language and no name.
type letterhead struct{ language string }

func (l *letterhead) Letterhead() (name, language, accent string) { return "", l.language, "" }

var inEnglish = emails.New(dashboard, &letterhead{"en"})

// outbox stores emails until the test removes them.
type outbox struct {
	mu     sync.Mutex
	emails []mail.Email
}

func (b *outbox) Post(email mail.Email) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.emails = append(b.emails, email)
	return true
}

// compose removes all emails and returns their messages, as if all of them were sent.
func (b *outbox) compose(ctx context.Context) (messages []mail.Message) {
	return b.deliver(ctx, mail.Sent)
}

// deliver removes all emails, reports outcome for each, and returns the composed messages.
func (b *outbox) deliver(ctx context.Context, outcome mail.SendResult) (messages []mail.Message) {
	for _, email := range b.take() {
		m, ok := email.Compose(ctx)
		if !ok {
			continue
		}
		messages = append(messages, m)
		if email.Done != nil {
			email.Done(ctx, outcome)
		}
	}
	return messages
}

// take removes and returns all emails.
func (b *outbox) take() (emails []mail.Email) {
	b.mu.Lock()
	defer b.mu.Unlock()
	emails, b.emails = b.emails, nil
	return emails
}

// harness is one service with its own database.
type harness struct {
	*databasetest.DB
	service *identity.Service
	logged  *observer.ObservedLogs
	outbox  *outbox
	house   *letterhead
}

func setup(t *testing.T) harness {
	t.Helper()
	db := databasetest.New(t)
	return serve(t, db, identity.NewStore(db.Pool(t)), base)
}

func serve(t testing.TB, db *databasetest.DB, store *identity.Store, baseURL environment.Origin) harness {
	t.Helper()
	return serveLimited(t, db, store, baseURL, unlimited{})
}

// limitedBy returns the same service with another limiter.
func (h harness) limitedBy(t *testing.T, limiter identity.Limiter) harness {
	t.Helper()
	return serveLimited(t, h.DB, identity.NewStore(h.Pool(t)), base, limiter)
}

func serveLimited(
	t testing.TB,
	db *databasetest.DB,
	store *identity.Store,
	baseURL environment.Origin,
	limiter identity.Limiter,
) harness {
	t.Helper()
	core, logged := observer.New(zap.DebugLevel)
	post, house := &outbox{}, &letterhead{"en"}
	service, err := identity.New(identity.Config{
		Store: store,
		Settings: environment.Identity{
			Secret: environment.NewSecret(secret), BaseURL: baseURL, TrustedOrigins: []environment.Origin{dashboard},
			Dashboard: dashboard, PublicSignUp: true,
		},
		Limiter: limiter,
		Outbox:  post,
		Emails:  emails.New(dashboard, house),
		Log:     zap.New(core),
	})
	if err != nil {
		t.Fatal(err)
	}
	return harness{db, service, logged, post, house}
}

// person makes a verified person with the password, unless assignments change that.
func (h harness) person(t testing.TB, address string, assignments ...string) (id string) {
	t.Helper()
	err := h.Pool(t).QueryRow(t.Context(), `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		VALUES ($1, 'A person', true, $2)
		RETURNING id::text`, address, passwordHash()).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	for _, assignment := range assignments {
		h.Exec(t, "UPDATE core.person SET "+assignment+" WHERE id = $1", id)
	}
	return id
}

func (h harness) count(t *testing.T, query string, args ...any) (n int) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM "+query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (h harness) sessions(t *testing.T) int {
	t.Helper()
	return h.count(t, "core.session")
}

// request is the request of a table's row.
type request struct {
	method string // empty: POST
	path   string
	body   string
	header []string // "Name: value"; Content-Type is JSON unless it is set here; "Content-Type:" sends none
}

func (q request) build(t testing.TB) *http.Request {
	t.Helper()
	method := q.method
	if method == "" {
		method = http.MethodPost
	}
	r := httptest.NewRequestWithContext(t.Context(), method, q.path, strings.NewReader(q.body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, line := range q.header {
		name, value, _ := strings.Cut(line, ":")
		if name == "Content-Type" {
			r.Header.Del(name)
		}
		if value = strings.TrimSpace(value); value != "" || name != "Content-Type" {
			r.Header.Add(name, value)
		}
	}
	return r
}

func (h harness) send(t testing.TB, q request) *httptest.ResponseRecorder {
	t.Helper()
	return h.record(q.build(t))
}

func (h harness) record(r *http.Request) *httptest.ResponseRecorder {
	return httpapitest.Send(r, h.service.Routes(), nil)
}

// handle is an http.Handler for tests with real connections.
func (h harness) handle(w http.ResponseWriter, r *http.Request) {
	httpapitest.Serve(w, r, h.service.Routes(), nil)
}

const signInPath = "/api/auth/sign-in/email"

func credentials(address, word string) string {
	return `{"email":"` + address + `","password":"` + word + `"}`
}

// signIn signs a person in and returns the Cookie header.
func (h harness) signIn(t *testing.T, address, more string, header ...string) (cookie string) {
	t.Helper()
	body := `{"email":"` + address + `","password":"` + password + `"` + more + `}`
	w := h.send(t, request{path: signInPath, body: body, header: header})
	if w.Code != http.StatusOK {
		t.Fatalf("POST %s: status %d, want 200; body %s", signInPath, w.Code, w.Body)
	}
	pair, _, _ := strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return "Cookie: " + pair
}

func (h harness) principal(t *testing.T, cookie string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	w := h.send(t, request{method: http.MethodGet, path: "/api/v1/principal", header: []string{cookie}})
	return w, w.Body.String()
}

// causes are the words that a line may have for its cause (docs/operations/log.md).
var causes = []any{"timeout", "deadlock", "serialization", "connection", "shutdown", "limit", "other"}

// assertLog checks that the fixed line was logged the given number of times, only with the request id and
// the word for the cause, and that nothing else was logged.
func (h harness) assertLog(t *testing.T, lines int) {
	t.Helper()
	all := h.logged.All()
	if len(all) != lines {
		t.Errorf("%d lines were logged, want %d: %v", len(all), lines, all)
	}
	for _, entry := range all {
		fields := entry.ContextMap()
		if entry.Level != zap.ErrorLevel || entry.Message != "identity failed" || len(fields) != 2 ||
			fields["request_id"] != httpapitest.RequestID || !slices.Contains(causes, fields["cause"]) {
			t.Errorf("logged %v with %v, want \"identity failed\" with the request's id and one of %v as cause",
				entry, fields, causes)
		}
	}
}
