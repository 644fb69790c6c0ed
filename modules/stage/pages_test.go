package main

import (
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestReadsAskLittle counts what the lists of services and songs ask for, with six weeks and with three years
// of services and 1,000 songs.
func TestReadsAskLittle(t *testing.T) {
	t.Parallel()
	module := &stage{}
	m := sdktest.Start(t, module, sdktest.Options{})
	reader, db := m.Person(), module.store.db
	// Weekly services, the last one in six weeks, each with ten items.
	fill := func(weeks, songs int) {
		t.Helper()
		for _, one := range []struct {
			sql  string
			many int
		}{{`
			INSERT INTO services (id, title, starts_at)
			SELECT ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Morning service',
			       now() + interval '43 days' - n * interval '7 days'
			FROM generate_series(1, $1) AS n
			ON CONFLICT DO NOTHING`, weeks}, {`
			INSERT INTO items (service_id, kind, title, text, seconds, position)
			SELECT s.id, 'talk', 'Item', '', 60, n
			FROM services AS s, generate_series(1, 10) AS n
			WHERE $1 > 0 AND NOT EXISTS (SELECT FROM items WHERE service_id = s.id)`, weeks}, {`
			INSERT INTO songs (title, credit, sections)
			SELECT 'Song ' || n, '', '[]' FROM generate_series((SELECT count(*) + 1 FROM songs), $1) AS n`, songs},
		} {
			if _, err := db.Exec(t.Context(), one.sql, one.many); err != nil {
				t.Fatal(err)
			}
		}
		for _, table := range []string{"services", "items", "songs"} {
			if _, err := db.Exec(t.Context(), "ANALYZE "+table); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() (rows []float64) {
		for _, path := range []string{"/services", "/songs?limit=20"} {
			calls := m.Count(func() {
				if got := reader.Do("GET", path, nil); got.Status != 200 {
					t.Errorf("%s: %s", path, got)
				}
			})
			if calls.Statements != 1 || len(calls.Capabilities) != 0 {
				t.Errorf("%s asked for %+v, want one statement", path, calls)
			}
			rows = append(rows, m.Plans(calls)[0].ReadAll())
		}
		return rows
	}
	fill(6, 40)
	few := read()
	fill(3*52, 1000)
	if many := read(); many[0] > few[0]*1.2 || many[1] > few[1]*1.2 {
		t.Errorf("services and songs read %v rows with three years, and %v with six weeks", many, few)
	} else {
		t.Logf("rows read for services and songs: %v with six weeks, %v with three years", few, many)
	}
}
