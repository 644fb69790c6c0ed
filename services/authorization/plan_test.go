package authorization_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/authorization"
)

// TestLookUpsUseTheIndex reads the plan of what a person may do, for each of whose requests it is looked up.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	h := setup(t)
	sizes := []int{50, 600, 20_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	const asked = "00000000-0000-4000-8000-000000000007"
	filled := 1
	for _, rows := range sizes {
		for ; filled < rows; filled = min(filled+50_000, rows) { // a statement has 29 s
			h.Exec(t, `
				INSERT INTO core.person (id, email, name)
				SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'p' || n || '@example.org', 'P'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
			h.Exec(t, `
				INSERT INTO core.permission_grant (person_id, permission_id)
				SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, permission
				FROM generate_series($1::int, $2::int - 1) n, unnest(ARRAY['test.a', 'test.b']) AS permission`,
				filled, min(filled+50_000, rows))
		}
		h.Exec(t, `VACUUM ANALYZE core.person`)
		h.Exec(t, `VACUUM ANALYZE core.permission_grant`)
		plan := h.Plan(t, authorization.SelectHoldings, asked)
		if plan.Scans("permission_grant") || plan.Scans("person") || plan.Read("permission_grant") != 2 {
			t.Errorf("with %d people what one may do reads %v grants, want their 2 by the index:\n%s", rows,
				plan.Read("permission_grant"), plan.Text)
		}
		if plan := h.Plan(t, authorization.SelectCoreEnds, asked, []string{"test.a"}); plan.Scans(
			"permission_grant") {
			t.Errorf("with %d people the end of one's grants reads all of them:\n%s", rows, plan.Text)
		}
		h.AssertIndexed(t, authorization.Statements(), "permission_grant", "person")
	}
}
