package identity_test

import (
	"maps"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
)

const (
	requestResetPath     = "/api/auth/request-password-reset"
	resetPath            = "/api/auth/reset-password"
	sendVerificationPath = "/api/auth/send-verification-email"
	verifyPath           = "/api/auth/verify-email"

	resetSent = `{"status":true,"message":"If this email exists in our system, check your email for the ` +
		`reset link"}`
	done         = `{"status":true}`
	verified     = `{"status":true,"user":null}`
	invalidToken = `{"message":"Invalid token","code":"INVALID_TOKEN"}`
	tokenExpired = `{"message":"Token expired","code":"TOKEN_EXPIRED"}`
)

// token returns the token of the link in an email; the link must lead to the configured Dashboard.
func token(t *testing.T, m mail.Message, screen string) string {
	t.Helper()
	for line := range strings.Lines(m.Text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "http") && strings.Contains(line, "?") {
			link, err := url.Parse(line)
			if err != nil || link.Scheme+"://"+link.Host+link.Path != dashboard+"/" ||
				link.Query().Get("service_auth") != screen {
				t.Fatalf("the link is %s, want the Dashboard with service_auth=%s; error %v", line, screen,
					err)
			}
			return link.Query().Get("token")
		}
	}
	t.Fatalf("no link in %q, want one", m.Text)
	return ""
}

// linkTokenFor requests an email and returns the token in its link.
func (h harness) linkTokenFor(t *testing.T, path, address, screen string) string {
	t.Helper()
	if w := h.send(t, request{path: path, body: `{"email":"` + address + `"}`}); w.Code != 200 {
		t.Fatalf("POST %s: status %d, want 200; body %s", path, w.Code, w.Body)
	}
	emails := h.outbox.compose(t.Context())
	if len(emails) != 1 || emails[0].To[0] != address || len(emails[0].To) != 1 {
		t.Fatalf("emails %v, want one to %s", emails, address)
	}
	return token(t, emails[0], screen)
}

func (h harness) reset(t *testing.T, token, word string) (status int, body string) {
	t.Helper()
	w := h.send(t, request{path: resetPath, body: `{"newPassword":"` + word + `","token":"` + token + `"}`})
	if w.Header().Get("Set-Cookie") != "" {
		t.Errorf("a reset set a cookie: %v", w.Header())
	}
	return w.Code, w.Body.String()
}

func (h harness) verify(t *testing.T, token string) (status int, body string) {
	t.Helper()
	w := h.send(t, request{method: "GET", path: verifyPath + "?token=" + token})
	if w.Header().Get("Set-Cookie") != "" || w.Header().Get("Location") != "" {
		t.Errorf("a verification set a cookie or led away: %v", w.Header())
	}
	return w.Code, w.Body.String()
}

// The responses are the same for every address. The database is queried only when the outbox composes the
// email, and only people who are entitled to one get it.
func TestRecoveryRequests(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "new@example.org", "email_verified = false")
	h.person(t, "none@example.org", "password_hash = NULL")
	rows := []struct {
		path, address, body string
		mailed              bool
	}{
		{requestResetPath, "anna@example.org", resetSent, true},
		{requestResetPath, "ANNA@example.org", resetSent, true},
		{requestResetPath, "new@example.org", resetSent, true},
		{requestResetPath, "none@example.org", resetSent, true},
		{requestResetPath, "nobody@example.org", resetSent, false},
		{sendVerificationPath, "anna@example.org", done, false},
		{sendVerificationPath, "new@example.org", done, true},
		{sendVerificationPath, "nobody@example.org", done, false},
	}
	for _, row := range rows {
		for _, callback := range []string{
			"", `,"redirectTo":"https://evil.test/","callbackURL":"https://evil.test/"`,
		} {
			q := request{path: row.path, body: `{"email":"` + row.address + `"` + callback + `}`,
				header: []string{"Host: evil.test", "X-Forwarded-Host: evil.test", "Origin: https://evil.test"}}
			r := q.build(t)
			r.Host = "evil.test"
			w := h.record(r)
			if w.Code != 200 || w.Body.String() != row.body || len(w.Header()) != 2 {
				t.Errorf("%s for %s: status %d, header %v, want 200 and two fields; body %s, want %s",
					row.path, row.address, w.Code, w.Header(), w.Body, row.body)
			}
			emails := h.outbox.compose(t.Context())
			if (len(emails) == 1) != row.mailed || len(emails) > 1 {
				t.Errorf("%s for %s: %d emails, want one: %v", row.path, row.address, len(emails), row.mailed)
			}
			for _, email := range emails {
				if strings.Contains(email.Text+email.HTML+email.Subject, "evil") ||
					!strings.Contains(email.HTML, dashboard+"/?service_auth=") {
					t.Errorf("%s for %s: the email is %q %q, want a link to the Dashboard and no word of the caller's",
						row.path, row.address, email.Text, email.HTML)
				}
			}
		}
	}
	h.assertLog(t, 0)
}

func TestRecoveryRequestsRefused(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, path := range []string{requestResetPath, sendVerificationPath} {
		callback := map[string]string{requestResetPath: "redirectTo", sendVerificationPath: "callbackURL"}[path]
		for body, want := range map[string]string{
			`{"email":"anna"}`: validation("[body.email] Invalid email address"),
			`{}`:               validation("[body.email] Invalid input: expected string, received undefined"),
			`[]`:               validation("[body] Invalid input: expected object, received array"),
			`{"email":"anna@example.org","` + callback + `":null}`: validation("[body." + callback + "] Invalid " +
				"input: expected string, received null"),
			`{"email":"anna@example.org","redirectTo":7}`:   `{"message":"Invalid redirectURL: expected a string"}`,
			`{"email":"anna@example.org","callbackURL":[]}`: `{"message":"Invalid callbackURL: expected a string"}`,
		} {
			if w := h.send(t, request{path: path, body: body}); w.Code != 400 || w.Body.String() != want {
				t.Errorf("%s with %s: status %d, want 400; body %s, want %s", path, body, w.Code, w.Body, want)
			}
		}
	}
	if emails := h.outbox.compose(t.Context()); len(emails) != 0 {
		t.Errorf("refused requests sent %d emails, want none", len(emails))
	}
}

// A fault of the store does not change the response, and one fixed line is logged.
func TestRecoveryWithABrokenStore(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org", "email_verified = false")
	h.Exec(t, "DROP TABLE core.password_reset")
	h.Exec(t, "DROP TABLE core.email_verification")
	for path, want := range map[string]string{requestResetPath: resetSent, sendVerificationPath: done} {
		if w := h.send(t, request{path: path, body: `{"email":"new@example.org"}`}); w.Code != 200 ||
			w.Body.String() != want {
			t.Errorf("%s: status %d, want 200; body %s, want %s", path, w.Code, w.Body, want)
		}
	}
	if emails := h.outbox.compose(t.Context()); len(emails) != 0 {
		t.Errorf("with a broken store %d emails were sent, want none", len(emails))
	}
	logged := h.logged.TakeAll()
	want := map[string]any{"cause": "other"} // a table is missing
	if len(logged) != 2 || logged[0].Message != "identity failed" ||
		!maps.Equal(logged[0].ContextMap(), want) {
		t.Errorf("logged %v, want two lines, the first \"identity failed\" with %v alone", logged, want)
	}
	fresh, _ := identity.NewToken()
	if status, body := h.reset(t, fresh, "a new password"); status != 500 ||
		body != `{"code":"IDENTITY_FAILED"}` {
		t.Errorf("reset with a broken store: status %d, want 500 IDENTITY_FAILED; body %s", status, body)
	}
	if status, body := h.verify(t, fresh); status != 500 || body != `{"code":"IDENTITY_FAILED"}` {
		t.Errorf("verification with a broken store: status %d, want 500 IDENTITY_FAILED; body %s", status, body)
	}
	h.assertLog(t, 2)
}

func TestReset(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "eve@example.org")
	first := h.signIn(t, "anna@example.org", "")
	second := h.signIn(t, "anna@example.org", `,"rememberMe":false`)
	eve := h.signIn(t, "eve@example.org", "")
	link := h.linkTokenFor(t, requestResetPath, "anna@example.org", "reset-password")

	for word, want := range map[string]string{
		"1234567":                `{"message":"Password too short","code":"PASSWORD_TOO_SHORT"}`,
		strings.Repeat("x", 129): `{"message":"Password too long","code":"PASSWORD_TOO_LONG"}`,
	} {
		if status, body := h.reset(t, link, word); status != 400 || body != want {
			t.Errorf(
				"a password of %d characters: status %d, want 400; body %s, want %s", len(word), status, body, want,
			)
		}
	}
	if h.sessions(t) != 3 {
		t.Error("a refused reset ended a session")
	}
	if status, body := h.reset(t, link, "12345678"); status != 200 || body != done {
		t.Fatalf("reset: status %d, want 200; body %s, want %s", status, body, done)
	}
	for cookie, want := range map[string]string{first: anonymous, second: anonymous} {
		if _, body := h.principal(t, cookie); body != want {
			t.Errorf("a session outlived the reset: %s", body)
		}
	}
	if _, body := h.principal(t, eve); body == anonymous {
		t.Error("another person's session ended")
	}
	emails := h.outbox.compose(t.Context())
	if len(emails) != 1 || emails[0].Subject != "Your password was changed" ||
		emails[0].To[0] != "anna@example.org" {
		t.Errorf("after the change, emails: %v", emails)
	}
	for word, status := range map[string]int{password: 401, "12345678": 200} {
		if w := h.send(
			t, request{path: signInPath, body: credentials("anna@example.org", word)},
		); w.Code != status {
			t.Errorf("sign-in with the password %q: status %d, want %d", word, w.Code, status)
		}
	}
	if status, body := h.reset(t, link, "another password"); status != 400 || body != invalidToken {
		t.Errorf("reset with a link that was used: status %d, want 400; body %s", status, body)
	}
}

func TestResetTokens(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "anna@example.org", "email_verified = false")
	older := h.linkTokenFor(t, requestResetPath, "anna@example.org", "reset-password")
	newer := h.linkTokenFor(t, requestResetPath, "anna@example.org", "reset-password")
	verification := h.linkTokenFor(t, sendVerificationPath, "anna@example.org", "verify-email")
	unknown, _ := identity.NewToken()
	for name, bad := range map[string]string{
		"none": "", "unknown": unknown, "one that verifies": verification, "cut off": newer[:42],
		"padded": newer + "=",
		"SQL":    "' OR true --",
	} {
		if status, body := h.reset(t, bad, "a new password"); status != 400 || body != invalidToken {
			t.Errorf("reset with a token that is %s: status %d, want 400; body %s", name, status, body)
		}
	}
	h.Exec(t, "UPDATE core.password_reset SET expires_at = now()")
	if status, body := h.reset(t, newer, "a new password"); status != 400 || body != invalidToken {
		t.Errorf("reset with a token that has expired: status %d, want 400; body %s", status, body)
	}
	h.Exec(t, "UPDATE core.password_reset SET expires_at = now() + interval '1 minute'")
	if n := h.count(t, "core.person WHERE password_hash = $1", passwordHash()); n != 1 {
		t.Error("a bad token changed the password")
	}
	if w := h.send(t, request{path: resetPath, body: `{"newPassword":"a new password"}`}); w.Code != 400 ||
		w.Body.String() != invalidToken {
		t.Errorf("reset without a token: status %d, want 400; body %s", w.Code, w.Body)
	}
	if status, _ := h.reset(t, older, "a new password"); status != 200 {
		t.Errorf("reset with the older of two tokens: status %d, want 200", status)
	}
	if status, body := h.reset(t, newer, "another password"); status != 400 || body != invalidToken {
		t.Errorf("reset with the newer token after that: status %d, want 400; body %s", status, body)
	}
	if n := h.count(t, "core.person WHERE email_verified AND id = $1", id); n != 0 {
		t.Error("a reset verified the address")
	}
}

// The database contains only the hash of a link's token.
func TestTokensAreHashedAtRest(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org", "email_verified = false")
	for path, screen := range map[string]string{
		requestResetPath: "reset-password", sendVerificationPath: "verify-email",
	} {
		text := h.linkTokenFor(t, path, "new@example.org", screen)
		hash, ok := identity.ParseToken(text)
		if !ok || len(text) != 43 {
			t.Fatalf("the link's token is %q, want 43 characters that ParseToken reads", text)
		}
		table := map[string]string{
			requestResetPath: "core.password_reset", sendVerificationPath: "core.email_verification",
		}[path]
		if n := h.count(t, table+" r WHERE r.token_hash = $1 AND r.expires_at > now() + interval '59 minutes' "+
			"AND r.expires_at <= now() + interval '1 hour'",
			hash[:]); n != 1 {
			t.Errorf("%s: %d rows with the hash that expire in an hour, want 1", table, n)
		}
		if n := h.count(t, table+" r WHERE r::text LIKE '%' || $1 || '%'", text); n != 0 {
			t.Errorf("%s contains the token itself", table)
		}
	}
}

// Of 50 uses at the same time one succeeds, because the deletion of the row decides.
func TestResetUsedByMany(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	link := h.linkTokenFor(t, requestResetPath, "anna@example.org", "reset-password")
	hash, _ := identity.ParseToken(link)
	store := identity.NewStore(databasetest.Connected(t, h.Pool(t)))
	var uses sync.WaitGroup
	var won, refused atomic.Int32
	blockade := h.lockRows(t, "LOCK TABLE core.password_reset IN SHARE MODE")
	for range 50 {
		uses.Go(func() {
			switch err := store.ReplacePassword(t.Context(), hash, passwordHash()); {
			case err == nil:
				won.Add(1)
			case identity.IsInvalidToken(err):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	blockade.release(5)
	uses.Wait()
	if won.Load() != 1 || refused.Load() != 49 {
		t.Errorf("%d resets succeeded and %d were refused, want 1 and 49", won.Load(), refused.Load())
	}
}

// A sign-in that checked the old password before a reset opens no session that survives it, whichever
// writes first.
func TestResetAgainstASignIn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		stopsResetAt string
		signsIn      bool
	}{
		"before the new password": {"SELECT FROM core.person FOR SHARE", true},
		"after the new password":  {"SELECT FROM core.session FOR UPDATE", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			h.signIn(t, "anna@example.org", "")
			hash, _ := identity.ParseToken(h.linkTokenFor(t, requestResetPath, "anna@example.org", "reset-password"))
			store := identity.NewStore(h.Pool(t))
			blockade := h.lockRows(t, row.stopsResetAt)
			reset, signIn := make(chan error, 1), make(chan error, 1)
			go func() { reset <- store.ReplacePassword(t.Context(), hash, "another") }()
			waittest.Until(t, "the reset waits for the lock", func() bool { return blockade.waiting() == 1 })
			go func() { signIn <- store.BeginSession(t.Context(), "anna@example.org") }()
			waittest.Until(t, "the sign-in waits or has ended",
				func() bool { return len(signIn) == 1 || blockade.waiting() == 2 })
			blockade.release(1)
			if err := <-reset; err != nil {
				t.Errorf("ReplacePassword beside a sign-in: error %v, want none", err)
			}
			if err := <-signIn; err != nil && !identity.IsWrongCredentials(err) || (err == nil) != row.signsIn {
				t.Errorf("sign-in beside ReplacePassword: error %v, want success: %v", err, row.signsIn)
			}
			if n := h.sessions(t); n != 0 {
				t.Errorf("%d sessions of the old password are left, want 0", n)
			}
		})
	}
}

func TestVerification(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org", "email_verified = false")
	older := h.linkTokenFor(t, sendVerificationPath, "new@example.org", "verify-email")
	newer := h.linkTokenFor(t, sendVerificationPath, "new@example.org", "verify-email")
	reset := h.linkTokenFor(t, requestResetPath, "new@example.org", "reset-password")
	unknown, _ := identity.NewToken()
	for name, bad := range map[string]string{
		"unknown": unknown, "empty": "", "rubbish": "%00", "one that resets": reset,
	} {
		if status, body := h.verify(t, bad); status != 401 || body != invalidToken {
			t.Errorf("verify with a token that is %s: status %d, want 401; body %s", name, status, body)
		}
	}
	received := func(field, what string) string {
		return validation("[query." + field + "] Invalid input: expected string, received " + what)
	}
	for query, want := range map[string]string{
		"":                                   received("token", "undefined"),
		"?token=a&token=b":                   received("token", "array"),
		"?token=a&callbackURL=&callbackURL=": received("callbackURL", "array"),
	} {
		if w := h.send(t, request{method: "GET", path: verifyPath + query}); w.Code != 400 ||
			w.Body.String() != want {
			t.Errorf("GET %s%s: status %d, want 400; body %s, want %s", verifyPath, query, w.Code, w.Body, want)
		}
	}
	h.Exec(t, "UPDATE core.email_verification SET expires_at = now()")
	if status, body := h.verify(t, newer); status != 401 || body != tokenExpired {
		t.Errorf("verification with a link that has expired: status %d, want 401; body %s", status, body)
	}
	if n := h.count(t, "core.person WHERE email_verified"); n != 0 {
		t.Error("a bad link verified")
	}
	h.Exec(t, "UPDATE core.email_verification SET expires_at = now() + interval '1 minute'")
	for _, link := range []string{older, older + "&callbackURL=https://evil.test/", older} {
		if status, body := h.verify(t, link); status != 200 || body != verified {
			t.Errorf("verify: status %d, want 200; body %s, want %s", status, body, verified)
		}
	}
	if status, body := h.verify(t, newer); status != 401 || body != invalidToken {
		t.Errorf("verification with another link after that: status %d; body %s", status, body)
	}
	if h.sessions(t) != 0 {
		t.Error("a verification opened a session")
	}
	if w := h.send(t, request{path: signInPath, body: credentials("new@example.org", password)}); w.Code != 200 {
		t.Errorf("sign-in after it: %d %s", w.Code, w.Body)
	}
}

// Every one of many uses at the same time succeeds, because a verification link works again while it is
// valid.
func TestVerificationByMany(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "new@example.org", "email_verified = false")
	link := h.linkTokenFor(t, sendVerificationPath, "new@example.org", "verify-email")
	databasetest.Connected(t, h.Pool(t))
	var uses sync.WaitGroup
	for range 50 {
		uses.Go(func() {
			if status, body := h.verify(t, link); status != 200 || body != verified {
				t.Errorf("verify: status %d, want 200; body %s, want %s", status, body, verified)
			}
		})
	}
	uses.Wait()
}

// Valid rows stay, expired ones are deleted, and an expired verification is kept for a week.
func TestSweeps(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, address := range []string{"anna@example.org", "eve@example.org"} {
		h.person(t, address, "email_verified = false")
	}
	h.Exec(t, `
		INSERT INTO core.session (token_hash, person_id, persistent, expires_at)
		SELECT sha256(n::text::bytea), (SELECT id FROM core.person LIMIT 1), true, now() + CASE WHEN n <= 1500 THEN
			interval '-1 second' ELSE interval '1 hour' END
		FROM generate_series(1, 1502) n`)
	h.Exec(t, `
		INSERT INTO core.password_reset (person_id, token_hash, expires_at)
		SELECT id, sha256(email::bytea), now() + CASE email WHEN 'anna@example.org' THEN interval '-1 second' ELSE
			interval '1 hour' END
		FROM core.person`)
	h.Exec(t, `
		INSERT INTO core.email_verification (token_hash, person_id, expires_at)
		SELECT sha256(n::text::bytea), (SELECT id FROM core.person LIMIT 1), now() - n * interval '1 day'
		FROM generate_series(0, 9) n`)
	store := identity.NewStore(h.Pool(t))
	for _, want := range []int{1000, 500, 0} {
		if deleted, err := store.SweepSessions(t.Context()); deleted != want || err != nil {
			t.Errorf("deleted %d sessions, want %d: %v", deleted, want, err)
		}
	}
	for _, want := range []int{1 + 3, 0} {
		if deleted, err := store.SweepLinks(t.Context()); deleted != want || err != nil {
			t.Errorf("deleted %d links, want %d: %v", deleted, want, err)
		}
	}
	if h.sessions(t) != 2 || h.count(t, "core.password_reset") != 1 ||
		h.count(t, "core.email_verification") != 7 {
		t.Error("a sweep took what still lived")
	}
}
