package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/lookup"
)

// pairing is what a screen may know of its request.
type pairing struct {
	State     string // pending, approved, rejected or expired
	Code      string
	ExpiresAt time.Time
}

// application is a screen's request to be paired.
type pairingRequest struct {
	claim       secretHash // for the browser to keep if a pairing is made
	held        secretHash // what it has kept from an earlier one, if holds
	holds       bool
	client      []byte
	moduleID    string
	description string
}

const lockPairings = `
SELECT singleton
FROM core.device_pairing_gate
FOR UPDATE`

const selectStillPending = `
SELECT state, code, expires_at
FROM core.device_pairing
WHERE claim_hash = $1 AND module_id = $2 AND state = 'pending' AND expires_at > clock_timestamp()`

const dropPending = `
DELETE FROM core.device_pairing
WHERE claim_hash = $1 AND state = 'pending'`

// ask returns the pairing that the browser still has pending, or makes one, which drops what else it had
// pending. Whoever makes one waits for the others at the gate, so the bounds are exact; two of this process
// at a time, because everybody may ask and whoever waits at the gate holds a connection.
func (s *Store) ask(
	ctx context.Context,
	a pairingRequest,
	newCode func() string,
) (open pairing, fresh bool, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return pairing{}, false, coded(ctx.Err())
	}
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, lockPairings).Scan(new(bool)); err != nil {
			return err
		}
		if a.holds {
			open, err = one[pairing](ctx, tx, errNoRow, selectStillPending, a.held[:], a.moduleID)
			if !errors.Is(err, errNoRow) {
				return err
			}
			if _, err := tx.Exec(ctx, dropPending, a.held[:]); err != nil {
				return err
			}
		}
		if err := checkCapacity(ctx, tx, a.client); err != nil {
			return err
		}
		open, err = insertPairing(ctx, tx, a, newCode)
		fresh = true
		return err
	})
	return open, fresh, err
}

// statement_timestamp() is taken after the gate was passed and, unlike clock_timestamp(), lets an index
// find the rows.
const countOpen = `
SELECT count(*),
	count(*) FILTER (WHERE client_key = $1),
	coalesce(extract(epoch FROM min(expires_at) FILTER (WHERE client_key = $1) - statement_timestamp()), 0)::float8
FROM core.device_pairing
WHERE state IN ('pending', 'approved') AND expires_at > statement_timestamp()`

// checkRoom refuses one pairing too many. A client with too many of its own may come back when its oldest
// expires.
func checkCapacity(ctx context.Context, tx pgx.Tx, client []byte) error {
	var all, own int
	var seconds float64
	if err := tx.QueryRow(ctx, countOpen, client).Scan(&all, &own, &seconds); err != nil {
		return err
	}
	switch {
	case own >= maxOpenClient:
		return tooManyRequests{time.Duration(seconds * float64(time.Second))}
	case all >= maxOpen:
		return ErrPairingCapacity
	}
	return nil
}

// An expired approval takes its device along, which nobody can claim any more.
const freeCode = `
WITH expired AS (
	DELETE FROM core.device_pairing
	WHERE code = $1 AND expires_at <= clock_timestamp()
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

// insertPairing draws codes until one is free.
func insertPairing(
	ctx context.Context,
	tx pgx.Tx,
	a pairingRequest,
	newCode func() string,
) (pairing, error) {
	for range codeTries {
		code := newCode()
		if _, err := tx.Exec(ctx, freeCode, code); err != nil {
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

const selectPairings = `
SELECT claim_hash, CASE WHEN expires_at > now() THEN state ELSE 'expired' END, code, expires_at
FROM core.device_pairing
WHERE claim_hash = ANY ((SELECT $1::bytea[])::bytea[])`

// pairing waits for nobody who leaves.
func (s *Store) pairing(claim secretHash) (pairing, error) {
	found, err := s.claims.Find(claim)
	if err == nil && found.State == "" {
		err = ErrPairingNotFound
	}
	return found, coded(err)
}

// readPairings answers those of a batch who have one.
func (s *Store) readPairings(ctx context.Context, batch []*lookup.Question[secretHash, pairing]) error {
	hashes := make([][]byte, len(batch))
	for i, asked := range batch {
		hashes[i] = asked.Key[:]
	}
	rows, err := s.pool.Query(ctx, selectPairings, hashes)
	if err != nil {
		return err
	}
	var hash []byte
	var found pairing
	_, err = pgx.ForEachRow(rows, []any{&hash, &found.State, &found.Code, &found.ExpiresAt}, func() error {
		for _, asked := range batch {
			if asked.Key == secretHash(hash) {
				asked.Found = found
			}
		}
		return nil
	})
	return err
}

// One statement: of two claims the second waits for the first's row and then finds no such claim.
const claimDevice = `
WITH claimed AS (
	UPDATE core.device_pairing
	SET state = 'claimed', claim_hash = NULL
	WHERE claim_hash = $1 AND state = 'approved' AND expires_at > clock_timestamp()
	RETURNING device_id
)
UPDATE core.device
SET credential_hash = $2, credential_set_at = clock_timestamp(), claimable_until = NULL
FROM claimed
WHERE id = claimed.device_id
RETURNING module_id, label`

const selectClaimExists = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE claim_hash = $1 AND expires_at > clock_timestamp()
)`

// collect gives the device its credential and uses the claim up.
func (s *Store) collect(
	ctx context.Context,
	claim, credential secretHash,
) (moduleID, label string, err error) {
	if _, err := s.pairing(claim); err != nil { // a claim that nobody has costs no connection of its own
		return "", "", err
	}
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = s.pool.QueryRow(ctx, claimDevice, claim[:], credential[:]).Scan(&moduleID, &label)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, s.pool, selectClaimExists, claim[:], ErrPairingNotApproved)
	}
	return moduleID, label, coded(err)
}

// refusal tells why a pairing could not be moved on: it lives, so it is not in the state for it, else there
// is none.
func refusal(ctx context.Context, q querier, lives string, key any, wrongState Error) error {
	var alive bool
	if err := q.QueryRow(ctx, lives, key).Scan(&alive); err != nil {
		return err
	}
	if alive {
		return wrongState
	}
	return ErrPairingNotFound
}

// request is what an administrator sees of a pending pairing.
type request struct {
	ModuleID    string
	Description string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

const selectRequest = `
SELECT module_id, description, created_at, expires_at
FROM core.device_pairing
WHERE code = $1 AND state = 'pending' AND expires_at > now()`

func (s *Store) request(ctx context.Context, code string) (request, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	found, err := one[request](ctx, s.pool, ErrPairingNotFound, selectRequest, code)
	return found, coded(err)
}

const decidePairing = `
UPDATE core.device_pairing
SET state = $2
WHERE code = $1 AND state = 'pending' AND expires_at > clock_timestamp()
RETURNING module_id`

const selectDecidedExists = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE code = $1 AND state <> 'pending' AND expires_at > clock_timestamp()
)`

// decide moves a pending pairing to a state and keeps its row locked until the transaction ends: the first
// decision is the only one.
func decide(ctx context.Context, q querier, code, state string) (moduleID string, err error) {
	err = q.QueryRow(ctx, decidePairing, code, state).Scan(&moduleID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, q, selectDecidedExists, code, ErrPairingDecided)
	}
	return moduleID, err
}

func (s *Store) reject(ctx context.Context, code string) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	_, err := decide(ctx, s.pool, code, "rejected")
	return coded(err)
}
