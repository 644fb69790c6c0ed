package identity_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/identity"
	"github.com/narthex-platform/narthex/services/principal"
)

// With every fault of the store, the response is the same for a valid, an unknown and a forged cookie, and
// never a false success.
func TestStoreFaults(t *testing.T) {
	t.Parallel()
	statement := func(sql string) func(*testing.T, harness) harness {
		return func(t *testing.T, h harness) harness { h.Exec(t, sql); return h }
	}
	faults := []struct {
		name  string
		cause func(*testing.T, harness) harness
	}{
		{"table missing", statement("ALTER TABLE core.session RENAME TO lost")},
		{"token_hash missing", statement("ALTER TABLE core.session DROP COLUMN token_hash")},
		{"person_id missing", statement("ALTER TABLE core.session DROP COLUMN person_id")},
		{"persistent missing", statement("ALTER TABLE core.session DROP COLUMN persistent")},
		{"created_at missing", statement("ALTER TABLE core.session DROP COLUMN created_at")},
		{"extended_at missing", statement("ALTER TABLE core.session DROP COLUMN extended_at")},
		{"expires_at missing", statement("ALTER TABLE core.session DROP COLUMN expires_at")},
		{"privilege revoked", withoutPrivilege},
		{"unreachable", unreachable},
		{"never answers", lockSessions},
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			h.person(t, "anna@example.org")
			live := h.signIn(t, "anna@example.org", "")
			unknown := h.signIn(t, "anna@example.org", "")
			h.Exec(t, "DELETE FROM core.session WHERE created_at = (SELECT max(created_at) FROM core.session)")
			h = fault.cause(t, h)
			for name, cookie := range map[string]string{
				"live": live, "unknown": unknown, "forged": "Cookie: narthex_session=x",
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					w, body := h.principal(t, cookie)
					if w.Code != 503 || body != unavailable || w.Header().Get("Set-Cookie") != "" {
						t.Errorf("GET principal: status %d, want 503; body %s; header %v, want no Set-Cookie",
							w.Code, body, w.Header())
					}
					r := request{method: "GET", path: "/", header: []string{cookie}}.build(t)
					if who, err := h.service.Resolve(t.Context(), r); !errors.Is(err, httpapi.ErrPrincipal) ||
						who != (principal.Principal{}) {
						t.Errorf("Resolve: %v, error %v; want nobody and %v", who, err, httpapi.ErrPrincipal)
					}
				})
			}
		})
	}
}

// withoutPrivilege returns a service whose role may read everything except sessions.
func withoutPrivilege(t *testing.T, h harness) harness {
	role := fmt.Sprintf("identity_test_%d", time.Now().UnixNano())
	h.Exec(t, "CREATE ROLE "+role)
	h.Exec(t, "GRANT USAGE ON SCHEMA core TO "+role)
	h.Exec(t, "GRANT ALL ON core.person TO "+role)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_, _ = h.Pool(t).Exec(ctx, "DROP OWNED BY "+role)
		_, _ = h.Pool(t).Exec(ctx, "DROP ROLE "+role)
	})
	return serve(t, h.DB, identity.NewStore(h.AnotherPool(t, "SET ROLE "+role)), base)
}

func unreachable(t *testing.T, h harness) harness {
	return serve(t, h.DB, identity.NewStore(h.UnreachablePool(t)), base)
}

// lockSessions takes a lock that blocks every query for sessions until the test ends.
func lockSessions(t *testing.T, h harness) harness {
	databasetest.Lock(t, h.AnotherPool(t), "LOCK TABLE core.session IN ACCESS EXCLUSIVE MODE")
	return serve(t, h.DB, identity.NewStore(h.AnotherPool(t)), base)
}
