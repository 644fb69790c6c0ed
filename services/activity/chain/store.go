package chain

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgconn"
)

// Tx is a transaction. Its isolation must be READ COMMITTED, because under a stricter one every second
// writer would fail.
type Tx interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

const recordEntries = `SELECT core.record_activity($1)`

// Record appends the entries to the chain. It locks the chain's head until the transaction ends, so a
// transaction must call it once, with all its entries, as its last statement. Then a transaction that has
// locked the head waits for no other lock, and no two can deadlock because of it. Without entries it does
// nothing.
func Record(ctx context.Context, tx Tx, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	texts := make([]string, len(entries))
	for i, entry := range entries {
		text, err := json.Marshal(entry, json.Deterministic(true))
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	_, err := tx.Exec(ctx, recordEntries, texts)
	return err
}
