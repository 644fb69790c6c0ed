package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const storeDeadline = 5 * time.Second // of one request's work

// The bounds of contract.md §5.
const (
	pairingLife    = 10 * time.Minute
	maxOpen        = 1_000 // pairings, pending or approved
	maxOpenClient  = 20    // of one client
	codeTries      = 20    // with maxOpen of a million codes in use, all fail once in 10^60
	seenEvery      = time.Minute
	keptAfter      = 24 * time.Hour // how long an expired pairing is kept, at the least, unless its code is needed
	sweepBatchRows = 1_000
)

// Store is the SQL of pairing and devices. Requests' work runs under its own deadline and goes on when the client leaves: pgx closes a
// connection whose query is cut off. Whoever locks a pairing and its device locks the pairing first. Safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// NewStore opens no connection.
func NewStore(pool *pgxpool.Pool) *Store { return &Store{pool} }

func detached(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// inTx runs f in one transaction under a request's deadline. Its error has a code.
func (s *Store) inTx(ctx context.Context, f func(context.Context, pgx.Tx) error) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	return coded(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return f(ctx, tx) }))
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// one returns the one row that sql finds, or absent when it finds none.
func one[T any](ctx context.Context, q querier, absent error, sql string, args ...any) (found T, err error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return found, err
	}
	found, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[T])
	if errors.Is(err, pgx.ErrNoRows) {
		return found, absent
	}
	return found, err
}

// errNoRow stays inside this file.
var errNoRow = errors.New("devices: no such row")

// pairing is what a screen may know of its request.
type pairing struct {
	State     string // pending, approved, rejected or expired
	Code      string
	ExpiresAt time.Time
}

// application is a screen's request to be paired.
type application struct {
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

// ask returns the pairing that the browser still has pending, or makes one, which drops what else it had pending. Whoever makes one
// waits for the others at the gate, so the bounds are exact.
func (s *Store) ask(ctx context.Context, a application, newCode func() string) (open pairing, fresh bool, err error) {
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
		if err := checkRoom(ctx, tx, a.client); err != nil {
			return err
		}
		open, err = insertPairing(ctx, tx, a, newCode)
		fresh = true
		return err
	})
	return open, fresh, err
}

// statement_timestamp() is taken after the gate was passed and, unlike clock_timestamp(), lets an index find the rows.
const countOpen = `
SELECT count(*),
	count(*) FILTER (WHERE client_key = $1),
	coalesce(extract(epoch FROM min(expires_at) FILTER (WHERE client_key = $1) - statement_timestamp()), 0)::float8
FROM core.device_pairing
WHERE state IN ('pending', 'approved') AND expires_at > statement_timestamp()`

// checkRoom refuses one pairing too many. A client with too many of its own may come back when its oldest expires.
func checkRoom(ctx context.Context, tx pgx.Tx, client []byte) error {
	var all, own int
	var seconds float64
	if err := tx.QueryRow(ctx, countOpen, client).Scan(&all, &own, &seconds); err != nil {
		return err
	}
	switch {
	case own >= maxOpenClient:
		return tooMany{time.Duration(seconds * float64(time.Second))}
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
func insertPairing(ctx context.Context, tx pgx.Tx, a application, newCode func() string) (pairing, error) {
	for range codeTries {
		code := newCode()
		if _, err := tx.Exec(ctx, freeCode, code); err != nil {
			return pairing{}, err
		}
		made, err := one[pairing](ctx, tx, errNoRow, insertPending, code, a.claim[:], a.client, a.moduleID, a.description, pairingLife)
		if !errors.Is(err, errNoRow) {
			return made, err
		}
	}
	return pairing{}, ErrPairingCapacity
}

const selectPairing = `
SELECT CASE WHEN expires_at > now() THEN state ELSE 'expired' END AS state, code, expires_at
FROM core.device_pairing
WHERE claim_hash = $1`

func (s *Store) pairing(ctx context.Context, claim secretHash) (pairing, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	found, err := one[pairing](ctx, s.pool, ErrPairingNotFound, selectPairing, claim[:])
	return found, coded(err)
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

const claimLives = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE claim_hash = $1 AND expires_at > clock_timestamp()
)`

// collect gives the device its credential and uses the claim up.
func (s *Store) collect(ctx context.Context, claim, credential secretHash) (moduleID, label string, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = s.pool.QueryRow(ctx, claimDevice, claim[:], credential[:]).Scan(&moduleID, &label)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, s.pool, claimLives, claim[:], ErrPairingNotApproved)
	}
	return moduleID, label, coded(err)
}

// refusal tells why a pairing could not be moved on: it lives, so it is not in the state for it, else there is none.
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

const decidedLives = `
SELECT EXISTS (
	SELECT
	FROM core.device_pairing
	WHERE code = $1 AND state <> 'pending' AND expires_at > clock_timestamp()
)`

// decide moves a pending pairing to a state and keeps its row locked until the transaction ends: the first decision is the only one.
func decide(ctx context.Context, q querier, code, state string) (moduleID string, err error) {
	err = q.QueryRow(ctx, decidePairing, code, state).Scan(&moduleID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = refusal(ctx, q, decidedLives, code, ErrPairingDecided)
	}
	return moduleID, err
}

func (s *Store) reject(ctx context.Context, code string) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	_, err := decide(ctx, s.pool, code, "rejected")
	return coded(err)
}

// device is a paired screen, or one that has been approved and can still be claimed.
type device struct {
	ID           string
	Label        string
	ModuleID     string
	PermissionID string
	CreatedAt    time.Time
	CreatedBy    *string // nil: the person is no more
	LastSeenAt   *time.Time
	RevokedAt    *time.Time
}

// approval is an administrator's decision. permission tells what a module's screens hold, and may refuse.
type approval struct {
	code       string
	label      string
	approver   string // user id
	permission func(moduleID string) (string, error)
}

const insertDevice = `
WITH made AS (
	INSERT INTO core.device (label, module_id, created_by, claimable_until)
	SELECT $2, module_id, $3, expires_at
	FROM core.device_pairing
	WHERE code = $1
	RETURNING id
), given AS (
	INSERT INTO core.device_permission (device_id, permission_id)
	SELECT id, $4
	FROM made
)
UPDATE core.device_pairing
SET device_id = made.id
FROM made
WHERE code = $1
RETURNING made.id::text`

// approve makes the device and gives it its one permission, together with the decision or not at all.
func (s *Store) approve(ctx context.Context, a approval) (made device, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		moduleID, err := decide(ctx, tx, a.code, "approved")
		if err != nil {
			return err
		}
		permission, err := a.permission(moduleID)
		if err != nil {
			return err
		}
		var id string
		if err := tx.QueryRow(ctx, insertDevice, a.code, a.label, a.approver, permission).Scan(&id); err != nil {
			return err
		}
		made, err = one[device](ctx, tx, ErrDeviceNotFound, selectDevice, id)
		return err
	})
	return made, err
}

// A device that was not claimed in time is no more, swept or not.
const (
	deviceColumns = `id::text, label, module_id, created_at, created_by::text, last_seen_at, revoked_at,
	(
		SELECT permission_id
		FROM core.device_permission
		WHERE device_id = id
	)`
	deviceExists = `(claimable_until IS NULL OR claimable_until > clock_timestamp())`
)

const selectDevices = `
SELECT ` + deviceColumns + `
FROM core.device
WHERE ` + deviceExists + `
ORDER BY core.device.created_at DESC, core.device.id`

func (s *Store) devices(ctx context.Context) ([]device, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectDevices)
	if err != nil {
		return nil, coded(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[device])
	return all, coded(err)
}

const selectDevice = `
SELECT ` + deviceColumns + `
FROM core.device
WHERE id = $1 AND ` + deviceExists

const renameDevice = `
UPDATE core.device
SET label = $2
WHERE id = $1 AND ` + deviceExists + `
RETURNING ` + deviceColumns

func (s *Store) rename(ctx context.Context, id, label string) (device, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	renamed, err := one[device](ctx, s.pool, ErrDeviceNotFound, renameDevice, id, label)
	return renamed, coded(err)
}

// A revoked device can no longer be claimed.
const withdrawApproval = `
UPDATE core.device_pairing
SET state = 'rejected'
WHERE device_id = $1 AND state = 'approved'`

const revokeDevice = `
UPDATE core.device
SET revoked_at = coalesce(revoked_at, clock_timestamp()), claimable_until = NULL
WHERE id = $1 AND ` + deviceExists + `
RETURNING ` + deviceColumns

// revoke keeps the device's row, and the time of its first revocation.
func (s *Store) revoke(ctx context.Context, id string) (revoked device, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, withdrawApproval, id); err != nil {
			return err
		}
		revoked, err = one[device](ctx, tx, ErrDeviceNotFound, revokeDevice, id)
		return err
	})
	return revoked, err
}

const selectHolder = `
SELECT id::text
FROM core.device
WHERE credential_hash = $1 AND revoked_at IS NULL`

// holder returns "" when no device in force has this credential. The question itself fails when the store cannot tell.
func (s *Store) holder(ctx context.Context, credential secretHash) (deviceID string, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	err = s.pool.QueryRow(ctx, selectHolder, credential[:]).Scan(&deviceID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return deviceID, err
}

// No row is read, but every column that holder needs is named: a missing table or column and a revoked privilege fail.
const probeHolders = `
SELECT id, credential_hash, revoked_at
FROM core.device
WHERE false`

// check fails when the store could not have told a device if there were one.
func (s *Store) check(ctx context.Context) error {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, probeHolders)
	return err
}

const selectPermissions = `
SELECT permission_id
FROM core.device_permission
JOIN core.device ON id = device_id
WHERE device_id = $1 AND revoked_at IS NULL`

func (s *Store) permissions(ctx context.Context, deviceID string) ([]string, error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectPermissions, deviceID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

const renewCredential = `
UPDATE core.device
SET credential_set_at = clock_timestamp()
WHERE credential_hash = $1 AND revoked_at IS NULL AND credential_set_at < clock_timestamp() - $2::interval`

// renew tells whether the cookie was due to be set again; from then on it is not.
func (s *Store) renew(ctx context.Context, credential secretHash) (due bool, err error) {
	ctx, cancel := detached(ctx, storeDeadline)
	defer cancel()
	done, err := s.pool.Exec(ctx, renewCredential, credential[:], renewAfter)
	return done.RowsAffected() > 0, coded(err)
}

// The rows are locked in order, so that two processes that saw the same devices cannot lock each other out.
const updateSeen = `
WITH due AS (
	SELECT id
	FROM core.device
	WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL AND (last_seen_at IS NULL OR last_seen_at <= clock_timestamp() - $2::interval)
	ORDER BY id
	FOR NO KEY UPDATE
)
UPDATE core.device
SET last_seen_at = clock_timestamp()
FROM due
WHERE device.id = due.id`

// markSeen writes at most once a minute and device. It is no request's work, so it ends with ctx.
func (s *Store) markSeen(ctx context.Context, deviceIDs []string) error {
	ctx, cancel := context.WithTimeout(ctx, storeDeadline)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateSeen, deviceIDs, seenEvery)
	return err
}

// The foreign key then takes the device out of its pairing, whose screen is still told "expired".
const deleteUnclaimed = `
WITH unclaimed AS (
	SELECT device_id
	FROM core.device_pairing
	WHERE state = 'approved' AND device_id IS NOT NULL AND expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)
DELETE FROM core.device
USING unclaimed
WHERE id = unclaimed.device_id`

const deletePairings = `
DELETE FROM core.device_pairing
WHERE code IN (
	SELECT code
	FROM core.device_pairing
	WHERE expires_at <= now() - $2::interval AND (state <> 'approved' OR device_id IS NULL)
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`

// SweepExpired deletes devices that were approved and not claimed in time, and pairings a day after they expired: at most 1,000 rows a
// call, passing over those that somebody else has locked. It returns how many it deleted. Only room is freed: what has expired is treated
// as gone before. It ends with ctx. Any number of processes may call it at the same time.
func (s *Store) SweepExpired(ctx context.Context) (deleted int, err error) {
	done, err := s.pool.Exec(ctx, deleteUnclaimed, sweepBatchRows)
	if err != nil {
		return 0, coded(err)
	}
	deleted = int(done.RowsAffected())
	done, err = s.pool.Exec(ctx, deletePairings, sweepBatchRows-deleted, keptAfter)
	return deleted + int(done.RowsAffected()), coded(err)
}
