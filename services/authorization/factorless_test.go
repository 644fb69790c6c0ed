package authorization_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
)

// TestFactorless names the owner and those who may administer now and have no passkey, and nobody else. It is
// the same before the house asks for a second factor and after.
func TestFactorless(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	add := func(email, permission, state string) {
		t.Helper()
		id := h.person(t, email)
		h.Exec(t, `UPDATE core.person SET name = email, `+state+` WHERE id = $1`, id)
		h.Exec(t, `INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)`, id, permission)
	}
	add("b@example.org", grants, "has_passkey = false")
	add("with@example.org", grants, "has_passkey = true")
	add("off@example.org", grants, "deactivated_at = now()")
	add("module@example.org", manage, "has_passkey = false")
	add("own@example.org", "core.account.read", "has_passkey = false")
	add("past@example.org", grants, "has_passkey = false")
	add("revoked@example.org", grants, "has_passkey = false")
	h.Exec(t, `UPDATE core.permission_grant SET created_at = now() - interval '2 hours',
		expires_at = now() - interval '1 hour'
		WHERE person_id = (SELECT id FROM core.person WHERE email LIKE 'past%')`)
	h.Exec(t, `UPDATE core.permission_grant SET revoked_at = now()
		WHERE person_id = (SELECT id FROM core.person WHERE email LIKE 'revoked%')`)
	h.Exec(t, `UPDATE core.person SET name = 'a' WHERE id = $1`, owner.UserID)
	ask := func() string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", "/api/v1/house/second-factor", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		w := httpapitest.Send(r, h.service.HouseRoutes(), nil)
		if w.Code != 200 {
			t.Fatalf("status %d, body %s", w.Code, w.Body)
		}
		return w.Body.String()
	}
	before := ask()
	if !strings.HasPrefix(before, `{"without":[{"userId":"`+owner.UserID+`",`) ||
		!strings.Contains(before, `"email":"b@example.org","name":"b@example.org"}],"more":false}`) ||
		strings.Count(before, "userId") != 2 {
		t.Errorf("the answer is %s, want the owner and b", before)
	}
	h.Exec(t, `UPDATE core.house SET second_factor = 'administrators'`)
	if after := ask(); after != before {
		t.Errorf("when the house asks, the answer is %s, want the same", after)
	}
	h.Exec(t, `WITH many AS (
			INSERT INTO core.person (email, name, email_verified)
			SELECT 'c' || n || '@example.org', 'c', true FROM generate_series(1, 100) AS n
			RETURNING id
		)
		INSERT INTO core.permission_grant (person_id, permission_id) SELECT id, $1 FROM many`, grants)
	if many := ask(); strings.Count(many, "userId") != 100 || !strings.HasSuffix(many, `"more":true}`) {
		t.Errorf("of 102 people %d are named: %s", strings.Count(many, "userId"), many[len(many)-40:])
	}
}
