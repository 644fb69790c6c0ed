package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/people"
)

const (
	invitations  = "/api/v1/invitations"
	managePeople = "core.people.manage"
	manageGrants = "core.authorization.grants.manage"
	manageThings = "test.things.manage"
	readThings   = "test.things.read"
)

// english is a house without a name.
type english struct{}

func (english) Letterhead() (name, language, accent string) { return "", "en", "" }

// fakeOutbox stores emails until the test removes them.
type fakeOutbox struct {
	mu    sync.Mutex
	queue []mail.Email
	full  bool
}

func (l *fakeOutbox) Post(email mail.Email) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.full {
		l.queue = append(l.queue, email)
	}
	return !l.full
}

// deliver composes all emails, reports outcome for each, and returns them.
func (l *fakeOutbox) deliver(ctx context.Context, outcome mail.SendResult) (written []mail.Message) {
	l.mu.Lock()
	queue := l.queue
	l.queue = nil
	l.mu.Unlock()
	for _, email := range queue {
		if m, ok := email.Compose(ctx); ok {
			written = append(written, m)
			if email.Done != nil {
				email.Done(ctx, outcome)
			}
		}
	}
	return written
}

// process is one API process: identity, authorization and people behind the platform's HTTP pipeline.
type process struct {
	*databasetest.DB
	handler   http.Handler
	outbox    *fakeOutbox
	store     *people.Store
	passwords cachedHash
	exporters *exporters
}

func start(t *testing.T) process {
	t.Helper()
	db := databasetest.New(t)
	return startOn(t, db, db.Pool(t), unlimited{})
}

// another returns a second process on the same database.
func (p process) another(t *testing.T) process {
	t.Helper()
	return startOn(t, p.DB, databasetest.Connected(t, p.AnotherPool(t)), unlimited{})
}

func startOn(t *testing.T, db *databasetest.DB, pool *pgxpool.Pool, limiter people.Limiter) process {
	t.Helper()
	registry, err := authorization.NewRegistry([]authorization.Permission{
		{ID: manageGrants, Baseline: authorization.Restricted},
		{ID: managePeople, Baseline: authorization.Restricted},
		{ID: "core.account.read", Baseline: authorization.Authenticated},
		{ID: manageThings, Baseline: authorization.Restricted, ModuleID: "test"},
		{ID: readThings, Baseline: authorization.Restricted, ModuleID: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	accounts, sent := identity.NewStore(pool), &fakeOutbox{}
	writer := emails.New(origin, english{})
	signIn, err := identity.New(identity.Config{
		Store: accounts,
		Settings: environment.Identity{
			Secret: environment.NewSecret("0123456789abcdefghijklmnopqrstuv"), BaseURL: origin,
			TrustedOrigins: []environment.Origin{origin}, Dashboard: origin, PublicSignUp: true,
		},
		Limiter: unlimited{}, Outbox: sent, Emails: writer, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	grants := authorization.New(registry, authorization.NewStore(pool), nil, nil)
	store := people.NewStore(pool)
	modules := &exporters{}
	service := people.New(people.Config{
		Store: store, Sessions: signIn, Accounts: accounts, Grants: grants, Passwords: cachedHash{signIn},
		Declared: registry.Declared, Limiter: limiter, Outbox: sent, Emails: writer, Erased: func() {},
		Exporters: modules,
		Log:       zap.NewNop(),
	})
	routes := append(append(signIn.Routes(), service.Routes()...), grants.Routes()...)
	handler, err := httpserver.New(httpserver.Config{
		Routes: routes, TrustedOrigins: []environment.Origin{origin},
		ClientAddress: clientaddress.New(environment.ClientAddress{}),
		Resolver:      signIn, Authorizer: grants, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return process{db, handler, sent, store, cachedHash{signIn}, modules}
}

// send sends a request with a session's cookie, "" for none.
func (p process) send(cookie, method, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	r.Header.Set("Origin", origin)
	r.Header.Set("Content-Type", "application/json")
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// cachedHash hashes a password only once, so that many simultaneous acceptances reach the database at the
// same time.
type cachedHash struct{ *identity.Service }

var hashed struct {
	once sync.Once
	hash string
	err  error
}

func (q cachedHash) NewPassword(ctx context.Context, sent string) (string, error) {
	if sent != password {
		return q.Service.NewPassword(ctx, sent)
	}
	hashed.once.Do(func() { hashed.hash, hashed.err = q.Service.NewPassword(ctx, password) })
	return hashed.hash, hashed.err
}

// member adds a person with a password and permissions, and signs them in.
func (p process) member(t *testing.T, name string, permissions ...string) (id, cookie string) {
	t.Helper()
	hash, err := p.passwords.NewPassword(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	err = p.Pool(t).QueryRow(t.Context(), `
		INSERT INTO core.person (email, name, email_verified, password_hash)
		VALUES (lower($1) || '@example.org', $1, true, $2)
		RETURNING id::text`, name, hash).Scan(&id)
	if err != nil {
		t.Fatal(err)
	}
	for _, permission := range permissions {
		p.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", id, permission)
	}
	return id, p.signIn(t, name)
}

func (p process) trySignIn(name string) *httptest.ResponseRecorder {
	return p.send("", "POST", "/api/auth/sign-in/email",
		fmt.Sprintf(`{"email":%q,"password":%q}`, strings.ToLower(name)+"@example.org", password))
}

func (p process) signIn(t *testing.T, name string) (cookie string) {
	t.Helper()
	w := p.trySignIn(name)
	if w.Code != 200 {
		t.Fatalf("sign-in of %s: status %d, body %s", name, w.Code, w.Body)
	}
	cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return cookie
}

type invitation struct {
	ID, Email, State, ExpiresAt string
	Name, CreatedBy, Delivery   *string
	Grants                      []struct{ PermissionID string }
}

func decode[T any](t *testing.T, w *httptest.ResponseRecorder, status int) (into T) {
	t.Helper()
	if w.Code != status {
		t.Fatalf("status %d, want %d; body %s", w.Code, status, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &into); err != nil {
		t.Fatalf("body %s is not the JSON wanted: %v", w.Body, err)
	}
	return into
}

// invite sends an invitation and returns the token in its email.
func (p process) invite(t *testing.T, cookie, body string, status int) (made invitation, token string) {
	t.Helper()
	made = decode[invitation](t, p.send(cookie, "POST", invitations, body), status)
	return made, p.token(t)
}

// token returns the token in the only queued email.
func (p process) token(t *testing.T) string {
	t.Helper()
	written := p.outbox.deliver(t.Context(), mail.Sent)
	if len(written) != 1 {
		t.Fatalf("%d mails wait, want one", len(written))
	}
	_, rest, found := strings.Cut(written[0].Text, origin+"/?service_auth=accept-invitation&token=")
	if !found {
		t.Fatalf("the mail has no link to join: %s", written[0].Text)
	}
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

func acceptBody(token, name string) string {
	return fmt.Sprintf(`{"token":%q,"name":%q,"password":%q}`, token, name, password)
}

func (p process) accept(token, name string) *httptest.ResponseRecorder {
	return p.send("", "POST", invitations+"/accept", acceptBody(token, name))
}

func (p process) count(t *testing.T, from string, args ...any) (n int) {
	t.Helper()
	if err := p.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM "+from, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// actions returns the recorded actions in order.
func (p process) actions(t *testing.T) (actions string) {
	t.Helper()
	err := p.Pool(t).QueryRow(t.Context(),
		"SELECT coalesce(string_agg(action, ' ' ORDER BY number), '') FROM core.activity").Scan(&actions)
	if err != nil {
		t.Fatal(err)
	}
	return actions
}

// awaitBlocked waits until this number of the database's sessions wait for a lock.
func (p process) awaitBlocked(t *testing.T, sessions int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		if p.count(t, `pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) >= sessions {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions never waited for a lock", sessions)
		}
	}
}
