package navigation_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

// requests has one request of each kind.
var requests = []struct{ method, target, body string }{
	{http.MethodGet, path, ``},
	{http.MethodPut, groups + "music", `{"label":"Choir","order":9}`},
	{http.MethodDelete, groups + "music", ``},
	{http.MethodPut, placements + "ant", `{"groupId":"music","order":9}`},
	{http.MethodPut, placements + "ghost", `{"groupId":"music","order":9}`},
	{http.MethodDelete, placements + "ant", ``},
}

const unavailable = "STORE_UNAVAILABLE"

func TestBrokenSchema(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{
		`DROP TABLE core.navigation_placement, core.navigation_group`,
		`ALTER TABLE core.navigation_group RENAME id TO lost;
			ALTER TABLE core.navigation_placement RENAME module_id TO lost`,
		`REVOKE ALL ON core.navigation_group, core.navigation_placement FROM PUBLIC;
			ALTER SCHEMA core RENAME TO lost`,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.Exec(t, fault)
			for _, r := range requests {
				wantCode(t, h.send(t.Context(), r.method, r.target, r.body), http.StatusServiceUnavailable, unavailable)
			}
		})
	}
}

// TestOnlyTheForeignKeyMeansUnknownGroup checks that only the foreign key's violation means an unknown group.
func TestOnlyTheForeignKeyMeansUnknownGroup(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.mustSend(t, `PUT groups/music {"label":"Music","order":2}`)
	h.Exec(t, `ALTER TABLE core.navigation_placement ADD CONSTRAINT never CHECK (position < 9)`)
	wantCode(t, h.send(t.Context(), http.MethodPut, placements+"ant", `{"groupId":"music","order":9}`),
		http.StatusServiceUnavailable, unavailable)
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.pool = h.UnreachablePool(t)
	h.start(t, discover(t, allModules...))
	for _, r := range requests {
		wantCode(t, h.send(t.Context(), r.method, r.target, r.body), http.StatusServiceUnavailable, unavailable)
	}
}

// TestLockedTableEndsTheWait checks that requests stop waiting for locked tables before their clients do.
func TestLockedTableEndsTheWait(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.mustSend(t, `PUT groups/music {"label":"Music","order":2}`,
		`PUT placements/ant {"groupId":"music","order":3}`)
	databasetest.Lock(t, h.pool,
		`LOCK TABLE core.navigation_group, core.navigation_placement IN ACCESS EXCLUSIVE MODE`)
	// shorter than the database's statement timeout
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	responses := make(chan *httptest.ResponseRecorder, len(requests))
	for _, r := range requests {
		go func() { responses <- h.send(ctx, r.method, r.target, r.body) }()
	}
	for range requests {
		wantCode(t, <-responses, http.StatusServiceUnavailable, unavailable)
	}
	if ctx.Err() != nil {
		t.Error("the client had given up before the response")
	}
}

// TestClientGone checks that a write is stored although the client has disconnected, and that no connection
// is lost.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	h.read(t) // one connection is open
	before := h.pool.Stat().NewConnsCount()
	for _, r := range requests[1:4] {
		for range 3 {
			h.send(gone, http.MethodPut, groups+"music", `{"label":"Music","order":2}`)
			if w := h.send(gone, r.method, r.target, r.body); w.Code >= http.StatusBadRequest {
				t.Fatalf("%s %s by a client that has left: status %d; body %s", r.method, r.target, w.Code, w.Body)
			}
		}
	}
	if after := h.pool.Stat().NewConnsCount(); after != before ||
		h.rows(t) != "group:music:Music:2 place:ant:music:9" {
		t.Errorf("%d new connections, want 0; stored %q", after-before, h.rows(t))
	}
}
