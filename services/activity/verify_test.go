package activity_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/activity"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/store"
)

func (h harness) verify(t testing.TB) activity.Verdict {
	t.Helper()
	verdict, err := activity.Verify(t.Context(), h.store)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func TestEmptyChain(t *testing.T) {
	t.Parallel()
	h := setup(t)
	if got, want := h.verify(t), (activity.Verdict{Hash: hex.EncodeToString(make([]byte, 32))}); got != want {
		t.Errorf("nothing recorded yet: %+v, want %+v", got, want)
	}
	if err := chain.Record(nil); err != nil { // without entries the transaction is not used
		t.Error(err)
	}
}

// Every change of a stored row is detected.
func TestChangedRowsAreDetected(t *testing.T) {
	t.Parallel()
	const row, head = `core.activity SET `, `core.activity_head SET `
	for change, broken := range map[string]int64{
		`UPDATE ` + row + `entry = replace(entry, 'rota', 'stage') WHERE number = 2`: 2,
		`UPDATE ` + row + `at = at + interval '1 microsecond' WHERE number = 3`:      3,
		`UPDATE ` + row + `hash = sha256(hash) WHERE number = 2`:                     2,
		`UPDATE ` + row + `number = -number WHERE number = 5`:                        1,
		`UPDATE ` + head + `count = 4`:                                               6,
		`UPDATE ` + head + `hash = sha256(hash)`:                                     6,
		`DELETE FROM core.activity WHERE number = 1`:                                 1,
		`DELETE FROM core.activity WHERE number = 3`:                                 3,
		`DELETE FROM core.activity WHERE number = 5`:                                 5,
		`DELETE FROM core.activity WHERE number = 2;
		UPDATE ` + row + `number = number - 1 WHERE number > 2`: 2,
		`INSERT INTO core.activity (number, at, entry, hash)
		SELECT 6, at, entry, hash FROM core.activity WHERE number = 5`: 6,
	} {
		h := setup(t)
		for range 5 {
			h.record(t, entry(chain.Operator(), chain.ModuleEnabled, "module", "rota"))
		}
		if whole := h.verify(t); whole.Broken != 0 || whole.Count != 5 {
			t.Fatalf("an untouched chain: %+v, want 5 rows, unbroken", whole)
		}
		h.Exec(t, "ALTER TABLE core.activity DISABLE TRIGGER ALL; "+change)
		if got := h.verify(t).Broken; got != broken {
			t.Errorf("%s: broken at %d, want %d", change, got, broken)
		}
	}
}

// The database refuses every change of a row, even by the platform's own role.
func TestAppendOnly(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.record(t, entry(chain.Operator(), chain.ModuleEnabled, "module", "rota"))
	for _, change := range []string{
		"UPDATE core.activity SET entry = entry", "DELETE FROM core.activity", "TRUNCATE core.activity",
		"UPDATE core.activity SET action = 'x'", "DELETE FROM core.activity_head", "TRUNCATE core.activity_head",
		"INSERT INTO core.activity_head (count, hash) VALUES (0, '')",
		"INSERT INTO core.activity (number, at, entry, hash) VALUES (2, now(), 'no JSON', '')",
	} {
		if _, err := h.Pool(t).Exec(t.Context(), change); err == nil {
			t.Errorf("%s: no error, want it refused", change)
		}
	}
	if got := h.verify(t); got.Broken != 0 || got.Count != 1 {
		t.Errorf("after refused changes: %+v, want 1 row, unbroken", got)
	}
}

// Two processes record at the same time, and some transactions are rolled back: the numbers have no gap, and
// no process waits forever.
func TestManyRecord(t *testing.T) {
	t.Parallel()
	h := setup(t)
	first, second := databasetest.Connected(t, h.Pool(t)), databasetest.Connected(t, h.AnotherPool(t))
	errVain := errors.New("in vain")
	var writers sync.WaitGroup
	for n := range 50 {
		pool := first
		if n%2 == 0 {
			pool = second
		}
		writers.Go(func() {
			err := store.InTx(t.Context(), pool, func(_ context.Context, tx *store.Tx) error {
				one := entry(chain.Operator(), chain.ModuleEnabled, "module", fmt.Sprint("m", n))
				if err := chain.Record(tx, one, one); err != nil {
					return err
				}
				if n%5 == 0 {
					return errVain
				}
				return nil
			})
			if err != nil && !errors.Is(err, errVain) {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	got := h.verify(t)
	if got.Broken != 0 || got.Count != 80 || len(got.Hash) != 64 || strings.Trim(got.Hash, "0") == "" {
		t.Errorf("after 40 of 50 transactions with two entries each: %+v, want 80 rows, unbroken", got)
	}
}
