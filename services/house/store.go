package house

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Store reads and writes the house through the shared pool. Its errors are STORE_UNAVAILABLE. It is safe for
// concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

const selectHouse = `
SELECT name, accent, language, time_zone, second_factor, rev
FROM core.house`

// Read returns the house as it is stored.
func (s *Store) Read(ctx context.Context) (House, error) {
	found, err := s.read(ctx)
	return found.house, err
}

func (s *Store) read(ctx context.Context) (state, error) {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Store)
	defer cancel()
	found, err := scan(s.pool.QueryRow(ctx, selectHouse, pgx.QueryExecModeExec))
	if err != nil {
		return state{}, store.Unavailable(err)
	}
	return found, nil
}

func scan(row pgx.Row) (found state, err error) {
	h := &found.house
	err = row.Scan(&h.Name, &h.Accent, &h.Language, &h.TimeZone, &h.SecondFactor, &found.rev)
	return found, err
}

const lockHouse = selectHouse + `
FOR NO KEY UPDATE`

const updateHouse = `
UPDATE core.house
SET name = $1, accent = $2, language = $3, time_zone = $4, second_factor = $5, rev = rev + 1`

// ErrConflict is the code for a change that names an older revision. Nothing was written.
const ErrConflict = httpapi.Error("CONFLICT")

// replace writes the whole house and returns it with its revision. Of two concurrent changes that name no
// revision the later one stays, never a mix of both. If the stored house is equal, nothing is written and
// nothing recorded. Codes: CONFLICT, STORE_UNAVAILABLE.
func (s *Store) replace(
	ctx context.Context, by chain.Actor, h House, rev *int64,
) (written state, err error) {
	err = store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		before, err := scan(tx.QueryRow(ctx, lockHouse))
		if err != nil || h.equal(before.house) {
			written = before
			return err
		}
		if rev != nil && *rev != before.rev {
			return ErrConflict
		}
		written = state{house: h, rev: before.rev + 1}
		_, err = tx.Exec(ctx, updateHouse, h.Name, h.Accent, h.Language, h.TimeZone, h.SecondFactor)
		if err != nil {
			return err
		}
		return chain.Record(tx, chain.Entry{
			Actor: by, Action: chain.HouseChanged,
			Subject: chain.Subject{Kind: chain.HouseSubject, ID: "house"},
		})
	})
	return written, store.Coded(err)
}

func (h House) equal(other House) bool {
	return equalText(h.Name, other.Name) && equalText(h.TimeZone, other.TimeZone) &&
		h.Language == other.Language && h.Accent == other.Accent && h.SecondFactor == other.SecondFactor
}

func equalText(one, other *string) bool {
	return one == other || one != nil && other != nil && *one == *other
}

// BackupRun is the verification of a backup.
type BackupRun struct {
	VerifiedAt time.Time // zero: there was none
	Verdict    *string   // a code; nil: the backup was valid
}

const selectLastBackup = `
SELECT verified_at, verdict
FROM core.backup_run
ORDER BY id DESC
LIMIT 1`

// LastBackup returns the latest verification, successful or not. Its error is STORE_UNAVAILABLE.
func (s *Store) LastBackup(ctx context.Context) (run BackupRun, err error) {
	err = s.pool.QueryRow(ctx, selectLastBackup).Scan(&run.VerifiedAt, &run.Verdict)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return BackupRun{}, store.Unavailable(err)
	}
	return run, nil
}
