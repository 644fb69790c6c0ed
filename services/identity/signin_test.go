package identity_test

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/waittest"
)

const (
	wrongCredentials = `{"message":"Invalid email or password","code":"INVALID_EMAIL_OR_PASSWORD"}`
	invalidJSON      = `{"message":"Invalid JSON in request body","code":"BAD_REQUEST"}`
	invalidEmail     = `{"message":"Invalid email","code":"INVALID_EMAIL"}`
)

func validation(message string) string {
	return `{"message":"` + message + `","code":"VALIDATION_ERROR"}`
}

// Every row also checks what must not happen: no cookie and no session without a 200, and nothing in the
// log.
func TestSignIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "new@example.org", "email_verified = false")
	h.person(t, "none@example.org", "password_hash = NULL")
	good := credentials("anna@example.org", password)
	long := strings.Repeat("x", 129)

	rows := []struct {
		name   string
		body   string
		header []string
		status int
		want   string
	}{
		{"right", good, nil, 200, `{"ok":true}`},
		{"the address in capitals", credentials("ANNA@Example.ORG", password), nil, 200, `{"ok":true}`},
		{
			"type with parameters, in capitals",
			good,
			[]string{"Content-Type: Application/JSON; Charset=utf-8"},
			200,
			`{"ok":true}`,
		},
		{"byte-order mark", "\ufeff" + good, nil, 200, `{"ok":true}`},
		{"unknown keys", `{"image":{"a":[1]},"role":null,` + good[1:], nil, 200, `{"ok":true}`},
		{"last of repeated keys", `{"password":"wrong",` + good[1:], nil, 200, `{"ok":true}`},
		{
			"last of repeated keys is wrong",
			good[:len(good)-1] + `,"password":"wrong"}`,
			nil,
			401,
			wrongCredentials,
		},
		{"white space around", " \n" + good + "\r\n\t ", nil, 200, `{"ok":true}`},
		{
			"a callback is ignored",
			`{"callbackURL":"https://elsewhere.test/","redirectTo":"//x",` + good[1:],
			nil,
			200,
			`{"ok":true}`,
		},
		{
			"empty callbacks of any type",
			`{"redirectTo":0,"errorCallbackURL":null,"newUserCallbackURL":false,` + good[1:],
			nil,
			200,
			`{"ok":true}`,
		},
		{"rememberMe true", `{"rememberMe":true,` + good[1:], nil, 200, `{"ok":true}`},

		{"wrong password", credentials("anna@example.org", "wrong horse battery"), nil, 401, wrongCredentials},
		{"empty password", credentials("anna@example.org", ""), nil, 401, wrongCredentials},
		{"129 characters", credentials("anna@example.org", long), nil, 401, wrongCredentials},
		{"space after the password", credentials("anna@example.org", password+" "), nil, 401, wrongCredentials},
		{"unknown address", credentials("nobody@example.org", password), nil, 401, wrongCredentials},
		{"person without a password", credentials("none@example.org", password), nil, 401, wrongCredentials},
		{"person without a password, empty", credentials("none@example.org", ""), nil, 401, wrongCredentials},
		{"not verified", credentials("new@example.org", password), nil, 403, `{"code":"EMAIL_NOT_VERIFIED"}`},
		{"not verified, wrong password", credentials("new@example.org", "wrong"), nil, 401, wrongCredentials},
		{"no address", credentials("anna", password), nil, 400, invalidEmail},
		{"spaces around the address", credentials(" anna@example.org ", password), nil, 400, invalidEmail},

		{
			"a form",
			"email=anna%40example.org&password=x",
			[]string{"Content-Type: application/x-www-form-urlencoded"},
			415,
			`{"message":"Content-Type \"application/x-www-form-urlencoded\" is not allowed. Allowed types: ` +
				`application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`,
		},
		{"the type as a parameter", good, []string{"Content-Type: text/plain; application/json"}, 415,
			`{"message":"Content-Type \"text/plain; application/json\" is not allowed. Allowed types: ` +
				`application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`},
		{"a vendor's type", good, []string{"Content-Type: application/vnd.x+json"}, 415,
			`{"message":"Content-Type \"application/vnd.x+json\" is not allowed. Allowed types: application/json",` +
				`"code":"UNSUPPORTED_MEDIA_TYPE"}`},
		{"no type", good, []string{"Content-Type:"}, 415,
			`{"message":"Content-Type is required. Allowed types: application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`},
		{"neither type nor body", "", []string{"Content-Type:"}, 415,
			`{"message":"Content-Type is required. Allowed types: application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`},
		{"empty body", "", nil, 400, invalidJSON},
		{"cut off", good[:20], nil, 400, invalidJSON},
		{"something after it", good + "{}", nil, 400, invalidJSON},
		{"rubbish after it", good + " x", nil, 400, invalidJSON},
		{
			"empty object",
			`{}`,
			nil,
			400,
			validation("[body.email] Invalid input: expected string, received undefined; " +
				"[body.password] Invalid input: expected string, received undefined"),
		},
		{"wrong types", `{"email":1e999,"password":[],"callbackURL":null,"rememberMe":"true"}`, nil, 400,
			validation("[body.email] Invalid input: expected string, received number; " +
				"[body.password] Invalid input: expected string, received array; " +
				"[body.callbackURL] Invalid input: expected string, received null; " +
				"[body.rememberMe] Invalid input: expected boolean, received string")},
		{"keys in capitals are other keys", `{"Email":"anna@example.org","password":"x"}`, nil, 400,
			validation("[body.email] Invalid input: expected string, received undefined")},
		{
			"rememberMe null",
			`{"rememberMe":null,` + good[1:],
			nil,
			400,
			validation("[body.rememberMe] Invalid input: expected boolean, received null"),
		},
		{"an array", `[]`, nil, 400, validation("[body] Invalid input: expected object, received array")},
		{"null", `null`, nil, 400, validation("[body] Invalid input: expected object, received null")},
		{
			"callbackURL no string",
			`{"callbackURL":{}}`,
			nil,
			400,
			`{"message":"Invalid callbackURL: expected a string"}`,
		},
		{
			"redirectTo no string",
			`{"redirectTo":true}`,
			nil,
			400,
			`{"message":"Invalid redirectURL: expected a string"}`,
		},
		{
			"errorCallbackURL no string",
			`{"errorCallbackURL":[]}`,
			nil,
			400,
			`{"message":"Invalid errorCallbackURL: expected a string"}`,
		},
		{
			"newUserCallbackURL no string",
			`{"newUserCallbackURL":1}`,
			nil,
			400,
			`{"message":"Invalid newUserCallbackURL: expected a string"}`,
		},
		{
			"over 8 KiB",
			`{"email":"` + strings.Repeat("x", 8<<10) + `"}`,
			nil,
			413,
			`{"code":"REQUEST_BODY_TOO_LARGE"}`,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { // not in parallel, because each counts the sessions
			before := h.sessions(t)
			w := h.send(t, request{path: signInPath, body: row.body, header: row.header})
			if w.Code != row.status || w.Body.String() != row.want {
				t.Errorf("sign-in with %s: status %d, want %d\n got %s\nwant %s", row.body, w.Code, row.status, w.Body,
					row.want)
			}
			header, success := w.Header(), row.status == http.StatusOK
			if header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "no-store" ||
				header.Get("Location") != "" {
				t.Errorf("header %v, want application/json, no-store and no Location", header)
			}
			if made := h.sessions(t) - before; (made == 1) != success || (made == 0) == success {
				t.Errorf("%d sessions were made, want one: %v", made, success)
			}
			if cookies := len(header["Set-Cookie"]); (cookies == 1) != success {
				t.Errorf("%d cookies were set, want one: %v", cookies, success)
			}
		})
	}
	h.assertLog(t, 0)
}

func TestRepeatedCallbackInTheQuery(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const want = `{"message":"Invalid callbackURL: expected a string"}`
	w := h.send(t, request{path: signInPath + "?callbackURL=a&callbackURL=b", body: `{}`})
	if w.Code != 400 || w.Body.String() != want {
		t.Errorf("two callbackURL in the query: status %d, want 400; body %s, want %s", w.Code, w.Body, want)
	}
}

// Every sign-in makes a new session and deletes the person's expired ones.
func TestSessionsOfAPerson(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "bert@example.org")
	h.signIn(t, "anna@example.org", "")
	h.signIn(t, "bert@example.org", "")
	h.Exec(t, "UPDATE core.session SET expires_at = now() - interval '1 second'")
	first, second := h.signIn(t, "anna@example.org", ""), h.signIn(t, "anna@example.org", "")
	if first == second {
		t.Error("two sign-ins, one session")
	}
	for _, cookie := range []string{first, second} {
		if _, body := h.principal(t, cookie); !strings.Contains(body, "authenticated") {
			t.Errorf("GET principal with %s: %s, want it authenticated", cookie, body)
		}
	}
	if n := h.sessions(t); n != 3 {
		t.Errorf("%d sessions, want 3: Anna's two and Bert's expired one", n)
	}
}

// Nothing in the database gives access: it contains neither the cookie's token nor the password in a readable
// form.
func TestNothingReadableAtRest(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	cookie := h.signIn(t, "anna@example.org", "")
	_, value, _ := strings.Cut(cookie, "=")
	token, _, _ := strings.Cut(value, ".")
	var dump string
	if err := h.Pool(t).QueryRow(t.Context(),
		"SELECT (SELECT string_agg(s::text || encode(s.token_hash, 'base64'), '') FROM core.session s) || "+
			"(SELECT string_agg(p::text, '') FROM core.person p)",
	).Scan(&dump); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{value, token, token[:20], password} {
		if strings.Contains(dump, word) {
			t.Errorf("the database contains %q, want hashes alone", word)
		}
	}
	if n := h.count(t, "core.session WHERE octet_length(token_hash) = 32"); n != 1 {
		t.Error("the stored hash is not one SHA-256")
	}
}

// Known, unknown and passwordless addresses wait in the same queue, so a full queue reveals nothing about
// them.
func TestFullHashQueue(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	h.person(t, "none@example.org", "password_hash = NULL")
	gate := identity.CheckSemaphore(h.service)
	leave, empty := gate.TakeAll(), gate.FillQueue()
	for _, address := range []string{"anna@example.org", "none@example.org", "nobody@example.org"} {
		w := h.send(t, request{path: signInPath, body: credentials(address, password)})
		const want = `{"message":"Too many requests. Please try again later.","code":"TOO_MANY_REQUESTS"}`
		if w.Code != 429 || w.Body.String() != want {
			t.Errorf("sign-in of %s with a full queue: status %d, want 429; body %s", address, w.Code, w.Body)
		}
		if seconds, err := strconv.Atoi(w.Header().Get("X-Retry-After")); err != nil || seconds < 1 {
			t.Errorf("sign-in of %s with a full queue: X-Retry-After %q, want at least 1 s", address,
				w.Header().Get("X-Retry-After"))
		}
	}
	leave()
	empty()
	h.signIn(t, "anna@example.org", "")
	h.assertLog(t, 0)
}

// An unknown address must cost a hash too, so that the time reveals nothing. A hash is known by its memory:
// 19 MiB that nothing else in a sign-in needs. The test runs alone, because it counts what the process
// allocates.
func TestUnknownAddressCostsAHash(t *testing.T) {
	h := setup(t)
	h.person(t, "anna@example.org", "password_hash = '"+identity.HashPassword(password)+"'")
	h.person(t, "none@example.org", "password_hash = NULL")
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	const hash = 19 << 20
	for _, address := range []string{"anna@example.org", "nobody@example.org", "none@example.org"} {
		before := allocated()
		h.send(t, request{path: signInPath, body: credentials(address, "wrong")})
		if took := allocated() - before; took < hash || took > hash*3/2 {
			t.Errorf("a sign-in of %s allocates %d KiB, want the %d KiB of one hash and little more", address,
				took>>10, hash>>10)
		}
	}
}

// A password that is replaced during the check opens no session, and neither does an account that is no
// longer verified.
func TestPasswordChangedMeanwhile(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"password_hash = '" + identity.HashCheaply("another password") + "'": wrongCredentials,
		"email_verified = false": `{"code":"EMAIL_NOT_VERIFIED"}`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			gate := identity.CheckSemaphore(h.service)
			leave := gate.TakeAll()
			responded := make(chan string)
			go func() {
				w := h.send(t, request{path: signInPath, body: credentials("anna@example.org", password)})
				responded <- w.Body.String()
			}()
			waittest.Until(t, "the sign-in waits", func() bool { return gate.Waiting() == 1 })
			h.Exec(t, "UPDATE core.person SET "+change)
			leave()
			if body := <-responded; body != want {
				t.Errorf("a sign-in that began before %q: got %s, want %s", change, body, want)
			}
			if h.sessions(t) != 0 {
				t.Error("a session was made")
			}
		})
	}
}

// An older hash is replaced by one with today's cost after a successful sign-in only, and still signs in.
func TestOlderHashIsRenewed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	older := identity.HashCheaply(password)
	id := h.person(t, "anna@example.org", "password_hash = '"+older+"'", "email_verified = false")
	stored := func() (hash string) {
		t.Helper()
		if err := h.Pool(t).QueryRow(
			t.Context(), "SELECT password_hash FROM core.person WHERE id = $1", id,
		).Scan(&hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	h.send(t, request{path: signInPath, body: credentials("anna@example.org", password)})
	h.Exec(t, "UPDATE core.person SET email_verified = true")
	h.send(t, request{path: signInPath, body: credentials("anna@example.org", "a wrong password")})
	if stored() != older {
		t.Fatal("a sign-in that failed renewed the hash")
	}
	session := h.signIn(t, "anna@example.org", "")
	renewed := stored()
	if !strings.HasPrefix(renewed, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("after a sign-in the hash is %.40s", renewed)
	}
	if _, body := h.principal(t, session); body == anonymous {
		t.Error("the sign-in that renewed the hash has no session")
	}
	h.signIn(t, "anna@example.org", "")
	if stored() != renewed {
		t.Error("a hash at today's cost was renewed")
	}
	h.assertLog(t, 0)
}

// Of two sign-ins at the same time, one renews the hash that the other has just checked. Both succeed.
func TestOlderHashIsRenewedByTwo(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org", "password_hash = '"+identity.HashCheaply(password)+"'")
	gate := identity.CheckSemaphore(h.service)
	leave := gate.TakeAll()
	responded := make(chan string)
	go func() {
		w := h.send(t, request{path: signInPath, body: credentials("anna@example.org", password)})
		responded <- w.Body.String()
	}()
	waittest.Until(t, "the sign-in waits", func() bool { return gate.Waiting() == 1 })
	h.Exec(t, "UPDATE core.person SET password_hash = $1", passwordHash()) // the renewal by the other sign-in
	leave()
	if body := <-responded; body != `{"ok":true}` {
		t.Errorf("sign-in beside an upgrade of the hash: body %s, want {\"ok\":true}", body)
	}
}

// When a renewal fails, the sign-in still succeeds.
func TestOlderHashThatCannotBeRenewed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org", "password_hash = '"+identity.HashCheaply(password)+"'")
	h.Exec(t, "ALTER TABLE core.person ADD CHECK (password_hash NOT LIKE '%m=19456%')")
	h.signIn(t, "anna@example.org", "")
	h.assertLog(t, 1)
}

func TestSignInWithoutStore(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{
		"ALTER TABLE core.person RENAME TO lost",
		"ALTER TABLE core.session RENAME TO lost",
		"UPDATE core.person SET password_hash = '$argon2id$v=19$m=4194304,t=2,p=1$AAAA$AAAA'",
		"UPDATE core.person SET password_hash = 'secret words'",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			h.Exec(t, fault)
			w := h.send(t, request{path: signInPath, body: credentials("anna@example.org", password)})
			if w.Code != 500 || w.Body.String() != `{"code":"IDENTITY_FAILED"}` ||
				w.Header().Get("Set-Cookie") != "" {
				t.Errorf("sign-in after %s: status %d, want 500 IDENTITY_FAILED; body %s; header "+
					"%v, want no Set-Cookie", fault, w.Code, w.Body, w.Header())
			}
			h.assertLog(t, 1)
		})
	}
}
