package navigation_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAccepted submits values at the limits.
func TestAccepted(t *testing.T) {
	t.Parallel()
	h := setup(t)
	longest := strings.Repeat("a", 64)
	for _, id := range []string{"a", "-", "0", "a-b", longest, "4f1c2a9e-0b3d-4c5e-8f60-718293a4b5c6", "%61"} {
		h.mustSend(t, `PUT groups/`+id+` {"label":"x","order":0}`)
	}
	for _, label := range []string{"x", strings.Repeat("ü", 80), strings.Repeat("👍", 80), " x ", `\"\\`,
		`<b>`, `a\u00e4`} {
		h.mustSend(t, `PUT groups/a {"label":"`+label+`","order":0}`)
	}
	for _, order := range []string{"0", "1", "1000000"} {
		h.mustSend(t, `PUT groups/a {"label":"x","order":`+order+`}`,
			`PUT placements/ant {"groupId":"`+longest+`","order":`+order+`}`)
	}
	w := h.send(t.Context(), http.MethodPut, groups+"a", `{"label":"x","order":1}`, "Content-Type",
		"application/json; charset=utf-8")
	if w.Code != http.StatusOK {
		t.Errorf("PUT with a charset: status %d, want 200; body %s", w.Code, w.Body)
	}
}

// TestRefusedBodies checks that nothing is written, and that no response repeats what was sent.
func TestRefusedBodies(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.mustSend(t, `PUT groups/music {"label":"Music","order":2}`,
		`PUT placements/ant {"groupId":"music","order":3}`)
	before := h.rows(t)
	orders := []string{`-1`, `1000001`, `1.0`, `1.5`, `1e3`, `"1"`, `null`, `true`, `[]`, `{}`,
		`99999999999999999999`, ``, `01`, `NaN`}
	var group, placement []string
	for _, order := range orders {
		group = append(group, `{"label":"x","order":`+order+`}`)
		placement = append(placement, `{"groupId":null,"order":`+order+`}`)
	}
	for _, label := range []string{``, ` `, "\u00a0", strings.Repeat("x", 81), strings.Repeat("ü", 81),
		`a\u0000`, `a\n`, `a\u007f`, `a\u0085`, "a\tb", "a\xff", `\ud800`,
		`a\u202eb`, `\u2066a\u2069`, `a\u200bb`, `\u3164`, `\u200d`, `a\u2028b`} {
		group = append(group, `{"label":"`+label+`","order":1}`)
	}
	for _, label := range []string{`null`, `1`, `true`, `["x"]`, `{}`} {
		group = append(group, `{"label":`+label+`,"order":1}`)
	}
	for _, id := range []string{`""`, `"Music"`, `"a b"`, `"ä"`, `"a\u0000"`, `"a/b"`, `"` +
		strings.Repeat("a", 65) + `"`, `1`, `false`, `[]`, `["music"]`, `{}`, `{"id":"music"}`, ``} {
		placement = append(placement, `{"groupId":`+id+`,"order":1}`)
	}
	for _, body := range []string{
		``, `null`, `[]`, `1`, `"x"`, `{}`, `{"order":1}`, `{`, `{"label":"x"}`, `{"groupId":null}`,
		`{"label":"x","order":1,"id":"music"}`, `{"groupId":null,"order":1,"moduleId":"ant"}`,
		`{"label":"x","order":1,"order":1}`, `{"groupId":null,"groupId":null,"order":1}`,
		`{"Label":"x","order":1}`, `{"groupid":null,"order":1}`, `{"groupId":null,"Order":1}`,
		`{"label":"x","order":1} {}`, `{"groupId":null,"order":1}x`,
	} {
		group, placement = append(group, body), append(placement, body)
	}
	refuse := func(method, target, body string, headers ...string) {
		t.Helper()
		wantCode(t, h.send(t.Context(), method, target, body, headers...), http.StatusBadRequest, "REQUEST_INVALID")
		if t.Failed() {
			t.Fatalf("%s %s with %s: want 400 REQUEST_INVALID, as above", method, target, body)
		}
	}
	for _, body := range group {
		refuse(http.MethodPut, groups+"music", body)
	}
	for _, body := range placement {
		refuse(http.MethodPut, placements+"ant", body)
		refuse(http.MethodPut, placements+"ghost", body) // an invalid body is reported first, whatever the module
	}
	for _, id := range []string{"Music", "a.b", "a_b", "%C3%A4", "%00", "a%2Fb", "a%20b", "+",
		strings.Repeat("a", 65)} {
		refuse(http.MethodPut, groups+id, `{"label":"x","order":1}`)
		refuse(http.MethodDelete, groups+id, ``)
	}
	for _, target := range []string{groups + "music", placements + "ant"} {
		refuse(http.MethodDelete, target, `{"order":1}`)
		refuse(http.MethodDelete, target, `[]`)
		refuse(http.MethodDelete, target, `null`)
		refuse(http.MethodDelete, target, ``, "Content-Type", "application/json")
	}
	for _, media := range []string{"", "text/plain", "application/jsonx", "application/json; charset"} {
		refuse(http.MethodPut, groups+"music", `{"label":"x","order":1}`, "Content-Type", media)
		refuse(http.MethodPut, placements+"ant", `{"groupId":null,"order":1}`, "Content-Type", media)
	}
	if rows := h.rows(t); rows != before {
		t.Errorf("stored %q after refusals, want %q", rows, before)
	}
}

// TestUnknownModuleIsReportedFirst checks that an unknown module is reported before an unknown group, and
// that nothing is written.
func TestUnknownModuleIsReportedFirst(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for _, id := range []string{"ghost", "Ant", "core", "%00", "a%FF", "ant%2F", strings.Repeat("a", 49)} {
		for _, groupID := range []string{`null`, `"ghost"`} {
			w := h.send(t.Context(), http.MethodPut, placements+id, `{"groupId":`+groupID+`,"order":1}`)
			wantCode(t, w, http.StatusNotFound, "MODULE_NOT_INSTALLED")
		}
		if w := h.send(t.Context(), http.MethodDelete, placements+id, ""); w.Code != http.StatusNoContent {
			t.Errorf("DELETE %s: status %d, want 204; body %s", placements+id, w.Code, w.Body)
		}
	}
	wantCode(t, h.send(t.Context(), http.MethodPut, placements+"ant", `{"groupId":"ghost","order":1}`),
		http.StatusNotFound, "NAVIGATION_GROUP_NOT_FOUND")
	for _, target := range []string{groups, placements, groups + "a/b", path + "/", path + "/groups", path +
		"/other/a"} {
		wantCode(t, h.send(t.Context(), http.MethodDelete, target, ""), http.StatusNotFound, "NOT_FOUND")
	}
	if rows := h.rows(t); rows != "" {
		t.Errorf("stored %q after refusals, want nothing", rows)
	}
}

// TestGates checks the order of the gates: origin, length, permission, handler. Reading needs another
// permission than writing.
func TestGates(t *testing.T) {
	t.Parallel()
	h := setup(t)
	long := `{"label":"` + strings.Repeat("x", 16<<10) + `"}`
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		for _, target := range []string{groups + "music", placements + "ant"} {
			wantCode(t, h.send(t.Context(), method, target, long, "Origin", "", "Test-Holds", ""),
				http.StatusForbidden, "ORIGIN_NOT_TRUSTED")
			wantCode(t, h.send(t.Context(), method, target, long, "Origin", "https://evil.example"),
				http.StatusForbidden, "ORIGIN_NOT_TRUSTED")
			wantCode(t, h.send(t.Context(), method, target, long, "Test-Holds", ""), http.StatusRequestEntityTooLarge,
				"REQUEST_BODY_TOO_LARGE")
			wantCode(t, h.send(t.Context(), method, target, "[]", "Test-Holds", ""), http.StatusUnauthorized,
				"AUTHENTICATION_REQUIRED")
			wantCode(t, h.send(t.Context(), method, target, "[]", "Test-Holds", readUI), http.StatusForbidden,
				"PERMISSION_DENIED")
		}
	}
	wantCode(t, h.send(t.Context(), http.MethodGet, path, "", "Test-Holds", ""), http.StatusUnauthorized,
		"AUTHENTICATION_REQUIRED")
	wantCode(t, h.send(t.Context(), http.MethodGet, path, "", "Test-Holds", manage), http.StatusForbidden,
		"PERMISSION_DENIED")
	if w := h.send(t.Context(), http.MethodGet, path, "", "Test-Holds", readUI, "Origin",
		""); w.Code != http.StatusOK {
		t.Errorf("GET %s without an origin: status %d, want 200", path, w.Code)
	}
	if rows := h.rows(t); rows != "" {
		t.Errorf("stored %q after refusals, want nothing", rows)
	}
}
