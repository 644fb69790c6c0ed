package sdktest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestBatch(t *testing.T) {
	t.Parallel()
	module := new(seats)
	m := sdktest.Start(t, module, options())
	db, ctx := module.host.DB, t.Context()
	type seat struct {
		ID   int64
		Name string
	}
	seatsOf := func(in sdk.Querier) (added int64, all []seat, names []string, err error) {
		var count int64
		defer func() {
			if count != int64(len(all)) {
				t.Errorf("%d seats are counted, and %d read", count, len(all))
			}
		}()
		err = in.Batch(ctx,
			sdk.ExecInto(&added, `INSERT INTO seats (name) VALUES ($1), ($2)`, "aisle", "window"),
			sdk.ExecInto(nil, `DELETE FROM seats WHERE name = $1`, "nowhere"),
			sdk.RowInto([]any{&count}, `SELECT count(*) FROM seats`),
			sdk.SelectInto(&all, `SELECT id, name FROM seats ORDER BY id`),
			sdk.SelectIntoBy(&names, func(row sdk.Scanner, into *string) error { return row.Scan(into) },
				`SELECT name FROM seats WHERE name = ANY($1)`, []string{"aisle"}))
		return added, all, names, err
	}
	added, all, names, err := seatsOf(db)
	if err != nil || added != 2 || !slices.Equal(all, []seat{{1, "aisle"}, {2, "window"}}) ||
		!slices.Equal(names, []string{"aisle"}) {
		t.Errorf("a batch: %d added, %v, %v, error %v", added, all, names, err)
	}
	undone := errors.New("undone")
	err = db.InTx(ctx, func(tx *sdk.Tx) error {
		if _, all, _, err := seatsOf(tx); err != nil || len(all) != 4 {
			t.Errorf("in a transaction: %d seats, error %v, want 4", len(all), err)
		}
		return undone
	})
	if err != undone {
		t.Error(err)
	}

	names = []string{"as before"}
	failed, said := (*sdk.BatchError)(nil), (*sdk.DatabaseError)(nil)
	err = db.Batch(ctx, sdk.SelectInto(&names, `SELECT name FROM seats`),
		sdk.ExecInto(nil, `INSERT INTO seats (name) VALUES ('third')`),
		sdk.ExecInto(nil, "SELECT\n  nothing"))
	if !errors.As(err, &failed) || failed.Index != 2 || !errors.As(err, &said) || said.SQLState != "42703" ||
		said.Position != "line 2, column 3" || !slices.Equal(names, []string{"as before"}) {
		t.Errorf("a batch that fails: %v (%v), and the place of its first result has %q", err, failed, names)
	}
	err = db.Batch(ctx, sdk.ExecInto(nil, `SELECT`), sdk.ExecInto(nil, `SELECT $1`, context.Background()))
	if !errors.As(err, &failed) || failed.Index != 1 {
		t.Errorf("an argument that cannot be sent: %v, want a failure of the second statement", err)
	}
	if err := db.Batch(ctx, make([]sdk.Statement, 33)...); err == nil || !strings.Contains(err.Error(), "33") {
		t.Errorf("33 statements: %v", err)
	}
	if err := db.Batch(ctx); err != nil {
		t.Errorf("no statement: %v", err)
	}
	lost := db.InTx(ctx, func(tx *sdk.Tx) error {
		m.LoseDatabase(sdktest.BeforeStatement)
		return tx.Batch(ctx, sdk.ExecInto(nil, `INSERT INTO seats (name) VALUES ('fourth')`))
	})
	if !errors.Is(lost, sdk.ErrDatabaseUnavailable) && !(errors.As(lost, &said) && said.SQLState == "57P01") {
		t.Errorf("a batch whose connection breaks: %v", lost)
	}
	count, err := sdk.Select[int](ctx, db, `SELECT count(*) FROM seats`)
	if err != nil || count[0] != 2 {
		t.Errorf("%v seats are left (%v), want 2", count, err)
	}
}
