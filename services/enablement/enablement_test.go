package enablement_test

import (
	"errors"
	"testing"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/enablement"
)

func TestMain(m *testing.M) { databasetest.Main(m) }

func TestNoRecordMeansEnabled(t *testing.T) {
	db := databasetest.New(t)
	db.Exec(t, `INSERT INTO core.module_enablement (module_id, enabled) VALUES ('on', true), ('off', false)`)
	decisions, err := enablement.New(db.Pool(t)).Decisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for moduleID, want := range map[string]bool{"on": true, "off": false, "undecided": true} {
		if got := decisions.Enabled(moduleID); got != want {
			t.Errorf("%s: %v", moduleID, got)
		}
	}
}

// TestStoreThatCannotTell: a start then fails, and nothing is created or repaired.
func TestStoreThatCannotTell(t *testing.T) {
	db := databasetest.New(t)
	store := enablement.New(db.Pool(t))
	for _, fault := range []string{
		`ALTER TABLE core.module_enablement RENAME COLUMN enabled TO other`,
		`DROP TABLE core.module_enablement`,
	} {
		db.Exec(t, fault)
		if decisions, err := store.Decisions(t.Context()); !errors.Is(err, enablement.ErrRead) || decisions != nil {
			t.Errorf("%s: %v, %v", fault, decisions, err)
		}
	}
	var exists bool
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT to_regclass('core.module_enablement') IS NOT NULL`).Scan(&exists); err != nil || exists {
		t.Errorf("the table was made again: %v, %v", exists, err)
	}
}
