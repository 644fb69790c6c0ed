package identity_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/identity"
)

// TestLookUpsUseTheIndex reads the plans of look-ups in tables of several sizes, and those of all statements.
func TestLookUpsUseTheIndex(t *testing.T) {
	t.Parallel()
	h := setup(t)
	sizes := []int{50, 600, 20_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	hash := []byte("1234567890123456789012345678901x")
	filled := 0
	for _, rows := range sizes {
		for ; filled < rows; filled = min(filled+50_000, rows) { // a statement has 29 s
			h.Exec(t, `
				INSERT INTO core.person (email, name)
				SELECT 'p' || n || '@example.org', 'P'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
			for _, into := range []string{
				`core.session (token_hash, person_id, persistent, expires_at) SELECT sha256(id::text::bytea), id, true`,
				`core.password_reset (token_hash, person_id, expires_at) SELECT sha256(id::text::bytea), id`,
				`core.email_verification (token_hash, person_id, expires_at) SELECT sha256(id::text::bytea), id`,
			} {
				h.Exec(t, `INSERT INTO `+into+`, now() + interval '1 day'
					FROM core.person
					WHERE email IN (SELECT 'p' || n || '@example.org' FROM generate_series($1::int, $2::int - 1) n)`,
					filled, min(filled+50_000, rows))
			}
		}
		h.Exec(t, `VACUUM ANALYZE core.person`)
		h.Exec(t, `VACUUM ANALYZE core.session`)
		h.Exec(t, `VACUUM ANALYZE core.password_reset`)
		h.Exec(t, `VACUUM ANALYZE core.email_verification`)
		for table, look := range map[string]struct {
			sql  string
			args []any
		}{
			"session of one": {identity.SelectSession, []any{hash, "1 day", "90 days", "1 hour"}},
			"session":        {identity.SelectSessions, []any{[][]byte{hash, hash}, "1 day", "90 days", "1 hour"}},
			"password_reset": {identity.SelectResets, []any{[][]byte{hash, hash}}},
			"email":          {identity.SelectVerifications, []any{[][]byte{hash, hash}}},
			"person":         {identity.SelectCredentials, []any{[]string{"a@example.org", "b@example.org"}}},
		} {
			plan := h.Plan(t, look.sql, look.args...)
			for _, scanned := range []string{"session", "person", "password_reset", "email_verification"} {
				if plan.Scans(scanned) {
					t.Errorf("with %d rows the look-up of %s reads %s as a whole:\n%s", rows, table, scanned, plan.Text)
				}
			}
		}
		h.AssertIndexed(t, identity.KeyedStatements(), "session", "person", "password_reset",
			"email_verification")
	}
}
