package authorization_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
)

// With every fault of the store the response is the same, and nothing is written partially. The caller's
// permission was read before the fault.
func TestStoreFaults(t *testing.T) {
	t.Parallel()
	const list, one, issue, revoke = 1, 2, 4, 8
	rows := []struct {
		fault   string
		affects int
		repair  string
	}{
		{
			"ALTER TABLE core.permission_grant RENAME TO lost",
			list | one | issue | revoke,
			"ALTER TABLE core.lost RENAME TO permission_grant",
		},
		{
			"ALTER TABLE core.permission_grant RENAME scope TO lost",
			list | one | issue | revoke,
			"ALTER TABLE core.permission_grant RENAME lost TO scope",
		},
		{
			"ALTER TABLE core.permission_grant RENAME source_reference TO lost",
			list | one | issue | revoke,
			"ALTER TABLE core.permission_grant RENAME lost TO source_reference",
		},
		{"ALTER TABLE core.person RENAME TO lost", issue | revoke, "ALTER TABLE core.lost RENAME TO person"},
		{
			"ALTER TABLE core.permission_grant_audit RENAME TO lost",
			issue | revoke,
			"ALTER TABLE core.lost RENAME TO permission_grant_audit",
		},
		// PostgreSQL finds these faults in the middle of the transaction, not when it prepares the statements.
		{
			"ALTER TABLE core.permission_grant_audit ADD CONSTRAINT never CHECK (at IS NULL) NOT VALID",
			issue | revoke,
			"ALTER TABLE core.permission_grant_audit DROP CONSTRAINT never",
		},
		{
			"ALTER TABLE core.permission_grant ADD CONSTRAINT never CHECK (created_at IS NULL) NOT VALID",
			issue | revoke,
			"ALTER TABLE core.permission_grant DROP CONSTRAINT never",
		},
		{
			"ALTER TABLE core.permission_grant_audit ALTER COLUMN id DROP IDENTITY",
			issue | revoke,
			"ALTER TABLE core.permission_grant_audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START 1000)",
		},
	}
	for _, row := range rows {
		t.Run(row.fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			owner := h.owner(t)
			id := h.issue(t, owner, owner.UserID, manage)
			caller := h.service.Caller(owner)
			if !allowed(t, caller, grants) {
				t.Fatal("the owner may not")
			}
			all := func() map[int]*httptest.ResponseRecorder {
				return map[int]*httptest.ResponseRecorder{
					list:   h.sendAs(caller, "GET", "/api/v1/grants", ""),
					one:    h.sendAs(caller, "GET", "/api/v1/grants/"+id, ""),
					issue:  h.sendAs(caller, "POST", "/api/v1/grants", grantBody(owner.UserID, purge, "")),
					revoke: h.sendAs(caller, "POST", "/api/v1/grants/"+id+"/revoke", "{}"),
				}
			}
			h.Exec(t, row.fault)
			for what, w := range all() {
				if what&row.affects != 0 {
					assertCode(t, w, http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
				} else if w.Code >= 400 {
					t.Errorf("request %d, which the fault does not affect: status %d, want below "+
						"400; body %s", what, w.Code, w.Body)
				}
			}
			h.Exec(t, row.repair)
			h.assertRows(t, 1, 1)
			if n := h.count(t, "core.permission_grant WHERE revoked_at IS NULL"); n != 1 {
				t.Error("the grant was revoked")
			}
			for what, w := range all() {
				if w.Code >= 400 {
					t.Errorf("request %d after the repair: status %d, want below 400; body %s", what, w.Code,
						w.Body)
				}
			}
			h.assertRows(t, 2, 3)
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	h := setup(t)
	caller := h.service.Caller(h.owner(t))
	if !allowed(t, caller, grants) {
		t.Fatal("the owner may not")
	}
	h.service = serve(t, h.UnreachablePool(t), nil)
	for _, row := range [][3]string{
		{"GET", "/api/v1/grants"}, {"GET", "/api/v1/grants/" + unknownID},
		{"POST", "/api/v1/grants", grantBody(unknownID, manage, "")},
		{"POST", "/api/v1/grants/" + unknownID + "/revoke", "{}"},
	} {
		assertCode(
			t,
			h.sendAs(caller, row[0], row[1], row[2]),
			http.StatusServiceUnavailable,
			"STORE_UNAVAILABLE",
		)
	}
	if w := h.sendAs(caller, "GET", "/api/v1/permissions", ""); w.Code != http.StatusOK {
		t.Errorf("GET /api/v1/permissions without a store: status %d, want 200; body %s", w.Code, w.Body)
	}
	assertCode(
		t,
		h.send(caller.Principal(), "GET", "/api/v1/permissions", ""),
		http.StatusServiceUnavailable,
		"PRINCIPAL_RESOLUTION_FAILED",
	)
}

// A request that waits too long gets an error, and its change is not made later.
func TestTimedOutChangeIsNotMade(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.service = serveFrom(t, authorization.NewStore(h.Pool(t)), nil) // with the deadline of production
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	id := h.issue(t, owner, person, manage)
	tx := h.lockPerson(t, person)
	responses := make(chan *httptest.ResponseRecorder, 2)
	go func() { responses <- h.send(owner, "POST", "/api/v1/grants", grantBody(person, purge, "")) }()
	go func() { responses <- h.revoke(owner, id) }()
	h.awaitBlocked(t, 2)
	for range 2 {
		assertCode(t, <-responses, http.StatusServiceUnavailable, "STORE_UNAVAILABLE")
	}
	h.awaitBlocked(t, 0)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool {
		return h.count(t, "pg_stat_activity WHERE datname = current_database() AND state <> 'idle'") == 1
	})
	h.assertRows(t, 1, 1)
	if !allowed(t, h.service.Caller(owner), manage) ||
		h.count(t, "core.permission_grant WHERE revoked_at IS NULL") != 1 {
		t.Error("it was revoked later")
	}
}

// When a client disconnects, its change is still made, and the pool keeps the connection.
func TestClientGoneWhileWriting(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(
		gone,
		"POST",
		"/api/v1/grants",
		strings.NewReader(grantBody(owner.UserID, manage, "")),
	)
	r.Header.Set("Content-Type", "application/json")
	if w := httpapitest.Send(r, h.service.Routes(), h.service.Caller(owner)); w.Code != http.StatusCreated {
		t.Errorf("issue by a client that left: status %d, want 201; body %s", w.Code, w.Body)
	}
	h.assertRows(t, 1, 1)
}
