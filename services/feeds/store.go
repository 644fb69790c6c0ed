package feeds

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	maxLive    = 20 // feeds of a person, and of the house
	maxRevoked = 20 // that are kept
)

// Store is the SQL of feeds. A request's queries have a deadline of their own and continue when the client
// disconnects, because pgx closes a connection whose query is cancelled. It is safe for concurrent use.
type Store struct {
	pool  *pgxpool.Pool
	links Links
}

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool, links Links) *Store { return &Store{pool, links} }

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
	LinkID     *string // of the house's; nil: a person's
}

const feedColumns = `id::text, module_id, path, label, created_at, last_used_at, revoked_at, link_id::text`

const selectFeeds = `
SELECT ` + feedColumns + `
FROM core.feed
WHERE person_id = $1 OR $1 IS NULL AND person_id IS NULL
ORDER BY created_at DESC, id`

// list returns the feeds of a person, or with nil those of the house.
func (s *Store) list(ctx context.Context, personID *string) ([]feed, error) {
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
	maker                        string // a user id
	house                        bool   // it is the house's, with the permission
	permissionID                 string
	moduleID, path, query, label string
	hash                         secretHash
}

// person returns whose feed it is; nil: the house's.
func (f newFeed) person() *string {
	if f.house {
		return nil
	}
	return &f.maker
}

const (
	// Feeds of one person are made one after the other, so that they can be counted. A person who is being
	// deactivated or erased gets none.
	lockPerson = `
SELECT
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL
FOR NO KEY UPDATE`

	// So are those of the house.
	lockHouse = `
SELECT
FROM core.house
FOR NO KEY UPDATE`

	countLive = `
SELECT count(*)
FROM core.feed
WHERE (person_id = $1 OR $1 IS NULL AND person_id IS NULL) AND revoked_at IS NULL`

	deleteRevoked = `
DELETE FROM core.feed
WHERE id IN (
	SELECT id
	FROM core.feed
	WHERE (person_id = $1 OR $1 IS NULL AND person_id IS NULL) AND revoked_at IS NOT NULL
	ORDER BY revoked_at DESC
	OFFSET $2
)`

	insertFeed = `
INSERT INTO core.feed (person_id, link_id, secret_hash, module_id, path, query, label)
VALUES ($1, $2, $3, $4, $5, $6, $7)
RETURNING id::text`
)

// make stores a feed and records it. Codes: FEED_LIMIT, FEED_NOT_FOUND for a person who was deactivated
// meanwhile, STORE_UNAVAILABLE.
func (s *Store) make(ctx context.Context, f newFeed) (id string, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if tag, err := tx.Exec(ctx, lockPerson, f.maker); err != nil {
			return err
		} else if tag.RowsAffected() == 0 {
			return ErrNotFound
		}
		made := feed{ModuleID: f.moduleID}
		if f.house {
			if _, err := tx.Exec(ctx, lockHouse); err != nil {
				return err
			}
		}
		var live int
		if err := tx.QueryRow(ctx, countLive, f.person()).Scan(&live); err != nil {
			return err
		}
		if live >= maxLive {
			return ErrLimit
		}
		if _, err := tx.Exec(ctx, deleteRevoked, f.person(), maxRevoked); err != nil {
			return err
		}
		if f.house {
			linkID, err := s.links.CreateIn(ctx, tx, f.moduleID, f.permissionID, linkSubject)
			if err != nil {
				return err
			}
			made.LinkID = &linkID
		}
		if err := tx.QueryRow(ctx, insertFeed, f.person(), made.LinkID, f.hash[:], f.moduleID, f.path, f.query,
			f.label).Scan(&made.ID); err != nil {
			return err
		}
		id = made.ID
		return record(tx, wasMade, f.maker, made)
	})
	return id, err
}

// linkSubject is what modules know the principals of the house's feeds by.
const linkSubject = "feed"

// change is what was done to a feed, as two actions: for one of a person, and for one of the house.
type change [2]chain.Action

var (
	wasMade    = change{chain.FeedMade, chain.LinkMade}
	wasRenewed = change{chain.FeedRenewed, chain.LinkRenewed}
	wasRevoked = change{chain.FeedRevoked, chain.LinkRevoked}
)

func record(tx *store.Tx, what change, personID string, f feed) error {
	entry := chain.Entry{
		Actor:   chain.Person(personID),
		Action:  what[0],
		Subject: chain.Subject{Kind: chain.FeedSubject, ID: f.ID},
		Details: map[string]any{"moduleId": f.ModuleID},
	}
	if f.LinkID != nil {
		entry.Action = what[1]
	}
	return chain.Record(tx, entry)
}

const (
	lockFeed = `
SELECT ` + feedColumns + `
FROM core.feed
WHERE id = $1 AND (person_id = $2 OR $3 AND person_id IS NULL)
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

// caller is who changes a feed: their own, or one of the house if they may.
type caller struct {
	userID string
	house  bool
}

// revoke ends a feed. One that has ended stays as it is. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) revoke(ctx context.Context, by caller, id string) (now feed, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if now, err = one(ctx, tx, lockFeed, id, by.userID, by.house); err != nil || now.RevokedAt != nil {
			return err
		}
		if now.LinkID != nil {
			if err := s.links.RevokeIn(ctx, tx, *now.LinkID); err != nil {
				return err
			}
		}
		if now, err = one(ctx, tx, revokeFeed, id); err != nil {
			return err
		}
		return record(tx, wasRevoked, by.userID, now)
	})
	return now, err
}

// renew gives a live feed another secret. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) renew(ctx context.Context, by caller, id string, hash secretHash) (now feed, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if now, err = one(ctx, tx, lockFeed, id, by.userID, by.house); err != nil {
			return err
		}
		if now.RevokedAt != nil {
			return ErrNotFound
		}
		if now, err = one(ctx, tx, renewFeed, id, hash[:]); err != nil {
			return err
		}
		return record(tx, wasRenewed, by.userID, now)
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

// target is what an address leads to, as a person or as a link.
type target struct{ id, personID, linkID, moduleID, path, query string }

func (t target) principal() principal.Principal {
	if t.linkID != "" {
		return principal.Principal{Kind: principal.Link, LinkID: t.linkID, Subject: linkSubject}
	}
	return principal.Person(t.personID)
}

const selectTarget = `
SELECT f.id::text, coalesce(f.person_id::text, ''), coalesce(f.link_id::text, ''), f.module_id, f.path,
	f.query
FROM core.feed f
LEFT JOIN core.person p ON p.id = f.person_id
WHERE f.secret_hash = $1 AND f.revoked_at IS NULL
	AND (f.link_id IS NOT NULL OR p.deactivated_at IS NULL AND p.erased_at IS NULL)`

// find returns what a secret leads to. Codes: FEED_NOT_FOUND, STORE_UNAVAILABLE.
func (s *Store) find(ctx context.Context, hash secretHash) (t target, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectTarget, hash[:]).Scan(&t.id, &t.personID, &t.linkID, &t.moduleID, &t.path,
		&t.query)
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
