package identity_test

import (
	"net/http"
	"strings"
	"testing"
)

const expiring = "narthex_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"

func TestSignOut(t *testing.T) {
	t.Parallel()
	const trusted, success = "Origin: " + base, `{"success":true}`
	rows := []struct {
		name   string
		body   string
		header []string // LIVE is replaced by the valid cookie's header
		status int
		want   string
		ended  bool
	}{
		{"with a session", "{}", []string{"LIVE", trusted}, 200, success, true},
		{"from the dashboard", "{}", []string{"LIVE", "Origin: " + dashboard}, 200, success, true},
		{"by Referer", "{}", []string{"LIVE", "Referer: " + base + "/page"}, 200, success, true},
		{"neither type nor body", "", []string{"LIVE", trusted, "Content-Type:"}, 200, success, true},
		{"without a cookie", "{}", nil, 200, success, false},
		{
			"without a cookie, untrusted",
			"{}",
			[]string{"Origin: https://elsewhere.test", "Sec-Fetch-Mode: cors"},
			200,
			success,
			false,
		},
		{"forged", "{}", []string{"Cookie: narthex_session=x", trusted}, 200, success, false},
		{"no origin", "{}", []string{"LIVE"}, 403, missingOrigin, false},
		{"null", "{}", []string{"LIVE", "Origin: null"}, 403, missingOrigin, false},
		{"untrusted", "{}", []string{"LIVE", "Origin: https://elsewhere.test"}, 403, invalidOrigin, false},
		{"forged, no origin", "{}", []string{"Cookie: narthex_session=x"}, 403, missingOrigin, false},
		{"broken JSON", "{", []string{"LIVE", trusted}, 400, invalidJSON, false},
		{
			"an array",
			"[]",
			[]string{"LIVE", trusted},
			400,
			validation("[body] Invalid input: expected object, received array"),
			false,
		},
		{
			"a callback that is no string",
			`{"callbackURL":1}`,
			[]string{"LIVE", trusted},
			400,
			`{"message":"Invalid callbackURL: expected a string"}`,
			false,
		},
		{"a form", "a=b", []string{"LIVE", trusted, "Content-Type: application/x-www-form-urlencoded"}, 415,
			`{"message":"Content-Type \"application/x-www-form-urlencoded\" is not allowed. Allowed types: ` +
				`application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`, false},
	}
	h := setup(t)
	h.person(t, "anna@example.org")
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			live, other := h.signIn(t, "anna@example.org", ""), h.signIn(t, "anna@example.org", "")
			header := strings.Split(strings.ReplaceAll(strings.Join(row.header, "\n"), "LIVE", live), "\n")
			if len(row.header) == 0 {
				header = nil
			}
			w := h.send(t, request{path: "/api/auth/sign-out", body: row.body, header: header})
			if w.Code != row.status || w.Body.String() != row.want {
				t.Errorf("sign-out with %q: status %d, want %d; body %s, want %s", row.body, w.Code, row.status, w.Body,
					row.want)
			}
			if set := w.Header().Get("Set-Cookie"); (set == expiring) != (row.status == 200) ||
				(set == "") != (row.status != 200) {
				t.Errorf("sign-out with status %d: Set-Cookie %q, want the cookie's deletion with a "+
					"200 alone", w.Code, set)
			}
			if _, body := h.principal(t, live); (body == anonymous) != row.ended {
				t.Errorf("GET principal after the sign-out: %s, want the session ended: %v", body, row.ended)
			}
			if _, body := h.principal(t, other); body == anonymous {
				t.Error("another session of the person ended too")
			}
			h.assertLog(t, 0)
		})
	}
}

func TestSignOutWithoutStore(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	live := h.signIn(t, "anna@example.org", "")
	h.Exec(t, "ALTER TABLE core.session RENAME TO lost")
	for _, cookie := range []string{live, "Cookie: narthex_session=x"} {
		w := h.send(
			t,
			request{path: "/api/auth/sign-out", body: "{}", header: []string{cookie, "Origin: " + base}},
		)
		if w.Code != http.StatusServiceUnavailable || w.Body.String() != unavailable ||
			w.Header().Get("Set-Cookie") != "" {
			t.Errorf("sign-out: status %d, want 503; body %s; header %v, want no Set-Cookie", w.Code, w.Body,
				w.Header())
		}
	}
}
