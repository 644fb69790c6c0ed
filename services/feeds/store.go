package feeds

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	maxLive    = 20 // feeds of a person
	maxRevoked = 20 // that are kept
)

// Store is the SQL of feeds. A request's queries have a deadline of their own and continue when the client
// disconnects, because pgx closes a connection whose query is cancelled. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// inTx runs f in one transaction under a request's deadline. Its error has a code.
func (s *Store) inTx(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, f))
}

// feed is one address, live or revoked.
type feed struct {
	ID         string
	ModuleID   string
	Path       string
	Label      string
	CreatedAt  time.Time
	LastUsedAt *time.Time
	RevokedAt  *time.Time
}

const feedColumns = `id::text, module_id, path, label, created_at, last_used_at, revoked_at`

const selectFeeds = `
SELECT ` + feedColumns + `
FROM core.feed
WHERE person_id = $1
ORDER BY created_at DESC, id`

func (s *Store) list(ctx context.Context, personID string) ([]feed, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectFeeds, personID)
	if err != nil {
		return nil, store.Coded(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[feed])
	return all, store.Coded(err)
}

type newFeed struct {
	personID, moduleID, path, query, label string
	hash                                   secretHash
}

const (
	// Feeds of one person are made one after the other, so that they can be counted. A person who is being
	// deactivated or erased gets none.
	lockPerson = `
SELECT
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL
FOR NO KEY UPDATE`

	countLive = `
SELECT count(*)
FROM core.feed
WHERE person_id = $1 AND revoked_at IS NULL`

	deleteRevoked = `
DELETE FROM core.feed
WHERE id IN (
	SELECT id
	FROM core.feed
	WHERE person_id = $1 AND revoked_at IS NOT NULL
	ORDER BY revoked_at DESC
	OFFSET $2
)`

	insertFeed = `
INSERT INTO core.feed (person_id, secret_hash, module_id, path, query, label)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id::text`
)

// make stores a feed and records it. Codes: FEED_LIMIT, FEED_NOT_FOUND for a person who was deactivated
// meanwhile, STORE_UNAVAILABLE.
func (s *Store) make(ctx context.Context, f newFeed) (id string, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		tag, err := tx.Exec(ctx, lockPerson, f.personID)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		var live int
		if err := tx.QueryRow(ctx, countLive, f.personID).Scan(&live); err != nil {
			return err
		}
		if live >= maxLive {
			return ErrLimit
		}
		if _, err := tx.Exec(ctx, deleteRevoked, f.personID, maxRevoked); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, insertFeed, f.personID, f.hash[:], f.moduleID, f.path, f.query,
			f.label).Scan(&id); err != nil {
			return err
		}
		return record(tx, chain.FeedMade, f.personID, feed{ID: id, ModuleID: f.moduleID})
	})
	return id, err
}

func record(tx *store.Tx, action chain.Action, personID string, f feed) error {
	return chain.Record(tx, chain.Entry{
		Actor:   chain.Person(personID),
		Action:  action,
		Subject: chain.Subject{Kind: chain.FeedSubject, ID: f.ID},
		Details: map[string]any{"moduleId": f.ModuleID},
	})
}

const (
	lockFeed = `
SELECT ` + feedColumns + `
FROM core.feed
WHERE id = $1 AND person_id = $2
FOR UPDATE`

	revokeFeed = `
UPDATE core.feed
SET revoked_at = now()
WHERE id = $1
RETURNING ` + feedColumns

	renewFeed = `
UPDATE core.feed
SET secret_hash = $2, last_used_at = NULL
WHERE id = $1
RETURNING ` + feedColumns
)

// revoke ends a person's feed. One that has ended stays as it is. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) revoke(ctx context.Context, personID, id string) (now feed, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if now, err = one(ctx, tx, lockFeed, id, personID); err != nil || now.RevokedAt != nil {
			return err
		}
		if now, err = one(ctx, tx, revokeFeed, id); err != nil {
			return err
		}
		return record(tx, chain.FeedRevoked, personID, now)
	})
	return now, err
}

// renew gives a person's live feed another secret. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) renew(ctx context.Context, personID, id string, hash secretHash) (now feed, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if now, err = one(ctx, tx, lockFeed, id, personID); err != nil {
			return err
		}
		if now.RevokedAt != nil {
			return ErrNotFound
		}
		if now, err = one(ctx, tx, renewFeed, id, hash[:]); err != nil {
			return err
		}
		return record(tx, chain.FeedRenewed, personID, now)
	})
	return now, err
}

// one returns the feed that sql finds. Code: FEED_NOT_FOUND.
func one(ctx context.Context, tx *store.Tx, sql string, args ...any) (found feed, err error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return found, err
	}
	found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[feed])
	if errors.Is(err, pgx.ErrNoRows) {
		return found, ErrNotFound
	}
	return found, err
}

// target is what an address leads to.
type target struct{ id, personID, moduleID, path, query string }

const selectTarget = `
SELECT f.id::text, f.person_id::text, f.module_id, f.path, f.query
FROM core.feed f
JOIN core.person p ON p.id = f.person_id
WHERE f.secret_hash = $1 AND f.revoked_at IS NULL AND p.deactivated_at IS NULL AND p.erased_at IS NULL`

// find returns what a secret leads to. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) find(ctx context.Context, hash secretHash) (t target, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectTarget, hash[:]).Scan(&t.id, &t.personID, &t.moduleID, &t.path, &t.query)
	if errors.Is(err, pgx.ErrNoRows) {
		return target{}, ErrNotFound
	}
	return t, store.Coded(err)
}

const updateUsed = `
UPDATE core.feed
SET last_used_at = now()
WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`

// markUsed stores that a feed was used, at most once a minute.
func (s *Store) markUsed(ctx context.Context, id string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateUsed, id)
	return store.Coded(err)
}
