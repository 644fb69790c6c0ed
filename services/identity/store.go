package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	storeDeadline  = 5 * time.Second  // of one request's work
	extendDeadline = time.Second      // an answer must not wait long for what it can do without
	ownerDeadline  = 20 * time.Second // of an operator's transaction, the wait for its lock included
)

// Store is identity's SQL. Requests' work runs under its own deadline and goes on when the client leaves: pgx closes a connection
// whose query is cut off. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

// errNoPerson: no row has this address.
var errNoPerson = errors.New("identity: no such person")

// person is what a password check needs. The zero person matches no password.
type person struct {
	ID            string
	PasswordHash  string
	EmailVerified bool
}

const selectCredential = `
SELECT id::text, coalesce(password_hash, '') AS password_hash, email_verified
FROM core.person
WHERE email = $1`

func (s *Store) credential(ctx context.Context, address string) (person, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectCredential, address)
	if err != nil {
		return person{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[person])
	if errors.Is(err, pgx.ErrNoRows) {
		return person{}, errNoPerson
	}
	return found, err
}

// The row lock makes sign-in and a change of the password exclude each other: whichever comes second sees the first, so no session
// is ever begun with a password that has just been replaced. The person's own dead sessions go along.
const insertSession = `
WITH dead AS (
	DELETE FROM core.session
	WHERE token_hash IN (
		SELECT token_hash
		FROM core.session
		WHERE person_id = $2 AND expires_at <= now()
		FOR UPDATE SKIP LOCKED
	)
)
INSERT INTO core.session (token_hash, person_id, persistent, expires_at)
SELECT $1, id, $4, now() + $5::interval
FROM core.person
WHERE id = $2 AND password_hash = $3 AND email_verified
FOR SHARE`

// begin fails with errCredentials when the password was changed since it was checked.
func (s *Store) begin(ctx context.Context, hash tokenHash, p person, persistent bool) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	life := briefLife
	if persistent {
		life = persistentLife
	}
	done, err := s.pool.Exec(ctx, insertSession, hash[:], p.ID, p.PasswordHash, persistent, life)
	if err == nil && done.RowsAffected() == 0 {
		return errCredentials
	}
	return err
}

const selectSession = `
SELECT person_id::text,
	persistent AND extended_at <= now() - $2::interval AND expires_at < created_at + $3::interval
FROM core.session
WHERE token_hash = $1 AND expires_at > now()`

// session returns the zero session when there is none, after checkSessions.
func (s *Store) session(ctx context.Context, hash tokenHash) (session, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	var found session
	err := s.pool.QueryRow(ctx, selectSession, hash[:], extendAfter, absoluteLife).Scan(&found.userID, &found.extensionDue)
	if errors.Is(err, pgx.ErrNoRows) {
		return session{}, s.probeSessions(ctx)
	}
	return found, err
}

// No row is read, but every column that a session's life needs is named: a missing table or column and a revoked privilege fail.
const probeSessions = `
SELECT token_hash, person_id, persistent, created_at, extended_at, expires_at
FROM core.session
WHERE false`

// checkSessions fails when the store could not have told a session if there were one.
func (s *Store) checkSessions(ctx context.Context) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	return s.probeSessions(ctx)
}

func (s *Store) probeSessions(ctx context.Context) error {
	_, err := s.pool.Exec(ctx, probeSessions)
	return err
}

const updateSession = `
UPDATE core.session
SET extended_at = now(), expires_at = least(now() + $2::interval, created_at + $3::interval)
WHERE token_hash = $1 AND persistent AND extended_at <= now() - $4::interval AND expires_at > now()
RETURNING floor(extract(epoch FROM expires_at - now()))::bigint`

// extend returns the life that the session has from now, 0 when there was nothing left to do.
func (s *Store) extend(ctx context.Context, hash tokenHash) (time.Duration, error) {
	ctx, cancel := detached(ctx, extendDeadline)
	defer cancel()
	var seconds int64
	err := s.pool.QueryRow(ctx, updateSession, hash[:], persistentLife, absoluteLife, extendAfter).Scan(&seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return time.Duration(seconds) * time.Second, err
}

const deleteSession = `
DELETE FROM core.session
WHERE token_hash = $1`

// end is done when no such session is left, also when there was none.
func (s *Store) end(ctx context.Context, hash tokenHash) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, deleteSession, hash[:])
	return err
}

func detached(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// candidate is who is to become the owner. Without a hash it can only be adopted.
type candidate struct {
	address      string
	name         string
	passwordHash string
}

const selectStanding = `
SELECT EXISTS (SELECT FROM core.platform_owner), coalesce(p.id::text, ''), coalesce(p.password_hash IS NOT NULL, false)
FROM (VALUES (true)) AS always
LEFT JOIN core.person p ON p.email = $1`

const selectStandingByID = `
SELECT EXISTS (SELECT FROM core.platform_owner), coalesce(p.id::text, ''), coalesce(p.password_hash IS NOT NULL, false)
FROM (VALUES (true)) AS always
LEFT JOIN core.person p ON p.id = $1`

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *Store) standing(ctx context.Context, address string) (standing, error) {
	ctx, cancel := context.WithTimeout(ctx, storeDeadline)
	defer cancel()
	now, err := readStanding(ctx, s.pool, selectStanding, address)
	return now, ownerError(err)
}

// readStanding runs selectStanding or selectStandingByID.
func readStanding(ctx context.Context, q querier, sql, who string) (now standing, err error) {
	err = q.QueryRow(ctx, sql, who).Scan(&now.owned, &now.userID, &now.credential)
	return now, err
}

// Excludes itself and every insert, but lets the API go on reading. No advisory lock: modules' roles could take that one.
const lockOwner = `LOCK TABLE core.platform_owner IN SHARE ROW EXCLUSIVE MODE`

// grantOwnership writes the person and its ownership together, or neither.
func (s *Store) grantOwnership(ctx context.Context, c candidate) (outcome Outcome, err error) {
	err = s.lockingOwner(ctx, func(ctx context.Context, tx pgx.Tx) error {
		outcome, err = settleOwnership(ctx, tx, c)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return outcome, nil
}

// bootstrap writes the ownership of the person whom sql finds.
func (s *Store) bootstrap(ctx context.Context, sql, who string) (userID string, err error) {
	err = s.lockingOwner(ctx, func(ctx context.Context, tx pgx.Tx) error {
		now, err := readStanding(ctx, tx, sql, who)
		if err != nil {
			return err
		}
		if err := now.refusal(); err != nil {
			return err
		}
		if now.userID == "" {
			return ErrNotFound
		}
		userID = now.userID
		_, err = tx.Exec(ctx, insertOwner, userID)
		return err
	})
	if err != nil {
		return "", err
	}
	return userID, nil
}

// lockingOwner runs f in a transaction that excludes every other owner command.
func (s *Store) lockingOwner(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, ownerDeadline)
	defer cancel()
	return ownerError(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockOwner); err != nil {
			return err
		}
		return f(ctx, tx)
	}))
}

const insertPerson = `
INSERT INTO core.person (email, name, email_verified, password_hash)
VALUES ($1, $2, true, $3)
RETURNING id::text`

const adoptPerson = `
UPDATE core.person
SET email_verified = true, updated_at = CASE WHEN email_verified THEN updated_at ELSE now() END
WHERE id = $1 AND password_hash IS NOT NULL`

const insertOwner = `
INSERT INTO core.platform_owner (person_id)
VALUES ($1)`

func settleOwnership(ctx context.Context, tx pgx.Tx, c candidate) (Outcome, error) {
	now, err := readStanding(ctx, tx, selectStanding, c.address)
	if err != nil {
		return Outcome{}, err
	}
	if err := now.refusal(); err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{UserID: now.userID, Adopted: now.userID != ""}
	switch {
	case outcome.Adopted:
		done, err := tx.Exec(ctx, adoptPerson, now.userID)
		if err == nil && done.RowsAffected() == 0 {
			err = errStandingChanged
		}
		if err != nil {
			return Outcome{}, err
		}
	case c.passwordHash == "":
		return Outcome{}, errStandingChanged
	default:
		if err := tx.QueryRow(ctx, insertPerson, c.address, c.name, c.passwordHash).Scan(&outcome.UserID); err != nil {
			return Outcome{}, err
		}
	}
	_, err = tx.Exec(ctx, insertOwner, outcome.UserID)
	return outcome, err
}

// ownerError gives what the database said its code.
func ownerError(err error) error {
	if coded := Error(""); err == nil || errors.As(err, &coded) || errors.Is(err, errStandingChanged) {
		return err
	}
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		switch refused.ConstraintName {
		case "platform_owner_pkey":
			return fmt.Errorf("%w: %w", ErrOwnerExists, err)
		case "person_email_unique":
			return fmt.Errorf("%w: %w", errStandingChanged, err)
		}
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}
