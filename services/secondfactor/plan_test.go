package secondfactor_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/secondfactor"
)

// TestLookUpsUseTheIndex reads the plans of all statements with a passkey, a code, a sign-in and a failure of
// each person, in tables of several sizes.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	sizes := []int{50, 600, 20_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	tables := []string{"person", "session", "passkey", "recovery_code", "pending_sign_in",
		"second_factor_failure"}
	filled := 0
	for _, rows := range sizes {
		for ; filled < rows; filled = min(filled+50_000, rows) { // a statement has 29 s
			db.Exec(t, `
				INSERT INTO core.person (email, name)
				SELECT 'p' || n || '@example.org', 'P'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
			for _, into := range []string{
				`core.session (person_id, token_hash, persistent, expires_at)
					SELECT id, sha256(id::text::bytea), true, now() + interval '1 day'`,
				`core.passkey (person_id, credential_id, public_key, transports, backup_eligible, sign_count, label)
					SELECT id, sha256(id::text::bytea), '', '{}', true, 0, 'Phone'`,
				`core.recovery_code (person_id, code_hash) SELECT id, sha256(id::text::bytea)`,
				`core.pending_sign_in (person_id, token_hash, persistent, description, expires_at)
					SELECT id, sha256(id::text::bytea), true, '', now() + interval '1 day'`,
				`core.second_factor_failure (person_id) SELECT id`,
			} {
				db.Exec(t, `INSERT INTO `+into+`
					FROM core.person
					WHERE email IN (SELECT 'p' || n || '@example.org' FROM generate_series($1::int, $2::int - 1) n)`,
					filled, min(filled+50_000, rows))
			}
		}
		for _, table := range tables {
			db.Exec(t, `VACUUM ANALYZE core.`+table)
		}
		db.AssertIndexed(t, secondfactor.Statements(), tables...)
	}
}
