package feeds_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/feeds"
)

// TestFeed: an address is given once, feeds what the module answers, and ends.
func TestFeed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.make(t, h.anna)
	local := m.local(t)
	if !strings.HasSuffix(local, "/house.ics") {
		t.Errorf("the address ends as in %s, want /house.ics", local)
	}
	w := h.send(t, "", "GET", local, "")
	if got := w.Header(); w.Code != 200 || w.Body.String() != "BEGIN:VCALENDAR" || got.Get("Etag") != `"1"` ||
		got.Get("Content-Type") != "text/calendar; charset=utf-8" || got.Get("Content-Disposition") != "" ||
		got.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("GET: status %d, headers %v, body %s, want the calendar", w.Code, w.Header(), w.Body)
	}
	if got := h.asked[0].URL.String(); got != "/api/v1/modules/calendar/house.ics?room=3" {
		t.Errorf("the module was asked for %s, want the path and the query of the feed", got)
	}
	list := h.send(t, h.anna, "GET", path, "").Body.String()
	if strings.Contains(list, strings.Split(local, "/")[4]) || !strings.Contains(list, `"label":"My phone"`) ||
		strings.Contains(list, `"lastUsedAt":null`) {
		t.Errorf("the list is %s, want the feed without its secret and with its last use", list)
	}
	if got := h.send(t, h.person(t, "ben@example.org"), "GET", path, ""); !strings.Contains(got.Body.String(),
		`"feeds":[]`) {
		t.Errorf("another person sees %s, want nothing", got.Body)
	}
	renewed := h.send(t, h.anna, "POST", path+"/"+m.ID+"/renew", "{}")
	h.assertFetch(t, "the former address", m, 404)
	again := made{m.ID, strings.Split(renewed.Body.String(), `"`)[7]}
	h.assertFetch(t, "the new address", again, 200)
	for range 2 {
		assertCode(t, "revoke", h.send(t, h.anna, "POST", path+"/"+m.ID+"/revoke", "{}"), 200, "")
	}
	h.assertFetch(t, "a revoked address", again, 404)
	assertCode(t, "renewing it", h.send(t, h.anna, "POST", path+"/"+m.ID+"/renew", "{}"), 404, "FEED_NOT_FOUND")
}

// TestOnlyWhatIsAllowed: whoever may not read the route makes no feed of it, and their feeds end with the
// permission, at once. Nobody touches the feeds of others.
func TestOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.make(t, h.anna)
	ben := h.person(t, "ben@example.org")
	for _, what := range []string{"revoke", "renew"} {
		assertCode(t, "another person's "+what, h.send(t, ben, "POST", path+"/"+m.ID+"/"+what, "{}"), 404,
			"FEED_NOT_FOUND")
	}
	h.deny("calendar.read", true)
	h.assertFetch(t, "without the permission", m, 404)
	assertCode(t, "making without it", h.send(t, h.anna, "POST", path, wanted), 403, "PERMISSION_DENIED")
	if got := h.send(t, h.anna, "GET", path, "").Body.String(); strings.Contains(got, `"/house.ics","type"`) {
		t.Errorf("the list is %s, want no offer of what she may not read", got)
	}
	h.deny("calendar.read", false)
	h.assertFetch(t, "with it again", m, 200)
	h.Exec(t, `UPDATE core.person SET deactivated_at = now() WHERE id = $1`, h.anna)
	h.assertFetch(t, "of a deactivated person", m, 404)
	assertCode(t, "making one then", h.send(t, h.anna, "POST", path, wanted), 404, "FEED_NOT_FOUND")
	h.Exec(t, `UPDATE core.person SET deactivated_at = NULL WHERE id = $1`, h.anna)
	h.assertFetch(t, "of one who is back", m, 200)
	for body, code := range map[string]string{
		`{"moduleId":"calendar","path":"/secret","label":"A"}`:                           "FEED_NOT_FOUND",
		`{"moduleId":"calendar","path":"/../calendar/secret","label":"A"}`:               "FEED_NOT_FOUND",
		`{"moduleId":"other","path":"/house.ics","label":"A"}`:                           "FEED_NOT_FOUND",
		`{"moduleId":"calendar","path":"/house.ics","label":""}`:                         "REQUEST_INVALID",
		`{"moduleId":"calendar","path":"/house.ics","label":"A","query":"a b"}`:          "REQUEST_INVALID",
		`{"moduleId":"calendar","path":"/house.ics","label":"A","query":"a=%zz"}`:        "REQUEST_INVALID",
		`{"moduleId":"calendar","path":"/house.ics","label":"A","house":true}`:           "REQUEST_INVALID",
		`{"moduleId":"calendar","path":"/` + strings.Repeat("a", 600) + `","label":"A"}`: "REQUEST_INVALID",
	} {
		status := 400
		if code == "FEED_NOT_FOUND" {
			status = 404
		}
		assertCode(t, body, h.send(t, h.anna, "POST", path, body), status, code)
	}
}

// TestWrongAddresses: whatever is wrong with an address, the response is the same, and its secret is neither
// stored nor logged.
func TestWrongAddresses(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.make(t, h.anna)
	local := m.local(t)
	secret := strings.Split(local, "/")[4]
	other := "A"
	if secret[0] == 'A' {
		other = "B"
	}
	for _, wrong := range []string{
		strings.Replace(local, "house.ics", "all.xml", 1), path + "/" + other + secret[1:] + "/house.ics",
		path + "/" + secret[1:] + "/house.ics", path + "/x/house.ics",
	} {
		assertCode(t, wrong, h.send(t, h.anna, "GET", wrong, ""), 404, "FEED_NOT_FOUND")
	}
	var found bool
	raw, _ := base64.RawURLEncoding.DecodeString(secret)
	hash := sha256.Sum256(raw)
	if err := h.Pool(t).QueryRow(t.Context(), `
		SELECT bool_or(f::text LIKE '%' || $1 || '%' OR f.secret_hash = $2) OR NOT bool_and(f.secret_hash = $3)
		FROM core.feed f`, secret, raw, hash[:]).Scan(&found); err != nil || found {
		t.Errorf("the secret is stored (%t), want its hash alone; error %v", found, err)
	}
	if err := h.Pool(t).QueryRow(t.Context(), `SELECT bool_or(entry LIKE '%' || $1 || '%') FROM core.activity`,
		secret).Scan(&found); err != nil || found {
		t.Errorf("the secret is in the activity (%t); error %v", found, err)
	}
	h.answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
	assertCode(t, "a module that fails", h.send(t, "", "GET", local, ""), 503, "MODULE_UNAVAILABLE")
	for _, entry := range h.logged.All() {
		for _, value := range entry.ContextMap() {
			if text, _ := value.(string); strings.Contains(entry.Message+text, secret) {
				t.Errorf("the secret is in the log: %v", entry)
			}
		}
	}
}

// TestAnswersOfModules: only the declared type within the limit goes out, and what the client knows is not
// sent again.
func TestAnswersOfModules(t *testing.T) {
	t.Parallel()
	h := setup(t)
	m := h.make(t, h.anna)
	for what, serve := range map[string]http.HandlerFunc{
		"another type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<script>"))
		},
		"no type":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")) },
		"a refusal":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) },
		"a redirect": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) },
		"too long": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/calendar")
			w.Header().Set("Content-Length", strconv.Itoa(feeds.MaxFeed+1))
			_, _ = w.Write([]byte("x"))
		},
	} {
		h.answer(serve)
		h.assertFetch(t, what, m, 404)
	}
	h.answer(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" || r.Header.Get("If-None-Match") != `"1"` {
			t.Errorf("the module gets the headers %v, want If-None-Match alone", r.Header)
		}
		w.Header().Set("Etag", `"1"`)
		w.WriteHeader(304)
	})
	r := httptest.NewRequestWithContext(t.Context(), "GET", m.local(t), http.NoBody)
	r.Header.Set("If-None-Match", `"1"`)
	r.Header.Set("Cookie", "a=b")
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	if w.Code != 304 || w.Header().Get("Etag") != `"1"` {
		t.Errorf("a known feed: status %d, headers %v, want 304", w.Code, w.Header())
	}
	h.answer(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/calendar")
		for range feeds.MaxFeed >> 19 {
			_, _ = w.Write(make([]byte, 1<<19))
		}
		_, _ = w.Write([]byte("x"))
	})
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("a feed that is too long and of no declared length is not cut off")
		}
	}()
	h.send(t, "", "GET", m.local(t), "")
}

// TestLimits: at most 20 live feeds a person, however many processes make them, and 60 fetches a minute of
// one.
func TestLimits(t *testing.T) {
	t.Parallel()
	h := setup(t)
	processes := []http.Handler{h.handler, h.process(t, h.AnotherPool(t))}
	var wg sync.WaitGroup
	for n := range 6 { // more at once wait for each other longer than a busy machine gives them
		wg.Go(func() {
			for range 5 {
				r := httptest.NewRequestWithContext(t.Context(), "POST", path, strings.NewReader(wanted))
				r.Header.Set("Origin", base)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Test-Person", h.anna)
				w := httptest.NewRecorder()
				processes[n%2].ServeHTTP(w, r)
				if w.Code != 201 && w.Code != 409 {
					t.Errorf("POST: status %d, want 201 or 409; body %s", w.Code, w.Body)
				}
			}
		})
	}
	wg.Wait()
	var live int
	if err := h.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.feed`).Scan(&live); err != nil ||
		live != 20 {
		t.Errorf("%d feeds, want 20; error %v", live, err)
	}
	assertCode(t, "one more", h.send(t, h.anna, "POST", path, wanted), 409, "FEED_LIMIT")
	m := h.make(t, h.person(t, "ben@example.org"))
	for range 60 {
		h.assertFetch(t, "within the limit", m, 200)
	}
	w := h.send(t, "", "GET", m.local(t), "")
	assertCode(t, "the 61st", w, 429, "TOO_MANY_REQUESTS")
	if w.Header().Get("Retry-After") == "" {
		t.Error("a 429 without Retry-After")
	}
}

// TestRevokedFeedsAreBounded: a person who makes and ends feeds for ever keeps few rows.
func TestRevokedFeedsAreBounded(t *testing.T) {
	t.Parallel()
	h := setup(t)
	for range 25 {
		assertCode(t, "revoke", h.send(t, h.anna, "POST", path+"/"+h.make(t, h.anna).ID+"/revoke", "{}"), 200, "")
	}
	var rows int
	if err := h.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.feed`).Scan(&rows); err != nil ||
		rows > 21 {
		t.Errorf("%d rows, want at most 21; error %v", rows, err)
	}
}

// TestStatements: every statement fits the schema.
func TestStatements(t *testing.T) {
	t.Parallel()
	databaseOf := setup(t)
	databaseOf.PrepareAll(t, feeds.Statements())
}
