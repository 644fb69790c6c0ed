package links_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/links"
)

// TestLookUpsUseTheIndex reads the plans of all statements with links of twenty modules, in tables of several
// sizes.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	sizes := []int{50, 600, 20_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	filled := 0
	for _, rows := range sizes {
		for ; filled < rows; filled = min(filled+50_000, rows) { // a statement has 29 s
			db.Exec(t, `
				INSERT INTO core.link (id, module_id, permission_id, subject, secret_hash, cookie_hash, ends_at)
				SELECT gen_random_uuid(), 'm' || n % 20, 'p', n::text, sha256(n::text::bytea),
					sha256(('c' || n)::bytea), now() + interval '1 day'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
		}
		db.Exec(t, `VACUUM ANALYZE core.link`)
		db.AssertIndexed(t, links.KeyedStatements(), "link")
	}
}
