package people_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/people"
)

// TestLookUpsUseTheIndex reads the plan of the look-up of invitations in tables of several sizes, and those
// of all statements.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	d := setup(t)
	sizes := []int{50, 600, 20_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	hash := []byte("1234567890123456789012345678901x")
	filled := 0
	for _, rows := range sizes {
		for ; filled < rows; filled = min(filled+50_000, rows) { // a statement has 29 s
			d.Exec(t, `
				INSERT INTO core.invitation (email, token_hash, grants, expires_at)
				SELECT n || '@example.org', sha256(n::text::bytea), '[]', now() + interval '1 day'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
		}
		d.Exec(t, `VACUUM ANALYZE core.invitation`)
		plan := d.Plan(t, people.SelectLive, [][]byte{hash, hash})
		if plan.Scans("invitation") || plan.Scans("person") {
			t.Errorf("with %d rows the look-up reads a table as a whole:\n%s", rows, plan.Text)
		}
		d.AssertIndexed(t, people.KeyedStatements(), "invitation", "person")
	}
}
