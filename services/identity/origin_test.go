package identity_test

import (
	"net/http"
	"testing"
)

const (
	invalidOrigin = `{"message":"Invalid origin","code":"INVALID_ORIGIN"}`
	missingOrigin = `{"message":"Missing or null Origin","code":"MISSING_OR_NULL_ORIGIN"}`
	crossSite     = `{"message":"Cross-site navigation login blocked. This request appears to be a CSRF ` +
		`attack.","code":"CROSS_SITE_NAVIGATION_LOGIN_BLOCKED"}`
)

// Rule B applies without our cookie. Rule A must refuse every request that rule B refuses.
func TestOriginOfSignIn(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.person(t, "anna@example.org")
	const passes = `{"ok":true}`
	cors, navigate := "Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: navigate"
	elsewhere, cross := "Origin: https://elsewhere.test", "Sec-Fetch-Site: cross-site"

	rows := []struct {
		name   string
		header []string
		want   string
	}{
		{"nothing", nil, passes},
		{"base URL's origin", []string{"Origin: " + base}, passes},
		{"listed origin", []string{"Origin: " + dashboard}, passes},
		{"untrusted", []string{elsewhere}, invalidOrigin},
		{"rubbish", []string{"Origin: %%"}, invalidOrigin},
		{"no URL at all", []string{"Origin: church.test:3000"}, invalidOrigin},
		{"null", []string{"Origin: null"}, missingOrigin},
		{"null and a trusted Referer", []string{"Origin: null", "Referer: " + base + "/"}, missingOrigin},
		{"null and fetch metadata", []string{"Origin: null", cors}, missingOrigin},

		{"fetch metadata alone", []string{cors}, missingOrigin},
		{"site alone", []string{"Sec-Fetch-Site: same-origin"}, missingOrigin},
		{"dest alone", []string{"Sec-Fetch-Dest: empty"}, missingOrigin},
		{"user alone does not count", []string{"Sec-Fetch-User: ?1"}, passes},
		{"fetch, trusted", []string{cors, "Origin: " + base}, passes},
		{"fetch from a sibling site, trusted", []string{cors, cross, "Origin: " + dashboard}, passes},
		{"fetch, untrusted", []string{cors, elsewhere}, invalidOrigin},
		{"cross-site navigation", []string{cross, navigate}, crossSite},
		{"cross-site navigation, trusted", []string{cross, navigate, "Origin: " + base}, crossSite},
		{
			"same-site navigation, trusted",
			[]string{"Sec-Fetch-Site: same-site", navigate, "Origin: " + base},
			passes,
		},

		{"Referer stands in", []string{"Referer: " + base + "/some/page?x=1"}, passes},
		{"untrusted Referer", []string{"Referer: https://elsewhere.test/"}, invalidOrigin},
		{
			"trusted Origin, untrusted Referer",
			[]string{"Origin: " + base, "Referer: https://elsewhere.test/"},
			passes,
		},
		{"untrusted Origin, trusted Referer", []string{elsewhere, "Referer: " + base}, invalidOrigin},

		{"capitals, path, query, userinfo", []string{"Origin: HTTP://user@Church.Test:3000/path?query"}, passes},
		{"default port", []string{"Origin: " + dashboard + ":443"}, passes},
		{"another scheme", []string{"Origin: https://church.test:3000"}, invalidOrigin},
		{"another port", []string{"Origin: http://church.test:3001"}, invalidOrigin},
		{"default port of another scheme", []string{"Origin: " + dashboard + ":80"}, invalidOrigin},
		{"a longer host", []string{"Origin: http://church.test.elsewhere.test:3000"}, invalidOrigin},
		{"a host as userinfo", []string{"Origin: http://church.test:3000@elsewhere.test"}, invalidOrigin},
		{"a backslash", []string{`Origin: http://elsewhere.test\@church.test:3000`}, invalidOrigin},

		{"an unrelated cookie changes nothing", []string{"Cookie: a=b"}, passes},
		{
			"an unrelated cookie hides no navigation",
			[]string{"Cookie: a=b", cross, navigate, "Origin: " + base},
			crossSite,
		},
		{"our cookie, no origin", []string{"Cookie: narthex_session=x"}, missingOrigin},
		{"our cookie, empty", []string{"Cookie: a=b; narthex_session="}, missingOrigin},
		{"our cookie, null", []string{"Cookie: narthex_session=x", "Origin: null"}, missingOrigin},
		{"our cookie, untrusted", []string{"Cookie: narthex_session=x", elsewhere}, invalidOrigin},
		{"our cookie, trusted", []string{"Cookie: narthex_session=x", "Origin: " + base}, passes},
		{
			"our cookie, trusted, cross-site navigation",
			[]string{"Cookie: narthex_session=x", "Origin: " + base, cross, navigate},
			passes,
		},
		{"a name that ends like ours", []string{"Cookie: x_narthex_session=x"}, passes},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			before := h.sessions(t)
			w := h.send(
				t,
				request{path: signInPath, body: credentials("anna@example.org", password), header: row.header},
			)
			if w.Body.String() != row.want || (w.Code == http.StatusOK) != (row.want == passes) ||
				(w.Code == 403) != (row.want != passes) {
				t.Errorf("sign-in with %q: status %d; body %s, want %s", row.header, w.Code, w.Body, row.want)
			}
			if row.want != passes && (h.sessions(t) != before || w.Header().Get("Set-Cookie") != "") {
				t.Error("a refusal made a session or set a cookie")
			}
		})
	}
	h.assertLog(t, 0)
}

// Requests with two faults show which check comes first.
func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	h := setup(t)
	const ours, elsewhere = "Cookie: narthex_session=x", "Origin: https://elsewhere.test"
	unsupported := `{"message":"Content-Type \"text/plain\" is not allowed. Allowed types: ` +
		`application/json","code":"UNSUPPORTED_MEDIA_TYPE"}`
	callback := `{"message":"Invalid callbackURL: expected a string"}`
	missing := validation(
		"[body.email] Invalid input: expected string, received undefined; [body.password] Invalid input: " +
			"expected string, received undefined",
	)
	rows := []struct {
		name   string
		body   string
		header []string
		want   string
	}{
		{"type before parsing", "{", []string{"Content-Type: text/plain"}, unsupported},
		{"parsing before rule A", "{", []string{ours, elsewhere}, invalidJSON},
		{"rule A before callbacks", `{"callbackURL":1}`, []string{ours, elsewhere}, invalidOrigin},
		{"rule A before the schema", `{}`, []string{ours, elsewhere}, invalidOrigin},
		{"callbacks before the schema", `{"callbackURL":1}`, nil, callback},
		{"callbacks before rule B", `{"callbackURL":1}`, []string{elsewhere}, callback},
		{"schema before rule B", `{}`, []string{elsewhere}, missing},
		{"rule B before the address", credentials("nothing", "x"), []string{elsewhere}, invalidOrigin},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if w := h.send(
				t, request{path: signInPath, body: row.body, header: row.header},
			); w.Body.String() != row.want {
				t.Errorf("sign-in of %s with %q: status %d; body %s, want %s",
					row.body, row.header, w.Code, w.Body, row.want)
			}
		})
	}
}
