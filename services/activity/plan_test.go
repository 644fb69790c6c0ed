package activity_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
)

// Two people: each is actor of entries about the other in a part of the record that fillRecord writes.
const anna, bert = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"

// fillRecord writes a long record: 25,000 entries, or 5,000 more than ACTIVITY_ROWS. Its hashes are not a
// valid chain.
func (h harness) fillRecord(t testing.TB) {
	t.Helper()
	rows := 20_000
	if text := os.Getenv("ACTIVITY_ROWS"); text != "" { // a million takes minutes
		rows, _ = strconv.Atoi(text)
	}
	for first := 1; first < rows; first += 5_000 {
		h.Exec(t, `
			INSERT INTO core.activity (number, at, entry, hash)
			SELECT n, timestamptz '2026-01-01' + n * interval '1 minute', format(
				'{"actor": {"userId": "%s"}, "action": "module.%s", "subject": {"kind": "kind%s", "id": "id%s"}}',
				n % 40, n % 20, n % 4, n % 10
			), ''
			FROM generate_series($1::int, $1 + 4999) n`, first)
	}
	h.Exec(t, `
		INSERT INTO core.activity (number, at, entry, hash)
		SELECT $3 + n, timestamptz '2026-01-01' + ($3 + n) * interval '1 minute', format(
			'{"actor": {"userId": "%s"}, "action": "grant.issued", "subject": {"kind": "person", "id": "%s"}}',
			CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, CASE n % 2 WHEN 0 THEN $2 ELSE $1 END
		), ''
		FROM generate_series(1, 5000) n`, anna, bert, rows)
	h.Exec(t, "VACUUM ANALYZE core.activity")
}

// A page reads at most one row more than it contains, whatever the filter and however long the record. The
// search for a person merges two searches, so it may read one further row.
func TestPagesReadOnlyTheirRows(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.fillRecord(t)
	for query, most := range map[string]float64{
		"":                                  51,
		"limit=200":                         201,
		"cursor=" + activity.Cursor(10_000): 51,
		"action=module.7":                   51,
		"actorId=" + anna:                   51,
		"subjectKind=kind3":                 51,
		"subjectId=id7":                     51,
		"subjectKind=kind3&subjectId=id7":   51,
		"userId=" + anna:                    52,
		"userId=" + anna + "&action=grant.issued":                       52,
		"actorId=" + anna + "&action=grant.issued":                      51,
		"subjectId=" + anna + "&action=grant.issued&subjectKind=person": 51,
		"userId=" + anna + "&action=module.7":                           1,
		"actorId=" + anna + "&action=module.7":                          1,
		// All entries of the hour: those of a day are few.
		"from=2026-01-03T04:00:00.000Z&to=2026-01-03T05:00:00.000Z": 60,
	} {
		sql, args, err := activity.Statement(query)
		if err != nil {
			t.Fatal(err)
		}
		if plan := h.Plan(t, sql, args...); plan.Read("activity") > most || plan.Scans("activity") {
			t.Errorf("GET %s reads %v rows, want at most %v by an index:\n%s", query, plan.Read("activity"), most,
				plan.Text)
		}
	}
}
