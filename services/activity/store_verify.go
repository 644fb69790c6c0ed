package activity

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// head is the chain's last row.
type head struct {
	Count int64
	Hash  []byte
}

const (
	selectHead = `
SELECT count, hash
FROM core.activity_head`

	selectChain = `
SELECT number, at, entry, hash
FROM core.activity
ORDER BY number`
)

// walk calls f for every row in order and returns the head, all from one snapshot. It stops when ctx ends.
func (s *Store) walk(
	ctx context.Context, f func(number int64, at time.Time, entry string, hash []byte),
) (found head, err error) {
	moment := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, s.pool, moment, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, selectHead).Scan(&found.Count, &found.Hash); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, selectChain)
		if err != nil {
			return err
		}
		var number int64
		var at time.Time
		var entry string
		var hash []byte
		_, err = pgx.ForEachRow(rows, []any{&number, &at, &entry, &hash}, func() error {
			f(number, at, entry, hash)
			return nil
		})
		return err
	})
	return found, err
}
