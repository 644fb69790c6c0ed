package devices_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/devices"
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
				INSERT INTO core.device (label, module_id, credential_hash)
				SELECT 'Hall', 'm', sha256(n::text::bytea)
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
			h.Exec(t, `
				INSERT INTO core.device_pairing
					(code, claim_hash, client_key, module_id, description, created_at, expires_at)
				SELECT n::text, sha256(n::text::bytea), 'k', 'm', '', now(), now() + interval '1 day'
				FROM generate_series($1::int, $2::int - 1) n`, filled, min(filled+50_000, rows))
		}
		h.Exec(t, `VACUUM ANALYZE core.device`)
		h.Exec(t, `VACUUM ANALYZE core.device_pairing`)
		for look, sql := range map[string]string{
			"holder": devices.SelectHolder, "holders": devices.SelectHolders, "pairings": devices.SelectPairings,
		} {
			var asked any = [][]byte{hash, hash}
			if sql == devices.SelectHolder {
				asked = hash
			}
			plan := h.Plan(t, sql, asked)
			for _, table := range []string{"device", "device_pairing"} {
				if plan.Scans(table) {
					t.Errorf("with %d rows the look-up of %s reads %s as a whole:\n%s", rows, look, table, plan.Text)
				}
			}
		}
		h.AssertIndexed(t, devices.KeyedStatements(rows), "device", "device_pairing")
	}
}
