package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// ownerDeadline bounds an operator's transaction, including the wait for its lock.
const ownerDeadline = 20 * time.Second

// candidate is the person who is to become the owner. Without a hash, the person must already exist.
type candidate struct {
	address      string
	name         string
	passwordHash string
}

const selectAddressState = `
SELECT EXISTS (SELECT FROM core.platform_owner), coalesce(p.id::text, ''),
	coalesce(p.password_hash IS NOT NULL, false), coalesce(p.deactivated_at IS NOT NULL, false)
FROM (VALUES (true)) AS always
LEFT JOIN core.person p ON p.email = $1`

const selectAddressStateByID = `
SELECT EXISTS (SELECT FROM core.platform_owner), coalesce(p.id::text, ''),
	coalesce(p.password_hash IS NOT NULL, false), coalesce(p.deactivated_at IS NOT NULL, false)
FROM (VALUES (true)) AS always
LEFT JOIN core.person p ON p.id = $1`

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *Store) addressState(ctx context.Context, address string) (addressState, error) {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Store)
	defer cancel()
	now, err := readAddressState(ctx, s.pool, selectAddressState, address)
	return now, ownerError(err)
}

// readAddressState runs selectAddressState or selectAddressStateByID.
func readAddressState(ctx context.Context, q querier, sql, who string) (now addressState, err error) {
	err = q.QueryRow(ctx, sql, who).Scan(&now.owned, &now.userID, &now.credential, &now.deactivated)
	return now, err
}

// Owner commands wait for each other for as long as their context lasts: no request waits for them.
const waitInTurn = `SET LOCAL lock_timeout = 0`

// The lock excludes other owner commands and every insert, but the API can go on reading. It is not an
// advisory lock, because a module's database role could acquire that lock too.
const lockOwner = `LOCK TABLE core.platform_owner IN SHARE ROW EXCLUSIVE MODE`

// grantOwnership writes the person and its ownership together, or neither.
func (s *Store) grantOwnership(ctx context.Context, c candidate) (outcome Outcome, err error) {
	err = s.lockingOwner(ctx, func(ctx context.Context, tx *store.Tx) error {
		outcome, err = settleOwnership(ctx, tx, c)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return outcome, nil
}

// The row stays locked until the transaction ends, so that nobody removes the password of the person who is
// about to become the owner.
const lockCandidate = `
SELECT password_hash IS NOT NULL, deactivated_at IS NOT NULL
FROM core.person
WHERE id = $1
FOR SHARE`

// existing finds a person who can become the owner, and locks the row.
func existing(ctx context.Context, tx pgx.Tx, sql, who string) (addressState, error) {
	now, err := readAddressState(ctx, tx, sql, who)
	if err != nil {
		return addressState{}, err
	}
	if now.userID == "" {
		return now, nil
	}
	err = tx.QueryRow(ctx, lockCandidate, now.userID).Scan(&now.credential, &now.deactivated)
	if errors.Is(err, pgx.ErrNoRows) {
		now.userID, err = "", nil
	}
	return now, err
}

// bootstrap writes the ownership of the person whom sql finds.
func (s *Store) bootstrap(ctx context.Context, sql, who string) (userID string, err error) {
	err = s.lockingOwner(ctx, func(ctx context.Context, tx *store.Tx) error {
		now, err := existing(ctx, tx, sql, who)
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
		if _, err := tx.Exec(ctx, insertOwner, userID); err != nil {
			return err
		}
		return chain.Record(tx, ownerGranted(userID))
	})
	if err != nil {
		return "", err
	}
	return userID, nil
}

// The table is locked, so the owner who is read is the one who is replaced.
const updateOwner = `
WITH former AS (
	SELECT person_id
	FROM core.platform_owner
	WHERE person_id <> $1
)
UPDATE core.platform_owner
SET person_id = $1, granted_at = now()
FROM former
RETURNING former.person_id::text`

func ownerGranted(userID string) chain.Entry {
	return chain.Entry{
		Actor:   chain.Operator(),
		Action:  chain.OwnerGranted,
		Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
	}
}

// transfer moves the ownership to the person whom sql finds.
func (s *Store) transfer(ctx context.Context, sql, who string) (userID string, moved bool, err error) {
	err = s.lockingOwner(ctx, func(ctx context.Context, tx *store.Tx) error {
		moved = false
		now, err := existing(ctx, tx, sql, who)
		switch {
		case err != nil:
			return err
		case !now.owned:
			return ErrOwnerMissing
		case now.userID == "":
			return ErrNotFound
		case now.deactivated:
			return ErrDeactivated
		case !now.credential:
			return ErrWithoutCredential
		}
		userID = now.userID
		var former string
		err = tx.QueryRow(ctx, updateOwner, userID).Scan(&former)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		moved = true
		return chain.Record(tx, chain.Entry{
			Actor:   chain.Operator(),
			Action:  chain.OwnerTransferred,
			Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
			Details: map[string]any{"formerUserId": former},
		})
	})
	if err != nil {
		return "", false, err
	}
	return userID, moved, nil
}

// lockingOwner runs f in a transaction that excludes every other owner command.
func (s *Store) lockingOwner(ctx context.Context, f func(context.Context, *store.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, ownerDeadline)
	defer cancel()
	return ownerError(store.InTx(ctx, s.pool, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, waitInTurn); err != nil {
			return err
		}
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
WHERE id = $1 AND password_hash IS NOT NULL AND deactivated_at IS NULL`

const insertOwner = `
INSERT INTO core.platform_owner (person_id)
VALUES ($1)`

func settleOwnership(ctx context.Context, tx *store.Tx, c candidate) (Outcome, error) {
	now, err := readAddressState(ctx, tx, selectAddressState, c.address)
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
			err = errAddressStateChanged
		}
		if err != nil {
			return Outcome{}, err
		}
	case c.passwordHash == "":
		return Outcome{}, errAddressStateChanged
	default:
		if err := tx.QueryRow(
			ctx, insertPerson, c.address, c.name, c.passwordHash,
		).Scan(&outcome.UserID); err != nil {
			return Outcome{}, err
		}
	}
	if _, err := tx.Exec(ctx, insertOwner, outcome.UserID); err != nil {
		return Outcome{}, err
	}
	return outcome, chain.Record(tx, ownerGranted(outcome.UserID))
}

// Owned reports whether somebody owns the platform.
func (s *Store) Owned(ctx context.Context) (owned bool, err error) {
	err = s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM core.platform_owner)`).Scan(&owned)
	return owned, err
}

// ownerError adds the code to a database error.
func ownerError(err error) error {
	if coded := Error(""); err == nil || errors.As(err, &coded) || errors.Is(err, errAddressStateChanged) {
		return err
	}
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		switch refused.ConstraintName {
		case "platform_owner_pkey":
			return fmt.Errorf("%w: %w", ErrOwnerExists, err)
		case "person_email_unique":
			return fmt.Errorf("%w: %w", errAddressStateChanged, err)
		}
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}

const insertOwnerSession = `
INSERT INTO core.session (token_hash, person_id, persistent, expires_at)
SELECT $1, person_id, false, now() + $2::interval
FROM core.platform_owner`

// beginOwnerSession reports whether there is an owner.
func (s *Store) beginOwnerSession(ctx context.Context, hash tokenHash) (bool, error) {
	done, err := s.pool.Exec(ctx, insertOwnerSession, hash[:], briefLifetime)
	return err == nil && done.RowsAffected() == 1, err
}
