package identity

import (
	"bytes"
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
	checkDeadline  = 2 * time.Second // of a check that reads no row
	extendDeadline = time.Second     // of optional work that delays a response
)

// Store is identity's SQL. A request's queries have a deadline of their own and continue when the client
// disconnects, because pgx closes a connection whose query is cancelled. Look-ups that need no secret share
// queries (services/lookup), so that a locked table keeps only a few of the pool's connections busy. It is
// safe for concurrent use.
type Store struct {
	pool          *pgxpool.Pool
	credentials   *lookup.Group[string, person] // by address
	live          *lookup.Group[tokenHash, session]
	check         *lookup.Check // of core.session
	resets        *lookup.Group[tokenHash, linkState]
	verifications *lookup.Group[tokenHash, linkState]
}

// NewStore makes a Store. It opens no connection.
func NewStore(pool *pgxpool.Pool) *Store {
	s := &Store{pool: pool}
	s.credentials = lookup.New(
		lookup.Limits{Queries: 2, Batch: 128, Timeout: deadlines.Store},
		s.readCredentials,
	)
	s.live = lookup.New(sessionLimits(deadlines.Store), s.readSessions)
	s.check = lookup.NewCheck(checkDeadline, s.probeSessions)
	links := lookup.Limits{Queries: 1, Batch: 128, Timeout: deadlines.Store}
	s.resets = lookup.New(links, s.linkReader(selectResets))
	s.verifications = lookup.New(links, s.linkReader(selectVerifications))
	return s
}

// One query runs at a time, so that more look-ups share the next one. Somebody who is alone notices no
// difference.
func sessionLimits(patience time.Duration) lookup.Limits {
	return lookup.Limits{Queries: 1, Batch: 128, Timeout: patience}
}

var (
	errNoPerson = errors.New("identity: no such person") // no row has this address
	errNoLink   = errors.New("identity: no such link is due")
)

// person is the data for a password check. The zero person matches no password.
type person struct {
	ID            string
	PasswordHash  string
	EmailVerified bool
	HasPasskey    bool
}

const selectCredentials = `
SELECT found.*
FROM unnest((SELECT $1::text[])) AS asked (email)
CROSS JOIN LATERAL (
	SELECT email, id::text, coalesce(password_hash, ''), email_verified, has_passkey
	FROM core.person
	WHERE email = asked.email AND deactivated_at IS NULL
	LIMIT 1
) AS found`

// credential returns errNoPerson when nobody has the address.
func (s *Store) credential(address string) (person, error) {
	found, err := s.credentials.Find(address)
	if err == nil && found.ID == "" {
		err = errNoPerson
	}
	return found, err
}

// readCredentials fills in the results of those questions whose address has an account.
func (s *Store) readCredentials(ctx context.Context, batch []*lookup.Question[string, person]) error {
	addresses := make([]string, len(batch))
	for i, asked := range batch {
		addresses[i] = asked.Key
	}
	rows, err := s.pool.Query(ctx, selectCredentials, addresses)
	if err != nil {
		return err
	}
	var address string
	var found person
	into := []any{&address, &found.ID, &found.PasswordHash, &found.EmailVerified, &found.HasPasskey}
	_, err = pgx.ForEachRow(rows, into, func() error {
		for _, asked := range batch {
			if asked.Key == address {
				asked.Found = found
			}
		}
		return nil
	})
	return err
}

// The row lock makes sign-in and a change of the password exclude each other: the later one sees what the
// earlier one wrote. So no session begins with a password that has just been replaced, nor without the second
// factor that a person has just added. The statement also deletes the person's expired sessions.
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
INSERT INTO core.session (token_hash, person_id, persistent, expires_at, description)
SELECT $1, id, $4, now() + $5::interval, $6
FROM core.person
WHERE id = $2 AND password_hash = $3 AND email_verified AND deactivated_at IS NULL AND NOT has_passkey
FOR SHARE`

// errHashChanged: the person's stored hash is no longer the one that was checked, or whether they have a
// passkey.
var errHashChanged = errors.New("identity: the password's hash has changed")

// newSession is a session that begins.
type newSession struct {
	hash        tokenHash
	persistent  bool
	description string // of the browser
}

// begin returns errHashChanged when the password or its hash was replaced after it was checked.
func (s *Store) begin(ctx context.Context, p person, n newSession) error {
	return s.insertFor(ctx, insertSession, p, n, lifetimeOf(n.persistent))
}

func lifetimeOf(persistent bool) time.Duration {
	if persistent {
		return persistentLifetime
	}
	return briefLifetime
}

const updateHash = `
UPDATE core.person
SET password_hash = $3
WHERE id = $1 AND password_hash = $2`

// renewHash replaces the hash that was checked by a stronger hash of the same password, unless it has
// changed since.
func (s *Store) renewHash(ctx context.Context, p person, renewed string) error {
	ctx, cancel := store.Detached(ctx, extendDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateHash, p.ID, p.PasswordHash, renewed)
	return err
}

// A session of a deactivated person does not count, although deactivation deletes them all.
const holderIsActive = `EXISTS (
	SELECT
	FROM core.person
	WHERE id = person_id AND deactivated_at IS NULL
)`

// The array comes from a sub-select so that the planner cannot count its elements. Where it can count them,
// it makes a new plan for each query instead of keeping one, which takes a quarter of the query's time. It
// assumes ten, and would read a table of 600 rows as a whole for "= ANY". The LIMIT makes it plan the look-up
// of one element, which is by the index, and the look-ups of all of them as a loop.
const selectSessions = `
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT token_hash, person_id::text,
		persistent AND extended_at <= now() - $2::interval AND expires_at < created_at + $3::interval,
		last_seen_at <= now() - $4::interval
	FROM core.session
	WHERE token_hash = asked.hash AND expires_at > now() AND ` + holderIsActive + `
	LIMIT 1
) AS found`

// A single look-up needs no array, which would cost it a tenth of its time.
const selectSession = `
SELECT person_id::text,
	persistent AND extended_at <= now() - $2::interval AND expires_at < created_at + $3::interval,
	last_seen_at <= now() - $4::interval
FROM core.session
WHERE token_hash = $1 AND expires_at > now() AND ` + holderIsActive

// readSessions fills in the results of those questions of a batch that have a valid session. A batch may
// contain the same hash more than once.
func (s *Store) readSessions(ctx context.Context, batch []*lookup.Question[tokenHash, session]) error {
	if len(batch) == 1 {
		return s.readOneSession(ctx, batch[0])
	}
	hashes := make([][]byte, len(batch))
	for i, asked := range batch {
		hashes[i] = asked.Key[:]
	}
	rows, err := s.pool.Query(ctx, selectSessions, hashes, extendAfter, absoluteLifetime, seenAfter)
	if err != nil {
		return err
	}
	var hash []byte
	var found session
	into := []any{&hash, &found.userID, &found.extensionDue, &found.seenDue}
	_, err = pgx.ForEachRow(rows, into, func() error {
		for _, asked := range batch {
			if bytes.Equal(asked.Key[:], hash) {
				asked.Found = found
			}
		}
		return nil
	})
	return err
}

func (s *Store) readOneSession(ctx context.Context, asked *lookup.Question[tokenHash, session]) error {
	row := s.pool.QueryRow(ctx, selectSession, asked.Key[:], extendAfter, absoluteLifetime, seenAfter)
	err := row.Scan(&asked.Found.userID, &asked.Found.extensionDue, &asked.Found.seenDue)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}

// session returns the zero session when the store was able to check and there is none.
func (s *Store) session(hash tokenHash) (session, error) {
	found, err := s.live.Find(hash)
	if err != nil || found.userID != "" {
		return found, err
	}
	return session{}, s.check.Pass()
}

// The query reads no row but names every column that sessions need, so that a missing table, a missing
// column and a revoked privilege fail.
const probeSessions = `
SELECT s.token_hash, s.person_id, s.persistent, s.created_at, s.extended_at, s.expires_at, s.last_seen_at,
	p.deactivated_at
FROM core.session s
JOIN core.person p ON p.id = s.person_id
WHERE false`

// checkSessions fails when the store could not find a session if there were one.
func (s *Store) checkSessions() error { return s.check.Pass() }

func (s *Store) probeSessions(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, probeSessions) // which, unlike Exec, is planned once
	if err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

const updateSession = `
UPDATE core.session
SET extended_at = now(), expires_at = least(now() + $2::interval, created_at + $3::interval)
WHERE token_hash = $1 AND persistent AND extended_at <= now() - $4::interval AND expires_at > now()
	AND ` + holderIsActive + `
RETURNING floor(extract(epoch FROM expires_at - now()))::bigint`

// extend returns the session's new remaining lifetime, or 0 when it was extended already.
func (s *Store) extend(ctx context.Context, hash tokenHash) (time.Duration, error) {
	ctx, cancel := store.Detached(ctx, extendDeadline)
	defer cancel()
	var seconds int64
	err := s.pool.QueryRow(ctx, updateSession, hash[:], persistentLifetime, absoluteLifetime, extendAfter).
		Scan(&seconds)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return time.Duration(seconds) * time.Second, err
}

const selectRemaining = `
SELECT floor(extract(epoch FROM expires_at - now()))::bigint, NOT persistent
FROM core.session
WHERE token_hash = $1 AND expires_at > now() AND ` + holderIsActive

// remaining returns the session's remaining lifetime, and whether its cookie lasts until the browser is
// closed.
func (s *Store) remaining(
	ctx context.Context,
	hash tokenHash,
) (left time.Duration, untilClosed bool, err error) {
	ctx, cancel := store.Detached(ctx, extendDeadline)
	defer cancel()
	var seconds int64
	err = s.pool.QueryRow(ctx, selectRemaining, hash[:]).Scan(&seconds, &untilClosed)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return time.Duration(seconds) * time.Second, untilClosed, err
}

const deleteSession = `
DELETE FROM core.session
WHERE token_hash = $1`

// end deletes the session. It succeeds also when there was none.
func (s *Store) end(ctx context.Context, hash tokenHash) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, deleteSession, hash[:])
	return err
}

// endAll deletes every session of a person.
func (s *Store) endAll(ctx context.Context, personID string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, deleteSessions, personID)
	return err
}
