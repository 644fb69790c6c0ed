package sdktest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type thing struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

var things = sdk.Imports{{
	Kind: "things", From: "things", Name: "row.name", Used: "row.used", Gone: "row.gone",
	Restore: sdk.RestoreBy(func(ctx context.Context, tx *sdk.Tx, before []thing) error {
		for _, was := range before {
			if _, err := tx.Exec(ctx, `UPDATE things SET name = $2, rev = rev + 1 WHERE id = $1`,
				was.ID, was.Name); err != nil {
				return err
			}
		}
		return nil
	}),
}}

// TestUndoOfImports: an undo removes what the import has made and restores what it has changed, except what
// somebody has changed or uses since, which is named. It can be done once, and for a day.
func TestUndoOfImports(t *testing.T) {
	t.Parallel()
	y, _ := startTally(t)
	ctx, db := t.Context(), func() *sdk.DB { return y.host.DB }
	do := func(statement string) {
		t.Helper()
		if _, err := db().Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	do(`INSERT INTO things (id, name) VALUES ('own', 'Own'), ('old', 'Old'), ('older', 'Older')`)
	bring := func() {
		t.Helper()
		err := db().InTx(ctx, func(tx *sdk.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO things (id, name) VALUES ('new', 'New'), ('edited', 'Edited'),
				('used', 'Used'), ('binned', 'Binned'), ('blank', ' ')`)
			if err == nil {
				_, err = tx.Exec(ctx, `UPDATE things SET name = 'from the file', rev = rev + 1
					WHERE id IN ('old', 'older')`)
			}
			return errors.Join(err, things.Remember(ctx, tx, map[string][]sdk.ImportedRow{"things": {
				{Key: "new"}, {Key: "edited"}, {Key: "used"}, {Key: "binned"}, {Key: "blank"}, {Key: "nowhere"},
				{Key: "old", Before: thing{"old", "Old"}}, {Key: "older", Before: thing{"older", "Older"}},
			}}))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	undo := func(id string) (done sdk.Undone, err error) {
		err = db().InTx(ctx, func(tx *sdk.Tx) (err error) {
			done, err = things.Undo(ctx, tx, id)
			return err
		})
		return done, err
	}
	list := func() []sdk.PastImport {
		t.Helper()
		all, err := things.List(ctx, db())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if err := things.Remember(ctx, db(), nil); err != nil || len(list()) != 0 {
		t.Errorf("an import without rows is remembered: %+v, %v", list(), err)
	}
	bring()
	do(`UPDATE things SET name = 'Edited by Ada', rev = 2 WHERE id = 'edited'`)
	do(`UPDATE things SET name = 'Older, by Ada', rev = 3 WHERE id = 'older'`)
	do(`UPDATE things SET rev = 2 WHERE id = 'blank'`)
	do(`UPDATE things SET used = true WHERE id = 'used'`)
	do(`UPDATE things SET gone = true, rev = 2 WHERE id = 'binned'`)
	past := list()
	if len(past) != 1 || past[0].Counts["things"] != 7 {
		t.Fatalf("imports %+v, want one of 7 things", past)
	}
	done, err := undo(past[0].ID)
	if want := "{2 1 4 [Edited by Ada Older, by Ada Used]}"; err != nil || fmt.Sprint(done) != want {
		t.Errorf("undone: %v, %v; want %s", done, err, want)
	}
	left, err := sdk.Select[string](ctx, db(), `SELECT id || ' ' || name FROM things ORDER BY id`)
	if got, want := strings.Join(left, ", "), "blank  , edited Edited by Ada, old Old, older Older, by Ada, "+
		"own Own, used Used"; err != nil || got != want {
		t.Errorf("things %s, %v; want %s", got, err, want)
	}
	if _, err := undo(past[0].ID); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("the undo again: %v, want sql.ErrNoRows", err)
	}
	do(`DELETE FROM things WHERE id IN ('edited', 'used', 'blank')`)
	bring()
	late := list()[0].ID
	do(`UPDATE imports SET at = at - interval '23 hours 50 minutes'`)
	if n := len(list()); n != 1 {
		t.Errorf("%d imports can be undone before a day is over, want one", n)
	}
	do(`UPDATE imports SET at = at - interval '10 minutes'`)
	if _, err := undo(late); !errors.Is(err, sql.ErrNoRows) || len(list()) != 0 {
		t.Errorf("the undo after a day: %v, and imports %+v; want sql.ErrNoRows and none", err, list())
	}
	if err := things.Forget(ctx, db()); err != nil {
		t.Fatal(err)
	}
	rows, err := sdk.Select[int64](ctx, db(), `SELECT count(*) FROM imported`)
	if err != nil || rows[0] != 0 {
		t.Errorf("%d rows are remembered after a day, %v; want none", rows, err)
	}
}
