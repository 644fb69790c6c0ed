package identity_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/principal"
)

const firefox = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// TestDescribe: a session is called by a browser and a system of our own lists, and by no word of the header.
func TestDescribe(t *testing.T) {
	t.Parallel()
	const webkit = "AppleWebKit/537.36 (KHTML, like Gecko) "
	for header, want := range map[string]string{
		strings.TrimPrefix(firefox, "User-Agent: "):                                           "Firefox, Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64) " + webkit + "Chrome/140.0.0.0 Safari/537.36":   "Chrome, Windows",
		"Mozilla/5.0 (Windows NT 10.0) " + webkit + "Chrome/140 Safari/537.36 Edg/140.0":      "Edge, Windows",
		"Mozilla/5.0 (Linux; Android 10; K) " + webkit + "Chrome/140.0.0.0 Mobile Safari/537": "Chrome, Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1":    "Safari, iPhone",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15":        "Safari, macOS",
		"curl/8.0": "",
		"":         "",
		"<b>Windows</b> " + strings.Repeat("Firefox/", 500): "Firefox, Windows",
	} {
		if got := identity.Describe(header); got != want {
			t.Errorf("a session of %.80q is called %q, want %q", header, got, want)
		}
	}
}

type ownSession struct {
	ID, CreatedAt, LastSeenAt, Description string
	Current                                bool
}

func (h harness) ownSessions(t *testing.T, userID, cookie string) []ownSession {
	t.Helper()
	w := h.sendAs(t, userID, request{method: "GET", path: "/api/v1/account/sessions", header: []string{cookie}})
	var body struct{ Sessions []ownSession }
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK {
		t.Fatalf("GET sessions: status %d, body %s, error %v", w.Code, w.Body, err)
	}
	return body.Sessions
}

func (h harness) endOwn(t *testing.T, userID, cookie, id string) (status int, set string) {
	t.Helper()
	w := h.sendAs(t, userID, request{
		path: "/api/v1/account/sessions/" + id + "/end", body: "{}", header: []string{cookie, "Origin: " + base},
	})
	return w.Code, w.Header().Get("Set-Cookie")
}

// TestOwnSessions: people see their own sessions and end one, or the present one, and none of others.
func TestOwnSessions(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna, bert := h.person(t, "anna@example.org"), h.person(t, "bert@example.org")
	first := h.signIn(t, "anna@example.org", "", firefox)
	h.Exec(t, `UPDATE core.session
		SET last_seen_at = now() - interval '1 hour', created_at = now() - interval '1 day'`)
	second, his := h.signIn(t, "anna@example.org", ""), h.signIn(t, "bert@example.org", "")
	h.Exec(t, `INSERT INTO core.session (token_hash, person_id, persistent, expires_at)
		VALUES ('\x00', $1, true, now())`, anna)

	found := h.ownSessions(t, anna, second)
	if len(found) != 2 || !found[0].Current || found[0].Description != "" || found[1].Current ||
		found[1].Description != "Firefox, Linux" || found[1].LastSeenAt >= found[0].LastSeenAt {
		t.Fatalf("Anna's sessions: %+v, want the present one and that of Firefox, and no expired one", found)
	}
	if _, body := h.principal(t, first); body == anonymous {
		t.Fatal("the first session has ended by itself")
	}
	before := found[1].LastSeenAt
	if again := h.ownSessions(t, anna, second); again[1].LastSeenAt <= before {
		t.Errorf("after a visit it was last seen at %s, want later than %s", again[1].LastSeenAt, before)
	}
	if status, set := h.endOwn(t, bert, his, found[1].ID); status != 204 || set != "" {
		t.Errorf("Bert ends Anna's session: status %d, cookie %q", status, set)
	}
	if _, body := h.principal(t, first); body == anonymous {
		t.Error("Bert has ended Anna's session")
	}
	for range 2 { // the second time there is none
		if status, set := h.endOwn(t, anna, second, found[1].ID); status != 204 || set != "" {
			t.Errorf("end of another session: status %d, cookie %q, want 204 and none", status, set)
		}
	}
	if _, body := h.principal(t, first); body != anonymous {
		t.Error("an ended session goes on")
	}
	if status, set := h.endOwn(t, anna, second, found[0].ID); status != 204 || set != expiring {
		t.Errorf("end of the present session: status %d, cookie %q, want 204 and %q", status, set, expiring)
	}
	if _, body := h.principal(t, second); body != anonymous {
		t.Error("the ended present session goes on")
	}
	if _, body := h.principal(t, his); body == anonymous {
		t.Error("Bert's session has ended")
	}
	if w := h.sendAs(t, anna, request{path: "/api/v1/account/sessions/x/end", body: "{}",
		header: []string{"Origin: " + base}}); w.Code != 400 {
		t.Errorf("end of a malformed id: status %d, want 400", w.Code)
	}
	h.assertLog(t, 0)
}

// TestOwnSessionsWithoutStore: a failure is never reported as an ended session.
func TestOwnSessionsWithoutStore(t *testing.T) {
	t.Parallel()
	h := setup(t)
	anna := h.person(t, "anna@example.org")
	live := h.signIn(t, "anna@example.org", "")
	id := h.ownSessions(t, anna, live)[0].ID
	h.Exec(t, "ALTER TABLE core.session RENAME TO lost")
	if status, set := h.endOwn(t, anna, live, id); status != 503 || set != "" {
		t.Errorf("end without a store: status %d, cookie %q, want 503 and none", status, set)
	}
}

// caller is a person who may do everything.
type caller struct{ userID string }

func (c caller) Principal() principal.Principal { return principal.Person(c.userID) }

func (caller) Allowed(context.Context, string) (bool, error) { return true, nil }

// sendAs sends a request whose caller is a person.
func (h harness) sendAs(t *testing.T, userID string, q request) *httptest.ResponseRecorder {
	t.Helper()
	return httpapitest.Send(q.build(t), h.service.AccountRoutes(), caller{userID})
}
