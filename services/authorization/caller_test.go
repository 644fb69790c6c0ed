package authorization_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

func TestGrants(t *testing.T) {
	t.Parallel()
	h := setup(t)
	rows := []struct {
		name  string
		grant string // columns after person_id, permission_id, with their values
		want  bool
	}{
		{"effective", "", true},
		{"with a future end", ", expires_at) VALUES ($1, $2, now() + interval '1 minute'", true},
		{"expired", ", expires_at) VALUES ($1, $2, now() - interval '1 second'", false},
		{"revoked", ", revoked_at) VALUES ($1, $2, now()", false},
		{"revoked in the future is revoked", ", revoked_at) VALUES ($1, $2, now() + interval '1 day'", false},
		{"of a scope", ", scope) VALUES ($1, $2, 'somewhere'", false},
		{"from another source", ", source_kind) VALUES ($1, $2, 'membership'", false},
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			id := h.person(t, fmt.Sprintf("p%d@example.org", i))
			columns := row.grant
			if columns == "" {
				columns = ") VALUES ($1, $2"
			}
			h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id"+columns+")", id, manage)
			caller := h.service.Caller(principal.Person(id))
			if got := allowed(t, caller, manage); got != row.want {
				t.Errorf("manage: got %v, want %v", got, row.want)
			}
			if allowed(t, caller, purge) {
				t.Error("a grant of one permission allowed another")
			}
			if !allowed(t, caller, read) {
				t.Error("the baseline was lost")
			}
			if stranger := h.service.Caller(principal.Person(h.person(t, fmt.Sprintf("s%d@example.org", i)))); allowed(
				t,
				stranger,
				manage,
			) {
				t.Error("somebody else's grant counted")
			}
		})
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner, other := h.person(t, "owner@example.org"), h.person(t, "other@example.org")
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", owner)
	for _, permission := range []string{read, manage, purge} {
		if !allowed(t, h.service.Caller(principal.Person(owner)), permission) {
			t.Errorf("Allowed(%s) for the owner: false, want true", permission)
		}
	}
	if allowed(t, h.service.Caller(principal.Person(owner)), "test.things.undeclared") {
		t.Error("the owner was allowed what nobody declared")
	}
	if allowed(t, h.service.Caller(principal.Person(other)), manage) {
		t.Error("somebody else was treated as the owner")
	}
}

// Neither ownership nor a grant is effective while a person is deactivated. Both are effective again after
// the reactivation.
func TestDeactivated(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner, other := h.person(t, "owner@example.org"), h.person(t, "other@example.org")
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", owner)
	h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", other, manage)
	for _, state := range []struct {
		set  string
		want bool
	}{{"now()", false}, {"NULL", true}} {
		h.Exec(t, "UPDATE core.person SET deactivated_at = "+state.set)
		for _, id := range []string{owner, other} {
			if got := allowed(t, h.service.Caller(principal.Person(id)), manage); got != state.want {
				t.Errorf("deactivated_at = %s: allowed is %t, want %t", state.set, got, state.want)
			}
		}
	}
}

// A device that carries a person's id must not become that person.
func TestNoQueryNeeded(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "owner@example.org")
	h.Exec(t, "INSERT INTO core.platform_owner (person_id) VALUES ($1)", id)
	h.breakStore(t)
	rows := []struct {
		name       string
		principal  principal.Principal
		permission string
		want       bool
	}{
		{"a person's baseline", principal.Person(id), read, true},
		{"a person, undeclared", principal.Person(id), "test.unknown", false},
		{"anonymous, baseline", principal.Principal{}, read, false},
		{"anonymous, restricted", principal.Principal{}, manage, false},
		{"anonymous with a stray id", principal.Principal{UserID: id}, manage, false},
		{"device, baseline", principal.Principal{Kind: principal.Device, DeviceID: id}, read, false},
		{
			"device, restricted",
			principal.Principal{Kind: principal.Device, DeviceID: id, UserID: id},
			manage,
			false,
		},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			caller := h.service.Caller(row.principal)
			if got, err := caller.Allowed(t.Context(), row.permission); err != nil || got != row.want {
				t.Errorf("got %v, %v, want %v", got, err, row.want)
			}
			if caller.Principal() != row.principal {
				t.Error("the principal changed")
			}
		})
	}
}

func TestOneQueryPerRequest(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "a@example.org")
	h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", id, manage)
	caller := h.service.Caller(principal.Person(id))
	if !allowed(t, caller, manage) {
		t.Fatal("the grant is not effective")
	}

	h.breakStore(t) // from here on every further query fails
	if !allowed(t, caller, manage) || allowed(t, caller, purge) {
		t.Error("the response changed within the request")
	}
	next := h.service.Caller(principal.Person(id))
	if _, err := next.Allowed(t.Context(), manage); !errors.Is(err, httpapi.ErrPrincipal) {
		t.Errorf("the next request got %v, want PRINCIPAL_RESOLUTION_FAILED", err)
	}
}

// The error of a failed query is kept for the whole request, so that the decisions in one request never
// depend on two states.
func TestFailureIsKept(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "a@example.org")
	h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", id, manage)
	h.breakStore(t)
	caller := h.service.Caller(principal.Person(id))
	yes, err := caller.Allowed(t.Context(), manage)
	if yes || !errors.Is(err, httpapi.ErrPrincipal) {
		t.Fatalf("Allowed with a broken store: %v, error %v; want false and %v", yes, err,
			httpapi.ErrPrincipal)
	}
	h.Exec(t, "ALTER TABLE core.lost RENAME TO permission_grant")
	if yes, err := caller.Allowed(t.Context(), manage); yes || !errors.Is(err, httpapi.ErrPrincipal) {
		t.Errorf("Allowed after the repair: %v, error %v; want false and %v as before", yes, err,
			httpapi.ErrPrincipal)
	}
	if !allowed(t, h.service.Caller(principal.Person(id)), manage) {
		t.Error("the next request did not see the repair")
	}
}

func TestEveryFaultIsTheSameFailure(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{
		"ALTER TABLE core.permission_grant RENAME TO lost",
		"ALTER TABLE core.permission_grant DROP COLUMN scope",
		"ALTER TABLE core.permission_grant DROP COLUMN expires_at",
		"ALTER TABLE core.platform_owner RENAME TO lost",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			id := h.person(t, "a@example.org")
			h.Exec(t, fault)
			if _, err := h.service.Caller(principal.Person(id)).Allowed(t.Context(), manage); !errors.Is(
				err,
				httpapi.ErrPrincipal,
			) {
				t.Errorf("error %v, want ErrPrincipal", err)
			}
		})
	}
}

// A client that disconnects changes neither the result nor the number of connections.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "a@example.org")
	h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", id, manage)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if yes, err := h.service.Caller(principal.Person(id)).Allowed(gone, manage); !yes || err != nil {
		t.Errorf("Allowed in a canceled request: %v, error %v; want true and none", yes, err)
	}
}

func TestConcurrentAllowedOfOneCaller(t *testing.T) {
	t.Parallel()
	h := setup(t)
	id := h.person(t, "a@example.org")
	h.Exec(t, "INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)", id, manage)
	caller := h.service.Caller(principal.Person(id))
	var asking sync.WaitGroup
	for range 32 {
		asking.Go(func() {
			may, err := caller.Allowed(t.Context(), manage)
			mayNot, otherErr := caller.Allowed(t.Context(), purge)
			if err != nil || otherErr != nil || !may || mayNot {
				t.Errorf("Allowed: %v, error %v and %v, error %v; want true and false", may, err, mayNot,
					otherErr)
			}
		})
	}
	asking.Wait()
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, authorization.Statements())
}

// TestSecondFactorOfAdministrators: in a house that asks for it, the platform's own permissions wait for a
// passkey. Everything else goes on, and so does everybody when the house does not ask any more.
func TestSecondFactorOfAdministrators(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	assert := func(when string, want error) {
		t.Helper()
		may, err := h.service.Caller(owner).Allowed(t.Context(), "core.authorization.grants.manage")
		if !errors.Is(err, want) || may != (want == nil) {
			t.Errorf("%s: the owner may administer: %v, %v, want %v", when, may, err, want)
		}
		tx, err := h.Pool(t).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		may, err = h.service.MayIn(t.Context(), tx, owner.UserID, "core.authorization.grants.manage")
		if err != nil || may != (want == nil) {
			t.Errorf("%s: the owner may give, as an invitation's grants are given: %v, %v", when, may, err)
		}
	}
	assert("at first", nil)
	h.Exec(t, `UPDATE core.house SET second_factor = 'administrators'`)
	assert("without a passkey", httpapi.ErrFactorMissing)
	if may, err := h.service.Caller(owner).Allowed(t.Context(), purge); !may || err != nil {
		t.Errorf("a module's permission: %v, %v, want it", may, err)
	}
	h.Exec(t, `UPDATE core.person SET has_passkey = true`)
	assert("with a passkey", nil)
	h.Exec(t, `UPDATE core.person SET has_passkey = false`)
	h.Exec(t, `UPDATE core.house SET second_factor = 'optional'`)
	assert("when nobody asks", nil)
}
