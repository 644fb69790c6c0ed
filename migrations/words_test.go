package migrations_test

import (
	"testing"

	"github.com/narthex-platform/narthex/migrations"
)

// TestPeopleGetTheirWords: a database of an older version has people. After the migration everybody has
// words, and a change of name or address, also by an older program, makes new ones necessary.
func TestPeopleGetTheirWords(t *testing.T) {
	f := setup(t)
	all := coreFiles(t)
	older := all
	for i, file := range all {
		if file.Name == "people_words" {
			older = all[:i]
		}
	}
	options := migrations.Options{Connect: f.connect}
	if _, err := migrations.ApplyWithCore(t.Context(), older, options); err != nil {
		t.Fatal(err)
	}
	const many = 12_000 // several batches
	f.Exec(t, `INSERT INTO core.person (email, name)
		SELECT 'p' || n || '@example.org', 'Öffne ' || n FROM generate_series(1, $1::int) AS n`, many)
	f.Exec(t, `INSERT INTO core.person (email, name, deactivated_at, erased_at) VALUES (NULL, '', now(), now())`)
	f.mustApply()
	if missing := queryValue[int](f, `SELECT count(*) FROM core.person WHERE words IS NULL`); missing > 0 {
		t.Errorf("%d people have no words, want none", missing)
	}
	const found = `SELECT count(*) FROM core.person WHERE words @@ '''offne'':* & ''p'':*'::tsquery`
	if n := queryValue[int](f, found); n != many {
		t.Errorf("a search finds %d people, want %d", n, many)
	}
	f.Exec(t, `UPDATE core.person SET name = 'Other' WHERE email = 'p1@example.org'`)
	f.Exec(t, `UPDATE core.person SET email = 'q2@example.org' WHERE email = 'p2@example.org'`)
	f.Exec(t, `UPDATE core.person SET name = name, email = email, updated_at = now()`)
	if missing := queryValue[int](f, `SELECT count(*) FROM core.person WHERE words IS NULL`); missing != 2 {
		t.Errorf("after two changes %d people have no words, want 2", missing)
	}
	if n := queryValue[int](f, found); n != many-2 {
		t.Errorf("after two changes a search finds %d people, want %d", n, many-2)
	}
}
