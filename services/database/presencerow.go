package database

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Behind a transaction pooler no session belongs to a process, so a present process has a row, which it
// renews (presentEvery). One that was killed counts until its row is older than presentFor.
const (
	presentFor    = "75 seconds"
	forgottenFor  = "1 day"
	selectPresent = ` FROM core.process WHERE seen_at > now() - interval '` + presentFor + `'`
)

// renewRow writes the row of a process, and deletes those of processes that were killed long ago.
func (d *Database) renewRow(ctx context.Context, process uuid.UUID) error {
	_, err := d.core.Exec(ctx, `
		WITH gone AS (DELETE FROM core.process WHERE seen_at < now() - interval '`+forgottenFor+`')
		INSERT INTO core.process (id, listener, seen_at)
		VALUES ($1, $2, now())
		ON CONFLICT (id) DO UPDATE SET listener = excluded.listener, seen_at = now()`,
		process, int64(d.probe.listener.Load()))
	return err
}

// removeRow removes the row of a process that stops.
func (d *Database) removeRow(process uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.Background(), presentWithin)
	defer cancel()
	_, _ = d.core.Exec(ctx, `DELETE FROM core.process WHERE id = $1`, process)
}

// rowListeners returns the numbers of the sockets of present processes that have a row; 0 for one that is not
// known.
func (d *Database) rowListeners(ctx context.Context) ([]uint32, error) {
	rows, err := d.core.Query(ctx, `SELECT listener`+selectPresent)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[uint32])
}

// serveRow keeps the row of this process until ctx ends. It ignores errors, because readiness checks report
// them.
func (d *Database) serveRow(ctx context.Context) error {
	process := uuid.New()
	defer d.removeRow(process)
	next := time.NewTicker(presentEvery)
	defer next.Stop()
	for {
		within, cancel := context.WithTimeout(ctx, presentWithin)
		_ = d.renewRow(within, process)
		cancel()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		}
	}
}
