package databasetest_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

func TestEachTestHasAMigratedDatabaseOfItsOwn(t *testing.T) {
	for _, name := range []string{"one", "two", "three"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := databasetest.New(t)
			db.Exec(t, `INSERT INTO core.person (email, name) VALUES ('anna@example.org', 'Anna')`)
			var people int
			err := db.Pool(t).QueryRow(t.Context(), `SELECT count(*) FROM core.person`).Scan(&people)
			if err != nil || people != 1 {
				t.Fatalf("count of the test's own people: %d, %v; want 1", people, err)
			}
		})
	}
}

func TestEmptyHasNoSchema(t *testing.T) {
	t.Parallel()
	db := databasetest.Empty(t)
	var there bool
	err := db.Pool(t).QueryRow(t.Context(), `SELECT to_regnamespace('core') IS NOT NULL`).Scan(&there)
	if err != nil || there {
		t.Fatalf("schema core exists: %v, %v; want false", there, err)
	}
}
