package links

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
	keepEnded      = 30 * 24 * time.Hour // how long a link is kept that no longer works
	sweepBatchRows = 1_000
	usedEvery      = time.Minute // how exact the last use is
)

// Store is the SQL of links. Its statements have a deadline of their own and continue when the client
// disconnects. The database's clock decides what has ended. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

type link struct {
	id, module, permission, subject string
	person                          string // whose it is; "": nobody's who has an account
	secret, cookie                  secretHash
	ends                            *time.Time // nil: no end
}

const works = `revoked_at IS NULL AND (ends_at IS NULL OR ends_at > clock_timestamp())`

// opens is works, and that nobody is deactivated whose link it is.
const opens = works + ` AND NOT EXISTS (
		SELECT FROM core.person p WHERE p.id = link.person_id AND p.deactivated_at IS NOT NULL)`

// Of two statements at once, each may see room for the last link. The limit only bounds the table, so that
// does no harm.
const insertLink = `
INSERT INTO core.link (id, module_id, permission_id, subject, secret_hash, cookie_hash, ends_at, person_id)
SELECT $1::uuid, $2::text, $3, $4, $5, $6, $7, (SELECT id FROM core.person WHERE id = nullif($9, '')::uuid)
WHERE (SELECT count(*) FROM core.link WHERE module_id = $2 AND ` + works + `) < $8`

func (s *Store) insert(ctx context.Context, by string, l link) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		done, err := tx.Exec(ctx, insertLink, l.id, l.module, l.permission, l.subject, l.secret[:], l.cookie[:],
			l.ends, MaxLive, l.person)
		if err == nil && done.RowsAffected() == 0 {
			err = ErrCapacity
		}
		if err != nil || by == "" {
			return err
		}
		return chain.Record(tx, entry(by, chain.LinkMade, l.module, l.id))
	}))
}

func entry(by string, action chain.Action, moduleID, linkID string) chain.Entry {
	return chain.Entry{Actor: chain.Person(by), Action: action,
		Subject: chain.Subject{Kind: chain.LinkSubject, ID: linkID},
		Details: map[string]any{"moduleId": moduleID}}
}

const revokeLinks = `
UPDATE core.link
SET revoked_at = clock_timestamp()
WHERE module_id = $1 AND subject = $2 AND revoked_at IS NULL
RETURNING id::text`

func (s *Store) revoke(ctx context.Context, by, moduleID, subject string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	return store.Coded(store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.Query(ctx, revokeLinks, moduleID, subject)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || by == "" || len(ids) == 0 {
			return err
		}
		entries := make([]chain.Entry, len(ids))
		for at, id := range ids {
			entries[at] = entry(by, chain.LinkRevoked, moduleID, id)
		}
		return chain.Record(tx, entries...)
	}))
}

const assignLinks = `
UPDATE core.link
SET person_id = (SELECT id FROM core.person WHERE id = nullif($3, '')::uuid)
WHERE module_id = $1 AND subject = $2 AND revoked_at IS NULL`

func (s *Store) assign(ctx context.Context, person, moduleID, subject string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, assignLinks, moduleID, subject, person)
	return store.Coded(err)
}

// The last use is written at most once a minute, by the statement that finds the link.
const openLink = `
WITH found AS (
	SELECT id, last_used_at
	FROM core.link
	WHERE secret_hash = $1 AND module_id = $2 AND ` + opens + `
), used AS (
	UPDATE core.link
	SET last_used_at = clock_timestamp()
	FROM found
	WHERE link.id = found.id
		AND (found.last_used_at IS NULL OR found.last_used_at <= clock_timestamp() - $3::interval)
)
SELECT id::text
FROM found`

// open returns the id of the module's link with this secret, and records its use.
func (s *Store) open(ctx context.Context, moduleID string, secret secretHash) (id string, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, openLink, secret[:], moduleID, usedEvery).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", ErrNotFound
	}
	return id, store.Coded(err)
}

const selectHolder = `
SELECT id::text, subject
FROM core.link
WHERE cookie_hash = $1 AND ` + opens

// holder returns the link with this cookie, or nobody.
func (s *Store) holder(ctx context.Context, cookie secretHash) (who principal.Principal, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	found := principal.Principal{Kind: principal.Link}
	err = s.pool.QueryRow(ctx, selectHolder, cookie[:]).Scan(&found.LinkID, &found.Subject)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return principal.Principal{}, nil
	case err != nil:
		return principal.Principal{}, store.Coded(err)
	}
	return found, nil
}

const selectPermission = `
SELECT permission_id
FROM core.link
WHERE id = $1 AND ` + opens

// permission returns "" for a link that does not work.
func (s *Store) permission(ctx context.Context, linkID string) (permission string, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectPermission, linkID).Scan(&permission)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return permission, store.Coded(err)
}

const deleteEnded = `
DELETE FROM core.link
WHERE id = ANY (ARRAY(
	SELECT id
	FROM core.link
	WHERE least(ends_at, revoked_at) <= now() - $2::interval
	LIMIT $1
	FOR UPDATE SKIP LOCKED
))`

// SweepEnded deletes links 30 days after they were revoked or have ended: at most 1,000 a call, skipping
// locked rows. It returns how many it deleted. Any number of processes may call it at the same time.
func (s *Store) SweepEnded(ctx context.Context) (deleted int, err error) {
	done, err := s.pool.Exec(ctx, deleteEnded, sweepBatchRows, keepEnded)
	return int(done.RowsAffected()), store.Coded(err)
}
