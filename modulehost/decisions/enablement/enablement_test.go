package enablement_test

import (
	"errors"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/decisions/enablement"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database/databasetest"
)

func TestNoRecordMeansEnabled(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	store := enablement.NewStore(db.Pool(t))
	for moduleID, enabled := range map[string]bool{"on": true, "off": false} {
		if err := store.Decide(t.Context(), chain.Operator(), moduleID, enabled); err != nil {
			t.Fatal(err)
		}
	}
	decisions, err := store.Decisions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for moduleID, want := range map[string][2]bool{"on": {true, true}, "off": {false, true},
		"undecided": {true, false}} {
		if got := [2]bool{decisions.Enabled(moduleID), decisions.Explicit(moduleID)}; got != want {
			t.Errorf("%s: enabled, explicit %v, want %v", moduleID, got, want)
		}
	}
}

// TestEqualDecision: a decision that changes nothing is not recorded.
func TestEqualDecision(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	store := enablement.NewStore(db.Pool(t))
	for _, enabled := range []bool{false, false, true, true} {
		if err := store.Decide(t.Context(), chain.Operator(), "base", enabled); err != nil {
			t.Fatal(err)
		}
	}
	var recorded string
	if err := db.Pool(t).QueryRow(t.Context(),
		`SELECT string_agg(action, ' ' ORDER BY number) FROM core.activity`).Scan(&recorded); err != nil ||
		recorded != "module.disabled module.enabled" {
		t.Errorf("recorded %q, error %v, want one change each way", recorded, err)
	}
}

// TestStoreThatCannotTell checks that a start fails when the decisions cannot be read, and that nothing is
// created or repaired.
func TestStoreThatCannotTell(t *testing.T) {
	t.Parallel()
	db := databasetest.New(t)
	store := enablement.NewStore(db.Pool(t))
	for _, fault := range []string{
		`ALTER TABLE core.module_enablement RENAME COLUMN enabled TO other`,
		`DROP TABLE core.module_enablement`,
	} {
		db.Exec(t, fault)
		if decisions, err := store.Decisions(t.Context()); !errors.Is(err, enablement.ErrRead) || decisions != nil {
			t.Errorf("Decisions after %s: %v, error %v; want none and %v", fault, decisions, err,
				enablement.ErrRead)
		}
	}
	var exists bool
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT to_regclass('core.module_enablement') IS NOT NULL`).Scan(
		&exists); err != nil || exists {
		t.Errorf("the table was made again: %v, %v", exists, err)
	}
}
