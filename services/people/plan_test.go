package people_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/narthex-platform/narthex/services/people"
)

// crowd adds people with random names and addresses: 20,000, or the number in PEOPLE_ROWS.
func (d directory) crowd(t testing.TB) {
	t.Helper()
	rows := 20_000
	if text := os.Getenv("PEOPLE_ROWS"); text != "" {
		rows, _ = strconv.Atoi(text)
	}
	d.Exec(t, `
		INSERT INTO core.person (email, name, words)
		SELECT md5(n::text) || '@example.org', md5((n * 7)::text),
			array_to_tsvector(ARRAY [md5(n::text), md5((n * 7)::text)])
		FROM generate_series(1, $1::int) n`, rows)
	d.Exec(t, "VACUUM ANALYZE core.person")
}

const noID = "00000000-0000-0000-0000-000000000000"

// A page of the directory reads one row more than it contains, however many people there are. A search reads
// those who have such words, by their index.
func TestDirectoryReadsOnlyItsRows(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.crowd(t)
	for _, c := range []struct {
		what string
		sql  string
		args []any
		most float64
	}{
		{"the first page", people.SelectPeople, []any{"", noID, 51}, 51},
		{"a page in the middle", people.SelectPeople, []any{"08", noID, 51}, 51},
		{"the longest page", people.SelectPeople, []any{"08", noID, 201}, 201},
		{"a search", people.SearchPeople, []any{"", noID, 51, "'abc':*"}, 4 * 51},
		{"a search in the middle", people.SearchPeople, []any{"08", noID, 51, "'abc':*"}, 4 * 51},
		{"a search for two words", people.SearchPeople, []any{"", noID, 51, "'ab':* & 'c':*"}, 4 * 51},
	} {
		if plan := d.Plan(t, c.sql, c.args...); plan.Read("person") > c.most || plan.Scans("person") {
			t.Errorf("%s reads %v people, want at most %v by an index:\n%s", c.what, plan.Read("person"), c.most,
				plan.Text)
		}
	}
}
