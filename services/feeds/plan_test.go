package feeds_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/feeds"
)

// TestLookUpsUseTheIndex reads the plans of all statements with a feed of each person, in tables of several
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
				WITH made AS (
					INSERT INTO core.person (email, name)
					SELECT 'p' || n || '@example.org', 'P'
					FROM generate_series($1::int, $2::int - 1) n
					RETURNING id)
				INSERT INTO core.feed (person_id, secret_hash, module_id, path, query, label)
				SELECT id, sha256(id::text::bytea), 'm', '/feed', '', ''
				FROM made`, filled, min(filled+50_000, rows))
		}
		db.Exec(t, `VACUUM ANALYZE core.person`)
		db.Exec(t, `VACUUM ANALYZE core.feed`)
		db.AssertIndexed(t, feeds.KeyedStatements(), "feed", "person")
	}
}
