package activity_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
)

// planNode is a node of EXPLAIN (ANALYZE, FORMAT JSON).
type planNode struct {
	NodeType     string     `json:"Node Type"`
	RelationName string     `json:"Relation Name"`
	Rows         float64    `json:"Actual Rows"`
	Loops        float64    `json:"Actual Loops"`
	Removed      float64    `json:"Rows Removed by Filter"`
	Plans        []planNode `json:"Plans"`
}

// read returns how many rows of the table were read.
func (n planNode) read() (rows float64) {
	if n.RelationName == "activity" {
		rows = (n.Rows + n.Removed) * n.Loops
	}
	for _, inner := range n.Plans {
		rows += inner.read()
	}
	return rows
}

// A page reads no more rows than it shows and one further, whatever the filter and however long the record.
// The search for a person merges two searches, so it has read one row of the other as well.
func TestPagesReadOnlyTheirRows(t *testing.T) {
	t.Parallel()
	h := setup(t)
	rows := 20_000
	if text := os.Getenv("ACTIVITY_ROWS"); text != "" { // a million takes minutes
		rows, _ = strconv.Atoi(text)
	}
	const anna, bert = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	for first := 1; first < rows; first += 5_000 {
		h.Exec(t, `
			INSERT INTO core.activity (number, at, entry, hash)
			SELECT n, now(), format(
				'{"actor": {"userId": "%s"}, "action": "module.%s", "subject": {"kind": "kind%s", "id": "id%s"}}',
				n % 40, n % 20, n % 4, n % 10
			), ''
			FROM generate_series($1::int, $1 + 4999) n`, first)
	}
	h.Exec(t, `
		INSERT INTO core.activity (number, at, entry, hash)
		SELECT $3 + n, now(), format(
			'{"actor": {"userId": "%s"}, "action": "grant.issued", "subject": {"kind": "person", "id": "%s"}}',
			CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, CASE n % 2 WHEN 0 THEN $2 ELSE $1 END
		), ''
		FROM generate_series(1, 5000) n`, anna, bert, rows)
	h.Exec(t, "ANALYZE core.activity")
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
	} {
		sql, args, err := activity.Statement(query)
		if err != nil {
			t.Fatal(err)
		}
		var text string
		err = h.Pool(t).QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+sql, args...).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		var plans []struct{ Plan planNode }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		if read := plans[0].Plan.read(); read > most || strings.Contains(text, "Seq Scan") {
			t.Errorf("GET %s reads %v rows, want at most %v by an index:\n%s", query, read, most, text)
		}
	}
}
