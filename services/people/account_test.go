package people_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/emails"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/people"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

const (
	origin   = "http://church.test:3000"
	own      = "/api/v1/account"
	signOut  = own + "/sign-out-everywhere"
	password = "correct horse battery"
)

// house serves identity and people behind the platform's HTTP pipeline.
type house struct {
	*databasetest.DB
	handler http.Handler
}

type unlimited struct{}

func (unlimited) Allow(ratelimit.Rule, ratelimit.Key) (bool, time.Duration) { return true, 0 }

type noMail struct{}

func (noMail) Post(mail.Email) bool { return true }

// everybody is an authorization that gives each signed-in person only core.account.read.
type everybody struct{}

func (everybody) Caller(who principal.Principal) httpapi.Caller { return caller{who} }

type caller struct{ who principal.Principal }

func (c caller) Principal() principal.Principal { return c.who }

func (c caller) Allowed(_ context.Context, permission string) (bool, error) {
	return permission == "core.account.read" && c.who.UserID != "", nil
}

func open(t *testing.T) house {
	t.Helper()
	db := databasetest.New(t)
	accounts, err := identity.New(identity.Config{
		Store: identity.NewStore(db.Pool(t)),
		Settings: environment.Identity{
			Secret: environment.NewSecret("0123456789abcdefghijklmnopqrstuv"), BaseURL: origin,
			TrustedOrigins: []environment.Origin{origin}, Dashboard: origin, PublicSignUp: true,
		},
		Limiter: unlimited{}, Outbox: noMail{}, Emails: emails.New(origin, nil), Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	service := people.New(people.Config{Store: people.NewStore(db.Pool(t)), Sessions: accounts})
	handler, err := httpserver.New(httpserver.Config{
		Routes:         append(accounts.Routes(), service.Routes()...),
		TrustedOrigins: []environment.Origin{origin},
		ClientAddress:  clientaddress.New(environment.ClientAddress{}),
		Resolver:       accounts,
		Authorizer:     everybody{},
		Log:            zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return house{db, handler}
}

// send sends a request with a session's cookie, "" for none. headers are pairs of name and value that
// override the default headers; an empty value removes a header.
func (h house) send(cookie, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, target, strings.NewReader(body))
	r.Header.Set("Origin", origin)
	r.Header.Set("Content-Type", "application/json")
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

// member signs a person up and confirms the address.
func (h house) member(t *testing.T, name, email string) {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q,"email":%q,"password":%q}`, name, email, password)
	if w := h.send("", "POST", "/api/auth/sign-up/email", body); w.Code != 200 {
		t.Fatalf("sign-up: status %d, body %s", w.Code, w.Body)
	}
	h.Exec(t, `UPDATE core.person SET email_verified = true WHERE email = $1`, email)
}

func (h house) signIn(t *testing.T, email string) (cookie string) {
	t.Helper()
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
	w := h.send("", "POST", "/api/auth/sign-in/email", body)
	if w.Code != 200 {
		t.Fatalf("sign-in: status %d, body %s", w.Code, w.Body)
	}
	cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return cookie
}

func assertCode(t *testing.T, what string, w *httptest.ResponseRecorder, status int, code string) {
	t.Helper()
	if w.Code != status || w.Body.String() != `{"code":"`+code+`"}` {
		t.Errorf("%s: status %d, want %d %s; body %s", what, w.Code, status, code, w.Body)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member(t, "Anna", "anna@example.org")
	h.member(t, "Bert", "bert@example.org")
	anna := h.signIn(t, "anna@example.org")
	bert := h.signIn(t, "bert@example.org")

	var id string
	if err := h.Pool(t).QueryRow(t.Context(),
		`SELECT id::text FROM core.person WHERE name = 'Anna'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	account := func(name string) string {
		return fmt.Sprintf(`{"userId":%q,"email":"anna@example.org","name":%q}`, id, name)
	}
	assertBody := func(w *httptest.ResponseRecorder, want string) {
		t.Helper()
		if w.Code != 200 || w.Body.String() != want {
			t.Errorf("status %d, body %s, want 200 and %s", w.Code, w.Body, want)
		}
	}
	assertBody(h.send(anna, "GET", own, ""), account("Anna"))
	for _, name := range []string{"Anna Ölmüller", strings.Repeat("ä", 200), "安娜"} {
		assertBody(h.send(anna, "PUT", own, `{"name":"`+name+`"}`), account(name))
		assertBody(h.send(anna, "GET", own, ""), account(name))
	}
	if w := h.send(bert, "GET", own, ""); !strings.Contains(w.Body.String(), `"name":"Bert"`) {
		t.Errorf("Bert's account: status %d, body %s", w.Code, w.Body)
	}
}

func TestAccountRefused(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member(t, "Anna", "anna@example.org")
	anna := h.signIn(t, "anna@example.org")
	assertCode(t, "GET by nobody", h.send("", "GET", own, ""), 401, "AUTHENTICATION_REQUIRED")
	long := `{"name":"` + strings.Repeat("x", 16<<10) + `"}`
	for _, write := range []struct{ method, target, good string }{
		{"PUT", own, `{"name":"Another"}`},
		{"POST", signOut, `{}`},
	} {
		send := func(cookie, body string, headers ...string) *httptest.ResponseRecorder {
			return h.send(cookie, write.method, write.target, body, headers...)
		}
		assertCode(t, "nobody", send("", write.good), 401, "AUTHENTICATION_REQUIRED")
		assertCode(t, "no Origin", send(anna, write.good, "Origin", ""), 403, "ORIGIN_NOT_TRUSTED")
		assertCode(t, "17 KiB", send(anna, long), 413, "REQUEST_BODY_TOO_LARGE")
		assertCode(t, "a form", send(anna, write.good, "Content-Type", "text/plain"), 400, "REQUEST_INVALID")
		for _, body := range []string{
			`null`, `[]`, `{"name":"Another","email":"x@example.org"}`, `{"userId":"x"}`,
		} {
			assertCode(t, body, send(anna, body), 400, "REQUEST_INVALID")
		}
	}
	for _, name := range []string{``, ` `, `a\nb`, `a\u0000b`, `a\u202eb`, strings.Repeat("ä", 201), `\ud800`} {
		assertCode(t, name, h.send(anna, "PUT", own, `{"name":"`+name+`"}`), 400, "REQUEST_INVALID")
	}
	for _, body := range []string{``, `{}`, `{"name":null}`, `{"name":7}`, `{"Name":"x"}`} {
		assertCode(t, body, h.send(anna, "PUT", own, body), 400, "REQUEST_INVALID")
	}
	if w := h.send(anna, "GET", own, ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"name":"Anna"`) {
		t.Errorf("after all refusals: status %d, body %s", w.Code, w.Body)
	}
}

// Every session of the caller ends, including the present one, and no session of other people.
func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member(t, "Anna", "anna@example.org")
	h.member(t, "Bert", "bert@example.org")
	here, there, bert := h.signIn(t, "anna@example.org"), h.signIn(t, "anna@example.org"),
		h.signIn(t, "bert@example.org")
	w := h.send(here, "POST", signOut, "{}")
	if w.Code != 204 || w.Body.Len() > 0 || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("POST %s: status %d, Set-Cookie %q, body %s, want 204 and a cleared cookie", signOut, w.Code,
			w.Header().Get("Set-Cookie"), w.Body)
	}
	for _, ended := range []string{here, there} {
		assertCode(t, "an ended session", h.send(ended, "GET", own, ""), 401, "AUTHENTICATION_REQUIRED")
	}
	if w := h.send(bert, "GET", own, ""); w.Code != 200 {
		t.Errorf("somebody else's session: status %d, want 200; body %s", w.Code, w.Body)
	}
	if w := h.send(h.signIn(t, "anna@example.org"), "GET", own, ""); w.Code != 200 {
		t.Errorf("a later session: status %d, want 200; body %s", w.Code, w.Body)
	}
}

// Each of several simultaneous sign-outs succeeds, or finds its session already ended.
func TestRaceOfSignOuts(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member(t, "Anna", "anna@example.org")
	cookies := []string{h.signIn(t, "anna@example.org"), h.signIn(t, "anna@example.org")}
	var wait sync.WaitGroup
	for n := range 16 {
		wait.Go(func() {
			if w := h.send(cookies[n%2], "POST", signOut, "{}"); w.Code != 204 && w.Code != 401 {
				t.Errorf("POST %s: status %d, want 204 or 401; body %s", signOut, w.Code, w.Body)
			}
		})
	}
	wait.Wait()
	for _, cookie := range cookies {
		assertCode(t, "an ended session", h.send(cookie, "GET", own, ""), 401, "AUTHENTICATION_REQUIRED")
	}
}

func TestAccountStoreDown(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member(t, "Anna", "anna@example.org")
	anna := h.signIn(t, "anna@example.org")
	h.Exec(t, `ALTER TABLE core.person RENAME name TO lost`)
	assertCode(t, "GET", h.send(anna, "GET", own, ""), 503, "STORE_UNAVAILABLE")
	assertCode(t, "PUT", h.send(anna, "PUT", own, `{"name":"Another"}`), 503, "STORE_UNAVAILABLE")
	h.Exec(t, `ALTER TABLE core.person RENAME lost TO name`)
	h.Exec(t, `CREATE FUNCTION core.refuse() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN RAISE EXCEPTION 'refused'; END$$`)
	h.Exec(t, `CREATE TRIGGER refuse BEFORE DELETE ON core.session EXECUTE FUNCTION core.refuse()`)
	w := h.send(anna, "POST", signOut, "{}")
	assertCode(t, "sign-out everywhere", w, 503, "STORE_UNAVAILABLE")
	if w.Header().Get("Set-Cookie") != "" {
		t.Error("the cookie was cleared although the sessions live")
	}
	if w := h.send(anna, "GET", own, ""); w.Code != 200 {
		t.Errorf("afterwards: status %d, want 200; body %s", w.Code, w.Body)
	}
}
