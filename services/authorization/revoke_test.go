package authorization_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/services/principal"
)

func TestRevoke(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	other := h.person(t, "b@example.org")

	named := h.insert(t, person, manage, "", "")
	equivalent := []string{
		named,
		h.insert(t, person, manage, "", ""), // a duplicate, as old versions could make
		h.insert(t, person, manage, ", expires_at", ", now() - interval '1 day'"),
		h.insert(t, person, manage, ", expires_at, created_by", ", now() + interval '1 day', '"+other+"'"),
	}
	slices.Sort(equivalent)
	h.insert(t, person, manage, ", revoked_at", ", '2026-01-01'")
	h.insert(t, person, manage, ", scope", ", ''")
	h.insert(t, person, manage, ", source_kind", ", 'membership'")
	h.insert(
		t,
		person,
		manage,
		", source_reference, expires_at",
		", '', now() - interval '1 day'",
	) // it would also allow
	h.insert(t, person, purge, "", "")
	h.insert(t, other, manage, "", "")

	if !allowed(t, h.service.Caller(principal.Person(person)), manage) {
		t.Fatal("not effective before")
	}
	w := h.revoke(owner, named)
	if w.Code != http.StatusOK {
		t.Fatalf("revoke of %s: status %d, want 200; body %s", named, w.Code, w.Body)
	}
	got := decode[map[string][]string](t, w)
	if !slices.Equal(got["revokedGrantIds"], equivalent) || len(got) != 1 {
		t.Errorf("revoked %s, want %v", w.Body, equivalent)
	}
	if allowed(t, h.service.Caller(principal.Person(person)), manage) {
		t.Error("the permission is still allowed after revoke")
	}
	if !allowed(t, h.service.Caller(principal.Person(person)), purge) ||
		!allowed(t, h.service.Caller(principal.Person(other)), manage) {
		t.Error("another grant went along")
	}
	if n := h.count(t, "core.permission_grant WHERE revoked_at IS NOT NULL"); n != 5 {
		t.Errorf("%d grants are revoked, want 5", n)
	}
	if n := h.count(t, "core.permission_grant WHERE revoked_at = '2026-01-01'"); n != 1 {
		t.Error("the earlier revocation was changed")
	}
	h.assertRows(t, 10, 4)
	if n := h.count(t, `core.permission_grant_audit JOIN core.permission_grant g ON g.id = grant_id
		WHERE action = 'revoked' AND actor_id = $1 AND at = revoked_at AND grant_id = ANY ($2)`,
		owner.UserID, equivalent); n != 4 {
		t.Errorf("%d audit rows name actor, grant and time, want 4", n)
	}

	// A second revoke, by any of the ids and with either empty body, changes nothing.
	for _, id := range equivalent {
		assertResponse(t, h.revoke(owner, id), http.StatusOK, `{"revokedGrantIds":[]}`)
		assertResponse(
			t,
			h.send(owner, "POST", "/api/v1/grants/"+id+"/revoke", ""),
			http.StatusOK,
			`{"revokedGrantIds":[]}`,
		)
	}
	h.assertRows(t, 10, 4)
}

// Grants with a scope or from another source are equivalent only to each other.
func TestRevokeOtherSources(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	plain := h.insert(t, person, manage, "", "")
	for _, row := range [][2]string{
		{", scope", ", 's'"},
		{", source_kind", ", 'membership'"},
		{", source_kind, source_reference", ", 'membership', 'r'"},
		{", scope, source_kind, source_reference", ", 's', 'membership', 'r'"},
	} {
		ids := []string{h.insert(t, person, manage, row[0], row[1]), h.insert(t, person, manage, row[0], row[1])}
		slices.Sort(ids)
		assertResponse(
			t,
			h.revoke(owner, ids[1]),
			http.StatusOK,
			`{"revokedGrantIds":["`+ids[0]+`","`+ids[1]+`"]}`,
		)
	}
	assertResponse(t, h.revoke(owner, plain), http.StatusOK, `{"revokedGrantIds":["`+plain+`"]}`)
}

func TestRevokeRefusals(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	id := h.issue(t, owner, h.person(t, "a@example.org"), manage)
	assertCode(t, h.revoke(owner, unknownID), http.StatusNotFound, "GRANT_NOT_FOUND")
	for _, body := range []string{"x", "null", "[]", `{"reason":"x"}`, "{} {}", " "} {
		assertCode(
			t,
			h.send(owner, "POST", "/api/v1/grants/"+id+"/revoke", body),
			http.StatusBadRequest,
			"REQUEST_INVALID",
		)
	}
	h.assertRows(t, 1, 1)
	if n := h.count(t, "core.permission_grant WHERE revoked_at IS NULL"); n != 1 {
		t.Error("the grant was revoked")
	}
}

// The audit contains the person who acted, not the owner.
func TestActor(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	admin := principal.Person(h.person(t, "admin@example.org"))
	h.issue(t, owner, admin.UserID, grants)
	id := h.issue(t, admin, admin.UserID, manage)
	h.revoke(owner, id)
	for action, actor := range map[string]string{"issued": admin.UserID, "revoked": owner.UserID} {
		if n := h.count(
			t, "core.permission_grant_audit WHERE grant_id = $1 AND action = $2 AND actor_id = $3", id, action, actor,
		); n != 1 {
			t.Errorf("%s: %d audit rows name %s, want 1", action, n, actor)
		}
	}
}
