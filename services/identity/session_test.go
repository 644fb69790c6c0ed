package identity_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/principal"
)

const (
	anonymous   = `{"kind":"anonymous"}`
	unavailable = `{"code":"PRINCIPAL_RESOLUTION_FAILED"}`
)

func TestCookie(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name       string
		base       environment.Origin
		more       string
		cookie     string
		attributes string
	}{
		{"http", base, "", "narthex_session", "; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax"},
		{
			"https",
			"https://church.test",
			"",
			"__Host-narthex_session",
			"; Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Lax",
		},
		{
			"http, not remembered",
			base,
			`,"rememberMe":false`,
			"narthex_session",
			"; Path=/; HttpOnly; SameSite=Lax",
		},
		{
			"https, not remembered",
			"https://church.test",
			`,"rememberMe":false`,
			"__Host-narthex_session",
			"; Path=/; HttpOnly; Secure; SameSite=Lax",
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			db := databasetest.New(t)
			h := serve(t, db, identity.NewStore(db.Pool(t)), row.base)
			id := h.person(t, "anna@example.org")
			body := `{"email":"anna@example.org","password":"` + password + `"` + row.more + `}`
			set := h.send(t, request{path: signInPath, body: body}).Header().Get("Set-Cookie")
			pair, attributes, _ := strings.Cut(set, ";")
			name, value, _ := strings.Cut(pair, "=")
			if name != row.cookie || ";"+attributes != row.attributes || len(value) != 87 {
				t.Errorf("Set-Cookie %s, want %s with%s", set, row.cookie, row.attributes)
			}
			if _, got := h.principal(t, "Cookie: "+pair); got != `{"kind":"authenticated","userId":"`+id+`"}` {
				t.Errorf("GET principal: %s, want the person %s", got, id)
			}
			other := "narthex_session"
			if name == other {
				other = "__Host-" + other
			}
			if _, got := h.principal(t, "Cookie: "+other+"="+value); got != anonymous {
				t.Errorf("under the other name: got %s", got)
			}
		})
	}
}

func TestPrincipal(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "anna@example.org")
	live := h.signIn(t, "anna@example.org", "")
	value := strings.TrimPrefix(live, "Cookie: narthex_session=")
	dead := h.signIn(t, "anna@example.org", "")
	var newest []byte
	if err := h.Pool(t).QueryRow(
		t.Context(), "SELECT token_hash FROM core.session ORDER BY created_at DESC LIMIT 1",
	).Scan(&newest); err != nil {
		t.Fatal(err)
	}
	ended := h.signIn(t, "anna@example.org", "")
	h.Exec(
		t,
		"UPDATE core.session SET expires_at = now() WHERE token_hash = $1",
		newest,
	) // after the last sign-in, because a sign-in deletes expired sessions
	h.send(t, request{path: "/api/auth/sign-out", body: "{}", header: []string{ended, "Origin: " + base}})
	authenticated := `{"kind":"authenticated","userId":"` + id + `"}`
	flipped := flip(value, len(value)-2)
	if h.sessions(t) != 2 {
		t.Fatal("the expired session is not there to be refused")
	}

	rows := []struct {
		name   string
		cookie string
		want   string
	}{
		{"none", "Cookie: ", anonymous},
		{"unrelated", "Cookie: a=b; c", anonymous},
		{"live", live, authenticated},
		{"between others", "Cookie: a=b;\tnarthex_session=" + value + " ; c=d", authenticated},
		{"the first of two counts", live + "; narthex_session=x", authenticated},
		{"the first of two is bad", "Cookie: narthex_session=x; narthex_session=" + value, anonymous},
		{"expired", dead, anonymous},
		{"signed out", ended, anonymous},
		{"empty", "Cookie: narthex_session=", anonymous},
		{"token without signature", "Cookie: narthex_session=" + value[:43], anonymous},
		{"signature changed", "Cookie: narthex_session=" + flipped, anonymous},
		{"token changed", "Cookie: narthex_session=" + flip(value, 5), anonymous},
		{
			"last character respelled",
			"Cookie: narthex_session=" + value[:86] + otherEncoding(value[86]),
			anonymous,
		},
		{"quoted", `Cookie: narthex_session="` + value + `"`, anonymous},
		{"name in capitals", "Cookie: Narthex_Session=" + value, anonymous},
		{"space in the name", "Cookie: narthex_session =" + value, anonymous},
		{"a longer name", "Cookie: narthex_sessions=" + value, anonymous},
		{"the device's cookie is never looked at", "Cookie: narthex_device=" + value, anonymous},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w, body := h.principal(t, row.cookie)
			if w.Code != 200 || body != row.want {
				t.Errorf("GET /api/v1/principal with %q: status %d, want 200; body %s, want %s", row.cookie, w.Code, body,
					row.want)
			}
			if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Set-Cookie") != "" {
				t.Errorf("header %v, want no-store and no Set-Cookie", w.Header())
			}
			r := request{method: "GET", path: "/", header: []string{row.cookie}}.build(t)
			who, err := h.service.Resolve(t.Context(), r)
			want := principal.Principal{}
			if row.want == authenticated {
				want = principal.Person(id)
			}
			if err != nil || who != want {
				t.Errorf("Resolve with %q: %v, error %v; want %v", row.cookie, who, err, want)
			}
		})
	}
	h.assertLog(t, 0)
}

// flip changes one character of value to another of the same alphabet.
func flip(value string, at int) string {
	other := "A"
	if value[at] == 'A' {
		other = "B"
	}
	return value[:at] + other + value[at+1:]
}

// otherEncoding returns another last character that a lenient base64 decoder reads as the same bytes.
func otherEncoding(last byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, last)^1])
}

// A cookie signed with another secret is refused.
func TestAnotherSecret(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	cookie := h.signIn(t, "anna@example.org", "")
	other := h
	other.service, _ = identity.New(identity.Config{
		Store:    identity.NewStore(h.Pool(t)),
		Settings: environment.Identity{Secret: environment.NewSecret(secret + "!"), BaseURL: base},
		Limiter:  unlimited{},
		Outbox:   &outbox{},
		Emails:   inEnglish,
		Log:      zap.NewNop(),
	})
	if _, body := other.principal(t, cookie); body != anonymous {
		t.Errorf("GET principal of a server with another secret: %s, want %s", body, anonymous)
	}
}

// Without our cookie no request uses the database: its pool is closed.
func TestAnonymousNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	h := setup(t)
	closed := h.AnotherPool(t)
	closed.Close()
	h = serve(t, h.DB, identity.NewStore(closed), base)
	for _, cookie := range []string{
		"Cookie: ", "Cookie: a=b", "Cookie: a=narthex_session=x", "Cookie: narthex_device=x",
	} {
		if w, body := h.principal(t, cookie); w.Code != 200 || body != anonymous {
			t.Errorf("GET /api/v1/principal with %q: status %d, want 200 anonymous; body %s", cookie, w.Code, body)
		}
	}
	if w := h.send(t, request{path: "/api/auth/sign-out", body: "{}"}); w.Code != 200 {
		t.Errorf("sign-out without a cookie: status %d, want 200", w.Code)
	}
	if w, body := h.principal(t, "Cookie: narthex_session=x"); w.Code != 503 || body != unavailable {
		t.Errorf("GET /api/v1/principal with a broken store: status %d, want 503; body %s", w.Code, body)
	}
}

// A client that disconnects changes neither the response nor the number of connections.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "anna@example.org")
	cookie := h.signIn(t, "anna@example.org", "")
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := request{method: "GET", path: "/", header: []string{cookie}}.build(t).WithContext(gone)
	if who, err := h.service.Resolve(gone, r); err != nil || who != principal.Person(id) {
		t.Errorf("Resolve in a canceled request: %v, error %v; want the person %s", who, err, id)
	}
}

func TestExtension(t *testing.T) {
	t.Parallel()
	week := "Max-Age=604800"
	rows := []struct {
		name    string
		more    string
		ageing  string
		cookie  string // "" : none is set
		expires string // an SQL condition that must hold afterwards
	}{
		{
			"fresh",
			"",
			"extended_at = now() - interval '23 hours 59 minutes', expires_at = now() + interval '6 days'",
			"",
			"expires_at < now() + interval '6 days'",
		},
		{
			"a day later",
			"",
			"extended_at = now() - interval '1 day', expires_at = now() + interval '6 days'",
			week,
			"expires_at > now() + interval '6 days 23 hours' AND extended_at > now() - interval '1 minute'",
		},
		{
			"a minute before its end",
			"",
			"extended_at = now() - interval '7 days', expires_at = now() + interval '1 minute'",
			week,
			"expires_at > now() + interval '6 days 23 hours'",
		},
		{"day 25: never beyond 30 days after sign-in", "",
			"created_at = now() - interval '25 days', extended_at = now() - interval '2 days', expires_at = now() " +
				"+ interval '1 day'",
			"Max-Age=43",
			"expires_at = created_at + interval '30 days'"},
		{"nothing left to extend", "",
			"created_at = now() - interval '29 days', extended_at = now() - interval '2 days', expires_at = now() " +
				"+ interval '1 day'",
			"",
			"extended_at < now() - interval '1 day'"},
		{"not remembered", `,"rememberMe":false`, "extended_at = now() - interval '2 days'", "",
			"expires_at < now() + interval '1 day' AND extended_at < now() - interval '1 day'"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			cookie := h.signIn(t, "anna@example.org", row.more)
			h.Exec(t, "UPDATE core.session SET "+row.ageing)

			r := request{method: "GET", path: "/", header: []string{cookie}}.build(t)
			if _, err := h.service.Resolve(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if h.count(t, "core.session WHERE extended_at > now() - interval '1 minute'") != 0 {
				t.Error("a request that cannot set the cookie extended the session")
			}

			w, body := h.principal(t, cookie)
			if w.Code != 200 || !strings.Contains(body, "authenticated") {
				t.Errorf("GET /api/v1/principal: status %d, want 200 authenticated; body %s", w.Code, body)
			}
			set := w.Header().Get("Set-Cookie")
			if (set == "") != (row.cookie == "") || !strings.Contains(set, row.cookie) {
				t.Errorf("Set-Cookie %q, want it to contain %q", set, row.cookie)
			}
			if set != "" && !strings.HasPrefix(set, strings.TrimPrefix(cookie, "Cookie: ")+"; ") {
				t.Errorf("Set-Cookie %q, want the token that was sent", set)
			}
			if h.count(t, "core.session WHERE "+row.expires) != 1 {
				t.Errorf("no session with %s, want one", row.expires)
			}
			if again, _ := h.principal(t, cookie); again.Header().Get("Set-Cookie") != "" {
				t.Error("extended twice")
			}
		})
	}
}

func TestSessionLives(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.signIn(t, "anna@example.org", "")
	h.signIn(t, "anna@example.org", `,"rememberMe":false`)
	if h.count(t, "core.session WHERE persistent AND expires_at = created_at + interval '7 days'") != 1 ||
		h.count(t, "core.session WHERE NOT persistent AND expires_at = created_at + interval '1 day'") != 1 {
		t.Error("the lives are not 7 days and 1 day")
	}
}

// When an extension cannot be written, the response is the same and not late.
func TestFailedExtension(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"refused", "locked"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			cookie := h.signIn(t, "anna@example.org", "")
			h.Exec(t, "UPDATE core.session SET extended_at = now() - interval '2 days'")
			if fault == "refused" {
				h.Exec(t, "ALTER TABLE core.session ADD CHECK (extended_at < now() - interval '1 day')")
			} else {
				databasetest.Lock(t, h.AnotherPool(t), "SELECT FROM core.session FOR UPDATE")
			}
			w, body := h.principal(t, cookie)
			if w.Code != http.StatusOK || !strings.Contains(body, "authenticated") ||
				w.Header().Get("Set-Cookie") != "" {
				t.Errorf("GET principal: status %d, want 200; body %s; header %v, want no Set-Cookie", w.Code,
					body, w.Header())
			}
			h.assertLog(t, 1)
		})
	}
}

// A cookie signed with the previous secret keeps working. Only GET /api/v1/principal signs it again, with
// the session's remaining lifetime; then the previous secret is no longer needed. A cookie that neither
// secret signed is refused.
func TestSecretRotation(t *testing.T) {
	t.Parallel()
	const next = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
	for name, row := range map[string]struct{ more, ageing, cookie string }{
		"remembered": {
			"", "expires_at = now() + interval '6 days 1 second'", "; Max-Age=518400; Path=/; HttpOnly; SameSite=Lax",
		},
		"not remembered": {`,"rememberMe":false`, "extended_at = now()", "; Path=/; HttpOnly; SameSite=Lax"},
		"due for extension": {
			"", "extended_at = now() - interval '1 day'", "; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax",
		},
		"nothing to extend": {"", "created_at = now() - interval '29 days', extended_at = now() - interval '2 " +
			"days', " +
			"expires_at = now() + interval '1 day'", "; Max-Age=86"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			older := h.signIn(t, "anna@example.org", row.more)
			h.Exec(t, "UPDATE core.session SET "+row.ageing)
			before := h.withSecrets(t, secret, next) // before the change, it already accepts the next secret
			during := h.withSecrets(t, next, secret)
			after := h.withSecrets(t, next, "")

			if who, err := during.service.Resolve(
				t.Context(), request{method: "GET", path: "/", header: []string{older}}.build(t),
			); err != nil ||
				who.UserID == "" {
				t.Errorf("during the rotation the cookie resolves to %v, %v", who, err)
			}
			if _, body := after.principal(t, older); body != anonymous {
				t.Errorf("without the previous secret its cookie is %s", body)
			}
			w, body := during.principal(t, older)
			set := w.Header().Get("Set-Cookie")
			pair, attributes, _ := strings.Cut(set, ";")
			if body == anonymous || !strings.HasPrefix(";"+attributes, row.cookie) {
				t.Fatalf("during the rotation: %s, Set-Cookie %q, want %q", body, set, row.cookie)
			}
			newer := "Cookie: " + pair
			if newer == older {
				t.Error("the cookie was set again as it was")
			}
			for name, house := range map[string]harness{"before": before, "during": during, "after": after} {
				w, body := house.principal(t, newer)
				if body == anonymous || (w.Header().Get("Set-Cookie") != "") != (name == "before") {
					t.Errorf(
						"%s the rotation, the new cookie: %s, Set-Cookie %q",
						name,
						body,
						w.Header().Get("Set-Cookie"),
					)
				}
			}
			forged := newer[:len(newer)-8] + "AAAAAAAA"
			if _, body := during.principal(t, forged); body != anonymous {
				t.Errorf("GET /api/v1/principal with a forged cookie: body %s, want anonymous", body)
			}
			w = during.send(
				t,
				request{path: "/api/auth/sign-out", body: "{}", header: []string{older, "Origin: " + base}},
			)
			if w.Code != 200 || h.sessions(t) != 0 {
				t.Errorf("sign-out with the older cookie: %d, %d sessions left", w.Code, h.sessions(t))
			}
		})
	}
}

// withSecrets returns the same service as in another process, with these current and previous secrets.
func (h harness) withSecrets(t *testing.T, current, previous string) harness {
	t.Helper()
	settings := environment.Identity{
		Secret:    environment.NewSecret(current),
		BaseURL:   base,
		Dashboard: dashboard,
	}
	if previous != "" {
		settings.PreviousSecret = environment.NewSecret(previous)
	}
	service, err := identity.New(identity.Config{
		Store: identity.NewStore(
			h.Pool(t),
		), Settings: settings, Limiter: unlimited{}, Outbox: h.outbox, Emails: inEnglish,
		Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.service = service
	return h
}
