package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	checkDeadline = 2 * time.Second // of a check that reads no row
)

// The bounds of pairing.
const (
	pairingLifetime = 10 * time.Minute
	claimUse        = 10 * time.Minute // from a claim to the first use of its credential
	maxOpen         = 1_000            // pairings, pending or approved
	maxOpenClient   = 20               // of one client
	pollWithin      = time.Minute      // a pairing that was not polled for so long makes room for others
	maxMisses       = 20               // codes of no open pairing that a person may name in missWindow
	missWindow      = 10 * time.Minute
	codeTries       = 20 // with 1,000 of a million codes in use, all 20 fail once in 10^60
	seenEvery       = time.Minute
	keepExpired     = 24 * time.Hour // how long an expired pairing is kept, unless its code is reused
	sweepBatchRows  = 1_000
)

// Store is the SQL of pairing and devices. A request's queries have a deadline of their own and continue
// when the client disconnects, because pgx closes a connection whose query is cancelled. Look-ups that need
// no permission share queries (services/lookup), so that a locked table keeps only a few of the pool's
// connections busy. Code that locks a pairing and its device locks the pairing first. It is safe for
// concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	holders *lookup.Group[secretHash, string]
	claims  *lookup.Group[secretHash, claimed]
	checks  *lookup.Check // of core.device
	asking  chan struct{} // full when two pairings are being made
}

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store {
	s := &Store{pool: pool, asking: make(chan struct{}, 2)}
	s.holders = lookup.New(lookup.Limits{Queries: 2, Batch: 128, Timeout: deadlines.Store}, s.readHolders)
	s.claims = lookup.New(lookup.Limits{Queries: 1, Batch: 128, Timeout: deadlines.Store}, s.readPairings)
	s.checks = lookup.NewCheck(checkDeadline, s.probe)
	return s
}

// inTx runs f in one transaction under a request's deadline. Its error has a code.
func (s *Store) inTx(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, f))
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// one returns the one row that sql finds, or absent when it finds none.
func one[T any](
	ctx context.Context,
	q querier,
	absent error,
	sql string,
	args ...any,
) (found T, err error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return found, err
	}
	found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return found, absent
	}
	return found, err
}

// errNoRow is internal to the store.
var errNoRow = errors.New("devices: no such row")

// Both kinds of unused device end at claimable_until: those that nobody claimed, and those whose credential
// nobody used. The foreign key then clears device_id in the pairing, so its screen still gets the state
// "expired". The device is checked again, because its credential may have been used for the first time in
// between.
const deleteUnused = `
WITH unused AS (
	SELECT device_id
	FROM core.device_pairing
	JOIN core.device ON id = device_id
	WHERE claimable_until <= now()
	ORDER BY claimable_until
	LIMIT $1
	FOR UPDATE OF device_pairing SKIP LOCKED
)
DELETE FROM core.device
USING unused
WHERE id = unused.device_id AND claimable_until <= now()`

const deletePairings = `
DELETE FROM core.device_pairing
WHERE code = ANY (ARRAY(
	SELECT code
	FROM core.device_pairing
	WHERE expires_at <= now() - $2::interval AND (state <> 'approved' OR device_id IS NULL)
		AND NOT ` + heldByClaim + `
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

// SweepExpired deletes devices that were not claimed or not used in time, and pairings a day after they
// expired: at most 1,000 rows a call, skipping locked rows. It returns how many it deleted. Readers check the
// expiry themselves; this only frees space. It ends when ctx ends. Any number of processes may call it at the
// same time.
func (s *Store) SweepExpired(ctx context.Context) (deleted int, err error) {
	done, err := s.pool.Exec(ctx, deleteUnused, sweepBatchRows)
	if err != nil {
		return 0, store.Coded(err)
	}
	deleted = int(done.RowsAffected())
	done, err = s.pool.Exec(ctx, deletePairings, sweepBatchRows-deleted, keepExpired)
	deleted += int(done.RowsAffected())
	if err != nil {
		return deleted, store.Coded(err)
	}
	_, err = s.pool.Exec(ctx, deleteMisses, missWindow)
	return deleted, store.Coded(err)
}
