package authorization

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Store is authorization's SQL. A request's queries have a deadline of their own and continue when the
// client disconnects, because pgx closes a connection whose query is cancelled. It is safe for concurrent
// use.
type Store struct {
	pool    *pgxpool.Pool
	timeout time.Duration // deadlines.Store, except in tests where many requests wait for one row
}

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool: pool, timeout: deadlines.Store} }

func (s *Store) detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
}

// The database's clock decides what has expired. A grant with a scope or from another source does not count,
// because permissions are checked without a scope.
const selectHoldings = `
SELECT
	EXISTS (SELECT FROM core.platform_owner WHERE person_id = $1)
	AND EXISTS (SELECT FROM core.person WHERE id = $1 AND deactivated_at IS NULL),
	ARRAY (
		SELECT permission_id
		FROM core.permission_grant
		JOIN core.person p ON p.id = person_id
		WHERE person_id = $1
			AND p.deactivated_at IS NULL
			AND revoked_at IS NULL
			AND (expires_at IS NULL OR expires_at > now())
			AND scope IS NULL
			AND source_kind = 'explicit'
	),
	EXISTS (SELECT FROM core.house WHERE second_factor = 'administrators')
	AND EXISTS (SELECT FROM core.person WHERE id = $1 AND NOT has_passkey)`

func (s *Store) holdings(ctx context.Context, userID string) (Holdings, error) {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	return scanHoldings(s.pool.QueryRow(ctx, selectHoldings, userID))
}

func scanHoldings(row pgx.Row) (held Holdings, err error) {
	var granted []string
	if err := row.Scan(&held.Owner, &granted, &held.LacksFactor); err != nil {
		return Holdings{}, err
	}
	held.Granted = setOf(granted)
	return held, nil
}

const grantColumns = `
SELECT id::text AS id, person_id::text AS user_id, permission_id, scope, source_kind, source_reference,
	expires_at, revoked_at, created_at, created_by::text AS created_by
FROM core.permission_grant AS g`

const selectGrant = grantColumns + `
WHERE g.id = $1`

// grant returns one grant, or ErrGrantNotFound.
func (s *Store) grant(ctx context.Context, id string) (grant, error) {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectGrant, id)
	if err != nil {
		return grant{}, store.Unavailable(err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[grant])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return grant{}, ErrGrantNotFound
	case err != nil:
		return grant{}, store.Unavailable(err)
	}
	return found, nil
}

// One statement for each combination of filters, because with OR no index would provide the order. The "g."
// is needed, because without it id would be the output column, which is text.
const (
	selectPage = grantColumns + `
WHERE g.source_kind = 'explicit' AND (g.created_at, g.id) < ($1, $2)`
	pageOrder = `
ORDER BY g.created_at DESC, g.id DESC
LIMIT $3`

	ofPerson     = ` AND g.person_id = $n`
	ofPermission = ` AND g.permission_id = $n`
	// $n is the end of a millisecond, because responses show times in milliseconds: a grant is in force from
	// the millisecond in which it was issued, and no longer in the millisecond in which it ended.
	inForce = `
	AND g.created_at < $n
	AND coalesce(g.revoked_at >= $n, true)
	AND coalesce(g.expires_at >= $n, true)`
)

// statement returns the query's SQL statement and its arguments.
func (q query) statement() (sql string, args []any) {
	sql, args = selectPage, []any{q.below.At, q.below.ID, q.limit + 1}
	add := func(condition string, value any) {
		args = append(args, value)
		sql += strings.ReplaceAll(condition, "$n", "$"+strconv.Itoa(len(args)))
	}
	if q.userID != "" {
		add(ofPerson, q.userID)
	}
	if q.permissionID != "" {
		add(ofPermission, q.permissionID)
	}
	if q.at != nil {
		add(inForce, q.at.Add(time.Millisecond))
	}
	return sql + pageOrder, args
}

// list returns at most one grant more than the query's limit.
func (s *Store) list(ctx context.Context, q query) ([]grant, error) {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	sql, args := q.statement()
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[grant])
	if err != nil {
		return nil, store.Unavailable(err)
	}
	return found, nil
}

// The lock on the person's row decides which issue or revoke comes first. It is NO KEY, because created_by
// and actor_id reference people and need a key lock: with a stronger lock, two people who give each other a
// permission at the same time would deadlock.
const (
	lockPerson = `
SELECT
FROM core.person
WHERE id = $1
FOR NO KEY UPDATE`

	lockPersonOfGrant = `
SELECT
FROM core.person
WHERE id = (
	SELECT person_id
	FROM core.permission_grant
	WHERE id = $1
)
FOR NO KEY UPDATE`
)

// underLock runs lock, then statement, then records the activity entries, all in one transaction. statement
// sees the state after the lock was granted: in READ COMMITTED each statement has its own snapshot and its
// own statement_timestamp().
func (s *Store) underLock(
	ctx context.Context, lock, id, statement string, args, into []any, entries func() []chain.Entry,
) error {
	ctx, cancel := s.detached(ctx)
	defer cancel()
	return store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		work := &pgx.Batch{}
		work.Queue(lock, id)
		work.Queue(statement, args...).QueryRow(func(row pgx.Row) error { return row.Scan(into...) })
		if err := tx.SendBatch(ctx, work).Close(); err != nil {
			return err
		}
		return chain.Record(tx, entries()...)
	})
}

// mayIssue is whether the person issuer may issue a grant that ends at ends_at: it ends no later than the
// issuer's own right to issue grants. The owner and an operator, who is no person, always may.
const mayIssue = `
	issuer IS NULL
	OR EXISTS (
		SELECT
		FROM core.platform_owner
		WHERE person_id = issuer
	)
	OR EXISTS (
		SELECT
		FROM core.permission_grant
		WHERE person_id = issuer
			AND permission_id = '` + manageGrants + `'
			AND scope IS NULL
			AND source_kind = 'explicit'
			AND revoked_at IS NULL
			AND (expires_at IS NULL OR expires_at > statement_timestamp() AND expires_at >= ends_at)
	)`

const insertGrant = `
WITH allowed AS (
	SELECT
	FROM (SELECT $4::uuid AS issuer, $3::timestamptz AS ends_at) AS wanted
	WHERE ` + mayIssue + `
), issued AS (
	INSERT INTO core.permission_grant (person_id, permission_id, source_kind, expires_at, created_at, created_by)
	SELECT id, $2, 'explicit', $3, statement_timestamp(), $4
	FROM core.person
	WHERE id = $1
		AND erased_at IS NULL
		AND EXISTS (SELECT FROM allowed)
		AND ($3::timestamptz IS NULL OR $3 > statement_timestamp())
		AND NOT EXISTS (
			SELECT
			FROM core.permission_grant
			WHERE person_id = $1
				AND permission_id = $2
				AND scope IS NULL
				AND source_kind = 'explicit'
				AND source_reference IS NULL
				AND revoked_at IS NULL
				AND (expires_at IS NULL OR expires_at > statement_timestamp())
		)
	RETURNING id, created_at
), audited AS (
	INSERT INTO core.permission_grant_audit (grant_id, actor_id, action, at)
	SELECT id, $4, 'issued', created_at
	FROM issued
)
SELECT
	coalesce($3 <= statement_timestamp(), false),
	EXISTS (
		SELECT
		FROM core.person
		WHERE id = $1 AND erased_at IS NULL
	),
	EXISTS (SELECT FROM allowed),
	(SELECT id::text FROM issued),
	(SELECT created_at FROM issued)`

// issue writes the grant and its audit row, or nothing: REQUEST_INVALID when expiresAt is not in the
// future, ErrUserNotFound, PERMISSION_DENIED when the grant would outlive the issuer's own right to issue it,
// ErrGrantExists.
func (s *Store) issue(ctx context.Context, wanted issuance) (grant, error) {
	var past, known, allowed bool
	var id *string
	var createdAt *instant
	actor := orNull(wanted.actor)
	err := s.underLock(ctx, lockPerson, wanted.userID, insertGrant,
		[]any{wanted.userID, wanted.permissionID, wanted.expiresAt, actor},
		[]any{&past, &known, &allowed, &id, &createdAt},
		func() []chain.Entry {
			if id == nil {
				return nil
			}
			return []chain.Entry{issuedEntry(wanted, *id)}
		})
	switch {
	case err != nil:
		return grant{}, store.Unavailable(err)
	case past:
		return grant{}, httpapi.ErrRequest
	case !known:
		return grant{}, ErrUserNotFound
	case !allowed:
		return grant{}, httpapi.ErrPermission
	case id == nil:
		return grant{}, ErrGrantExists
	}
	return grant{
		ID:           *id,
		UserID:       wanted.userID,
		PermissionID: wanted.permissionID,
		Source:       Source{Kind: explicitSource},
		ExpiresAt:    (*instant)(wanted.expiresAt),
		CreatedAt:    *createdAt,
		CreatedBy:    actor,
	}, nil
}

const updateRevoked = `
WITH revoked AS (
	UPDATE core.permission_grant AS g
	SET revoked_at = statement_timestamp()
	FROM core.permission_grant AS named
	WHERE named.id = $1
		AND g.person_id = named.person_id
		AND g.permission_id = named.permission_id
		AND g.scope IS NOT DISTINCT FROM named.scope
		AND g.source_kind = named.source_kind
		AND g.source_reference IS NOT DISTINCT FROM named.source_reference
		AND g.revoked_at IS NULL
	RETURNING g.id, g.revoked_at
), audited AS (
	INSERT INTO core.permission_grant_audit (grant_id, actor_id, action, at)
	SELECT id, $2, 'revoked', revoked_at
	FROM revoked
)
SELECT
	coalesce((SELECT person_id::text FROM core.permission_grant WHERE id = $1), ''),
	coalesce((SELECT permission_id FROM core.permission_grant WHERE id = $1), ''),
	ARRAY (
		SELECT id::text
		FROM revoked
		ORDER BY id
	)`

// revoke returns the ids of the grants that it revoked: all unrevoked grants equivalent to the named one,
// each with its audit row. It fails with ErrGrantNotFound.
func (s *Store) revoke(ctx context.Context, id, actor string) (revoked []string, err error) {
	var userID, permissionID string
	err = s.underLock(ctx, lockPersonOfGrant, id, updateRevoked,
		[]any{id, orNull(actor)},
		[]any{&userID, &permissionID, &revoked},
		func() (entries []chain.Entry) {
			for _, id := range revoked {
				entries = append(entries, revokedEntry(chain.Person(actor), userID, permissionID, id))
			}
			return entries
		})
	switch {
	case err != nil:
		return nil, store.Unavailable(err)
	case userID == "":
		return nil, ErrGrantNotFound
	}
	return revoked, nil
}
