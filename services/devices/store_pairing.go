package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// pairing is the part of a pairing that its screen may see.
type pairing struct {
	State     string // pending, approved, rejected or expired
	Code      string
	ExpiresAt time.Time
}

// claimed is the result of looking up a claim: the pairing and the approved device.
type claimed struct {
	pairing
	deviceID string // "": none
}

// pairingRequest is a screen's request to be paired.
type pairingRequest struct {
	claim       secretHash // the new claim, set as a cookie when a pairing is made
	held        secretHash // the claim of an earlier pairing; only if holds
	holds       bool
	client      []byte
	moduleID    string
	description string
}

const lockPairings = `
SELECT singleton
FROM core.device_pairing_gate
FOR UPDATE`

const findStillPending = `
UPDATE core.device_pairing
SET polled_at = clock_timestamp()
WHERE claim_hash = $1 AND module_id = $2 AND state = 'pending' AND expires_at > clock_timestamp()
RETURNING state, code, expires_at`

const dropPending = `
DELETE FROM core.device_pairing
WHERE claim_hash = $1 AND state = 'pending'`

// ask returns the browser's pending pairing, or makes a new one and deletes its other pending ones. Each
// caller that makes a pairing first locks the same row, so that the limits are exact. A waiting caller
// occupies a connection, so this process makes at most two pairings at a time.
func (s *Store) ask(
	ctx context.Context,
	a pairingRequest,
	newCode func() string,
) (open pairing, fresh bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return pairing{}, false, store.Coded(ctx.Err())
	}
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		fresh = false
		if err := tx.QueryRow(ctx, lockPairings).Scan(new(bool)); err != nil {
			return err
		}
		if a.holds {
			open, err = one[pairing](ctx, tx, errNoRow, findStillPending, a.held[:], a.moduleID)
			if !errors.Is(err, errNoRow) {
				return err
			}
			if _, err := tx.Exec(ctx, dropPending, a.held[:]); err != nil {
				return err
			}
		}
		if err := makeRoom(ctx, tx, a.client); err != nil {
			return err
		}
		open, err = insertPairing(ctx, tx, a, newCode)
		fresh = true
		return err
	})
	return open, fresh, err
}

// statement_timestamp() is taken after the lock was granted and, unlike clock_timestamp(), lets an index
// find the rows.
const countOpen = `
SELECT count(*),
	count(*) FILTER (WHERE client_key = $1),
	coalesce(
		extract(epoch FROM min(expires_at) FILTER (WHERE client_key = $1) - statement_timestamp()), 0
	)::float8
FROM core.device_pairing
WHERE state IN ('pending', 'approved') AND expires_at > statement_timestamp()`

// makeRoom refuses a pairing when there are too many whose browsers still poll. One that is not polled any
// more is deleted instead. A client with too many of its own may try again when its oldest one expires.
func makeRoom(ctx context.Context, tx pgx.Tx, client []byte) error {
	var all, own int
	var seconds float64
	if err := tx.QueryRow(ctx, countOpen, client).Scan(&all, &own, &seconds); err != nil {
		return err
	}
	if own >= maxOpenClient {
		if dropped, err := dropLeft(ctx, tx, client); err != nil || !dropped {
			return errors.Join(err, tooManyRequests{time.Duration(seconds * float64(time.Second))})
		}
		all--
	}
	if all >= maxOpen {
		if dropped, err := dropLeft(ctx, tx, nil); err != nil || !dropped {
			return errors.Join(err, ErrPairingCapacity)
		}
	}
	return nil
}

// isLeft is true for a pairing whose browser is gone.
const isLeft = `(state IN ('pending', 'approved') AND polled_at <= statement_timestamp() - $2::interval)`

// The device of an approval that is deleted is deleted too. A pairing that is being decided at this moment is
// locked, and stays.
const deleteLeft = `
WITH gone AS (
	DELETE FROM core.device_pairing
	WHERE code = (
		SELECT code
		FROM core.device_pairing
		WHERE expires_at > statement_timestamp() AND ` + isLeft + ` AND ($1::bytea IS NULL OR client_key = $1)
		ORDER BY state = 'approved', polled_at
		LIMIT 1
		FOR UPDATE SKIP LOCKED
	)
	RETURNING device_id
), unclaimed AS (
	DELETE FROM core.device
	USING gone
	WHERE id = gone.device_id
)
SELECT count(*) > 0
FROM gone`

// dropLeft deletes the pairing that has not been polled for the longest time, of the client or of all. It
// returns false if all are polled.
func dropLeft(ctx context.Context, tx pgx.Tx, client []byte) (dropped bool, err error) {
	err = tx.QueryRow(ctx, deleteLeft, client, pollWithin).Scan(&dropped)
	return dropped, err
}

// heldByClaim is true for a pairing whose device was claimed and not used yet. The claim may be repeated
// until then, so the row is kept as long as the device.
const heldByClaim = `(state = 'claimed' AND claim_hash IS NOT NULL AND device_id IS NOT NULL)`

// The device of an expired approval is deleted too, because nobody can claim it any more.
const freeCode = `
WITH expired AS (
	DELETE FROM core.device_pairing
	WHERE code = $1 AND (expires_at <= clock_timestamp() AND NOT ` + heldByClaim + ` OR ` + isLeft + `)
	RETURNING state, device_id
)
DELETE FROM core.device
USING expired
WHERE id = expired.device_id AND expired.state = 'approved'`

const insertPending = `
INSERT INTO core.device_pairing (code, claim_hash, client_key, module_id, description, created_at, expires_at)
SELECT $1, $2, $3, $4, $5, asked_at, asked_at + $6::interval
FROM clock_timestamp() AS asked_at
ON CONFLICT (code) DO NOTHING
RETURNING state, code, expires_at`

// insertPairing tries random codes until one is free.
func insertPairing(
	ctx context.Context,
	tx pgx.Tx,
	a pairingRequest,
	newCode func() string,
) (pairing, error) {
	for range codeTries {
		code := newCode()
		if _, err := tx.Exec(ctx, freeCode, code, pollWithin); err != nil {
			return pairing{}, err
		}
		made, err := one[pairing](
			ctx,
			tx,
			errNoRow,
			insertPending,
			code,
			a.claim[:],
			a.client,
			a.moduleID,
			a.description,
			pairingLifetime,
		)
		if !errors.Is(err, errNoRow) {
			return made, err
		}
	}
	return pairing{}, ErrPairingCapacity
}

// Until the credential is used, a claimed pairing is still reported to its screen as "approved", because the
// response to the claim may have been lost.
//
// A poll is recorded at most once in 15 s, and not while the row is locked: a decision about the pairing must
// not delay its screen and those that are looked up with it.
const selectPairings = `
WITH polled AS (
	UPDATE core.device_pairing
	SET polled_at = now()
	FROM (
		SELECT one.code
		FROM unnest((SELECT $1::bytea[])) AS asked (hash)
		CROSS JOIN LATERAL (
			SELECT code
			FROM core.device_pairing
			WHERE claim_hash = asked.hash AND state IN ('pending', 'approved')
				AND polled_at < now() - interval '15 seconds'
			LIMIT 1
			FOR NO KEY UPDATE SKIP LOCKED
		) AS one
	) AS due
	WHERE device_pairing.code = due.code
)
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT claim_hash,
		CASE
			WHEN state = 'claimed' AND claimable_until > now() THEN 'approved'
			WHEN state <> 'claimed' AND expires_at > now() THEN state
			ELSE 'expired'
		END,
		code, expires_at, coalesce(device_id::text, '')
	FROM core.device_pairing
	LEFT JOIN core.device ON id = device_id
	WHERE claim_hash = asked.hash
	LIMIT 1
) AS found`

// pairing looks up a claim's pairing. It does not stop when the client disconnects.
func (s *Store) pairing(claim secretHash) (claimed, error) {
	found, err := s.claims.Find(claim)
	if err == nil && found.State == "" {
		err = ErrPairingNotFound
	}
	return found, store.Coded(err)
}

// readPairings fills in the results of those questions whose claim has a pairing.
func (s *Store) readPairings(ctx context.Context, batch []*lookup.Question[secretHash, claimed]) error {
	hashes := make([][]byte, len(batch))
	for i, asked := range batch {
		hashes[i] = asked.Key[:]
	}
	rows, err := s.pool.Query(ctx, selectPairings, hashes)
	if err != nil {
		return err
	}
	var hash []byte
	var found claimed
	into := []any{&hash, &found.State, &found.Code, &found.ExpiresAt, &found.deviceID}
	_, err = pgx.ForEachRow(rows, into, func() error {
		for _, asked := range batch {
			if asked.Key == secretHash(hash) {
				asked.Found = found
			}
		}
		return nil
	})
	return err
}

// The first claim decides until when the credential has to be used; a repeated one changes nothing, because
// it makes the same credential. Once the credential was used, the row has no claim_hash and matches no claim.
const claimDevice = `
WITH claimed AS (
	UPDATE core.device_pairing
	SET state = 'claimed'
	WHERE claim_hash = $1 AND device_id = $2
		AND (state = 'claimed' OR state = 'approved' AND expires_at > clock_timestamp())
	RETURNING device_id
)
UPDATE core.device
SET credential_hash = $3, credential_set_at = coalesce(credential_set_at, clock_timestamp()),
	claimable_until = CASE
		WHEN credential_hash IS NULL THEN clock_timestamp() + $4::interval
		ELSE claimable_until
	END
FROM claimed
WHERE id = claimed.device_id AND claimable_until > clock_timestamp()
RETURNING module_id, label`

const selectClaimExists = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE claim_hash = $1 AND state <> 'claimed' AND expires_at > clock_timestamp()
)`

// collected is the result of a claim.
type collected struct {
	credential string // the cookie's value
	moduleID   string
	label      string
}

// collect gives the device its credential, which derive makes from the device's id.
func (s *Store) collect(
	ctx context.Context,
	claim secretHash,
	derive func(deviceID string) (value string, hash secretHash),
) (got collected, err error) {
	found, err := s.pairing(claim) // shared, so that an unknown claim costs no connection of its own
	switch {
	case err != nil:
		return collected{}, err
	case found.deviceID == "" && found.State == "expired":
		return collected{}, ErrPairingNotFound
	case found.deviceID == "":
		return collected{}, ErrPairingNotApproved
	}
	value, credential := derive(found.deviceID)
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	got.credential = value
	err = s.pool.QueryRow(ctx, claimDevice, claim[:], found.deviceID, credential[:], claimUse).
		Scan(&got.moduleID, &got.label)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, s.pool, selectClaimExists, claim[:], ErrPairingNotApproved)
	}
	return got, store.Coded(err)
}

// refusal returns the error for a pairing that could not change its state: wrongState if it exists, or
// ErrPairingNotFound.
func refusal(ctx context.Context, q querier, lives string, key any, wrongState error) error {
	var alive bool
	if err := q.QueryRow(ctx, lives, key).Scan(&alive); err != nil {
		return err
	}
	if alive {
		return wrongState
	}
	return ErrPairingNotFound
}
