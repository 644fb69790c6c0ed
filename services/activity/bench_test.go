package activity_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
)

// BenchmarkPage measures a page of a long record, and its statement alone. The ratio shows the cost of the
// platform. ACTIVITY_ROWS is the length of the record.
func BenchmarkPage(b *testing.B) {
	h := setup(b)
	h.fillRecord(b)
	pool := h.Pool(b)
	for _, query := range []string{"", "action=module.7", "userId=" + anna} {
		sql, args, err := activity.Statement(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("statement/"+query, func(b *testing.B) {
			for b.Loop() {
				rows, err := pool.Query(b.Context(), sql, args...)
				if err != nil {
					b.Fatal(err)
				}
				for rows.Next() {
					if _, err := rows.Values(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run("route/"+query, func(b *testing.B) {
			for b.Loop() {
				if w := h.send(b, query); w.Code != 200 {
					b.Fatalf("GET /api/v1/activity?%s: status %d, want 200; body %s", query, w.Code, w.Body)
				}
			}
		})
	}
}
