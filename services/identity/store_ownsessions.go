package identity

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// mostListed is more than the sessions of anybody who signs in by hand.
const mostListed = 200

const selectOwnSessions = `
SELECT id::text, created_at, last_seen_at, token_hash = $2 AS current, description
FROM core.session
WHERE person_id = $1 AND expires_at > now()
ORDER BY token_hash = $2 DESC, last_seen_at DESC, id
LIMIT $3`

// ownSession is a session as its person sees it.
type ownSession struct {
	ID          string
	CreatedAt   time.Time
	LastSeenAt  time.Time
	Current     bool
	Description string
}

// ownSessions returns the valid sessions of a person: first the one with the given hash, then those that
// were seen last.
func (s *Store) ownSessions(ctx context.Context, userID string, hash tokenHash) ([]ownSession, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectOwnSessions, userID, hash[:], mostListed)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[ownSession])
}

const deleteOwnSession = `
DELETE FROM core.session
WHERE id = $2 AND person_id = $1
RETURNING token_hash = $3`

// endOwn deletes a session of a person and records it. It succeeds also when there is none. current: it had
// the hash.
func (s *Store) endOwn(ctx context.Context, userID, id string, hash tokenHash) (current bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		current = false
		err := tx.QueryRow(ctx, deleteOwnSession, userID, id, hash[:]).Scan(&current)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return chain.Record(tx, chain.Entry{
			Actor: chain.Person(userID), Action: chain.SessionEnded,
			Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
		})
	})
	return current, err
}

// seenAfter is how exactly last_seen_at is kept: a person's page asks for the principal often.
const seenAfter = 10 * time.Minute

const updateSeen = `
UPDATE core.session
SET last_seen_at = now()
WHERE token_hash = $1 AND last_seen_at <= now() - $2::interval`

// seen records that the session's browser was here.
func (s *Store) seen(ctx context.Context, hash tokenHash) error {
	ctx, cancel := store.Detached(ctx, extendDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateSeen, hash[:], seenAfter)
	return err
}
