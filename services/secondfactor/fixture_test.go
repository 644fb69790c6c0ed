package secondfactor_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/secondfactor"
	"github.com/narthex-platform/narthex/services/secondfactor/authenticatortest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

const (
	base      = "https://api.church.example.org"
	dashboard = "https://church.example.org"
	anna      = "anna@example.org"
	password  = "correct horse battery"
	secret    = "0123456789abcdefghijklmnopqrstuv"

	keysPath   = "/api/v1/account/passkeys"
	codesPath  = "/api/v1/account/recovery-codes"
	factorPath = "/api/v1/second-factor"
)

type unlimited struct{}

func (unlimited) Allow(ratelimit.Rule, ratelimit.Key) (bool, time.Duration) { return true, 0 }

type letterhead struct{}

func (letterhead) Letterhead() (name, language, accent string) { return "St Anne", "en", "blue" }

// outbox keeps the subjects of emails.
type outbox struct {
	mu       sync.Mutex
	subjects []string
}

func (b *outbox) Post(email mail.Email) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	message, _ := email.Compose(context.Background())
	b.subjects = append(b.subjects, strings.Join(message.To, " ")+": "+message.Subject)
	return true
}

func (b *outbox) take() (subjects []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	subjects, b.subjects = b.subjects, nil
	return subjects
}

// house is one process.
type house struct {
	*databasetest.DB
	handler http.Handler
	people  *identity.Service
	outbox  *outbox
}

func setup(t testing.TB) *house {
	t.Helper()
	db := databasetest.New(t)
	h := process(t, db, db.Pool(t))
	hash, err := h.people.NewPassword(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	h.Exec(t, `INSERT INTO core.person (email, name, email_verified, password_hash) VALUES
		($1, 'Anna', true, $2), ('ben@example.org', 'Ben', true, $2)`, anna, hash)
	return h
}

// process starts a process that uses the database.
func process(t testing.TB, db *databasetest.DB, pool *pgxpool.Pool) *house {
	t.Helper()
	post, writer, accounts := &outbox{}, emails.New(dashboard, letterhead{}), identity.NewStore(pool)
	settings := environment.Identity{
		Secret: environment.NewSecret(secret), BaseURL: base, Dashboard: dashboard,
		TrustedOrigins: []environment.Origin{dashboard},
	}
	people, err := identity.New(identity.Config{
		Store: accounts, Settings: settings, Limiter: unlimited{}, Outbox: post, Emails: writer, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	factor, err := secondfactor.New(secondfactor.Config{
		Store: secondfactor.NewStore(pool), Sessions: people, Accounts: accounts, Outbox: post, Emails: writer,
		House: letterhead{}, Dashboard: dashboard, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes:         append(append(people.Routes(), people.AccountRoutes()...), factor.Routes()...),
		TrustedOrigins: []environment.Origin{base, dashboard},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       people,
		Authorizer:     members{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &house{DB: db, handler: handler, people: people, outbox: post}
}

// members may do what every signed-in person may do.
type members struct{}

func (members) Caller(p principal.Principal) httpapi.Caller { return member{p} }

type member struct{ who principal.Principal }

func (m member) Principal() principal.Principal { return m.who }

func (m member) Allowed(context.Context, string) (bool, error) {
	return m.who.Kind == principal.Human, nil
}

// browser keeps the cookies of one process's responses.
type browser struct {
	*house
	cookies map[string]string
}

func (h *house) browser() *browser { return &browser{h, map[string]string{}} }

// at returns a browser with the same cookies that talks with another process.
func (b *browser) at(other *house) *browser { return &browser{other, b.cookies} }

// copy returns a browser with a copy of the cookies.
func (b *browser) copy() *browser {
	cookies := map[string]string{}
	for name, value := range b.cookies {
		cookies[name] = value
	}
	return &browser{b.house, cookies}
}

// send sends a request from the Dashboard's page. Without a body it is a GET.
func (b *browser) send(path, body string) *httptest.ResponseRecorder {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Header.Set("Origin", dashboard)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	for _, cookie := range w.Result().Cookies() {
		if b.cookies[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
			delete(b.cookies, cookie.Name)
		}
	}
	return w
}

// must sends a request that has to succeed, and returns the body.
func (b *browser) must(t testing.TB, path, body string) string {
	t.Helper()
	w := b.send(path, body)
	if w.Code < 200 || w.Code > 299 {
		t.Fatalf("%s %s: status %d, body %s", path, body, w.Code, w.Body)
	}
	return w.Body.String()
}

func (b *browser) signIn() *httptest.ResponseRecorder {
	return b.send("/api/auth/sign-in/email", `{"email":"`+anna+`","password":"`+password+`"}`)
}

func (b *browser) signedIn() bool {
	return strings.Contains(b.send("/api/v1/principal", "").Body.String(), "authenticated")
}

// credentialBody is the body of the completion with a passkey.
func credentialBody(credential string) string { return `{"credential":` + credential + `}` }

// answer completes the sign-in with the passkey.
func (b *browser) answer(t testing.TB, key *authenticatortest.Authenticator) *httptest.ResponseRecorder {
	t.Helper()
	return b.send(factorPath, credentialBody(key.Get(t, b.must(t, factorPath+"/options", `{}`))))
}

// add adds a passkey in a signed-in browser.
func (b *browser) add(t testing.TB, label string) *authenticatortest.Authenticator {
	t.Helper()
	key := authenticatortest.New(t, dashboard)
	body := key.Create(t, b.must(t, keysPath+"/options", `{}`))
	b.must(t, keysPath, `{"label":"`+label+`","credential":`+body+`}`)
	return key
}

// member returns a signed-in browser of Anna, who has a passkey and recovery codes.
func (h *house) member(t testing.TB) (b *browser, key *authenticatortest.Authenticator, codes []string) {
	t.Helper()
	b = h.browser()
	if w := b.signIn(); w.Code != 200 {
		t.Fatalf("signing in: status %d, body %s", w.Code, w.Body)
	}
	key = authenticatortest.New(t, dashboard)
	made := b.must(t, keysPath, `{"label":"Phone","credential":`+
		key.Create(t, b.must(t, keysPath+"/options", `{}`))+`}`)
	var shown struct {
		Codes []string `json:"recoveryCodes"`
	}
	if err := json.Unmarshal([]byte(made), &shown); err != nil || len(shown.Codes) != 10 {
		t.Fatalf("the first passkey came as %s, want ten codes", made)
	}
	h.outbox.take()
	return b, key, shown.Codes
}

// pending returns a browser that has sent the password and waits for the second factor.
func (h *house) pending(t testing.TB) *browser {
	t.Helper()
	b := h.browser()
	assertCode(t, "the password", b.signIn(), 403, "SECOND_FACTOR_REQUIRED")
	if b.signedIn() || len(b.cookies) != 1 {
		t.Fatalf("after the password alone the cookies are %v", b.cookies)
	}
	return b
}

func (h *house) count(t testing.TB, what string) (n int) {
	t.Helper()
	if err := h.Pool(t).QueryRow(t.Context(), "SELECT count(*) FROM "+what).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func assertCode(t testing.TB, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || code != "" && w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("%s: status %d, body %s, want %d %s", what, w.Code, w.Body, status, code)
	}
}
