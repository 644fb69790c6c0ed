package devices

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// device is a paired screen, or an approved one that can still be claimed.
type device struct {
	ID           string
	Label        string
	ModuleID     string
	PermissionID string
	CreatedAt    time.Time
	CreatedBy    *string // nil: the person was deleted
	LastSeenAt   *time.Time
	RevokedAt    *time.Time
}

// approval is an administrator's decision. permission returns the permission of the module's screens, or an
// error if the module has no display.
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

// approve creates the device with its one permission and records the decision, all or nothing.
func (s *Store) approve(ctx context.Context, a approval) (made device, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
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
		if made, err = one[device](ctx, tx, ErrDeviceNotFound, selectDevice, id); err != nil {
			return err
		}
		return chain.Record(tx, made.entry(chain.Person(a.approver), chain.ScreenPaired))
	})
	return made, err
}

func (d device) entry(by chain.Actor, action chain.Action) chain.Entry {
	return chain.Entry{
		Actor:   by,
		Action:  action,
		Subject: chain.Subject{Kind: chain.ScreenSubject, ID: d.ID},
		Details: map[string]any{"moduleId": d.ModuleID},
	}
}

// A device that was not claimed in time, or whose credential was not used in time, does not exist, whether or
// not it has been deleted yet.
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
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectDevices)
	if err != nil {
		return nil, store.Coded(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[device])
	return all, store.Coded(err)
}

const countDevices = `
SELECT module_id, count(*)
FROM core.device
WHERE module_id = ANY ($1) AND revoked_at IS NULL AND ` + deviceExists + `
GROUP BY module_id`

// countPaired returns how many unrevoked devices each of the modules has.
func (s *Store) countPaired(ctx context.Context, moduleIDs []string) (map[string]int, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, countDevices, moduleIDs)
	if err != nil {
		return nil, store.Coded(err)
	}
	counts := make(map[string]int, len(moduleIDs))
	var moduleID string
	var count int
	_, err = pgx.ForEachRow(rows, []any{&moduleID, &count}, func() error {
		counts[moduleID] = count
		return nil
	})
	return counts, store.Coded(err)
}

const selectDevice = `
SELECT ` + deviceColumns + `
FROM core.device
WHERE id = $1 AND ` + deviceExists

const lockDevice = selectDevice + `
FOR NO KEY UPDATE OF device`

const renameDevice = `
UPDATE core.device
SET label = $2
WHERE id = $1 AND ` + deviceExists + `
RETURNING ` + deviceColumns

// rename records a change of the label and nothing else.
func (s *Store) rename(ctx context.Context, by chain.Actor, id, label string) (renamed device, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		before, err := one[device](ctx, tx, ErrDeviceNotFound, lockDevice, id)
		if err != nil {
			return err
		}
		if renamed = before; before.Label == label {
			return nil
		}
		renamed, err = one[device](ctx, tx, ErrDeviceNotFound, renameDevice, id, label)
		if err != nil {
			return err
		}
		return chain.Record(tx, renamed.entry(by, chain.ScreenRenamed))
	})
	return renamed, err
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

// revoke keeps the device's row and the time of its first revocation.
func (s *Store) revoke(ctx context.Context, by chain.Actor, id string) (revoked device, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, withdrawApproval, id); err != nil {
			return err
		}
		before, err := one[device](ctx, tx, ErrDeviceNotFound, lockDevice, id)
		if err != nil {
			return err
		}
		revoked, err = one[device](ctx, tx, ErrDeviceNotFound, revokeDevice, id)
		if err != nil || before.RevokedAt != nil {
			return err
		}
		return chain.Record(tx, revoked.entry(by, chain.ScreenRevoked))
	})
	return revoked, err
}

// services/identity/store.go explains the form of both queries. unused is true for a credential that no
// request has used yet.
const selectHolders = `
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT credential_hash, id::text, claimable_until IS NOT NULL AS unused
	FROM core.device
	WHERE credential_hash = asked.hash AND revoked_at IS NULL AND ` + deviceExists + `
	LIMIT 1
) AS found`

const selectHolder = `
SELECT id::text, claimable_until IS NOT NULL AS unused
FROM core.device
WHERE credential_hash = $1 AND revoked_at IS NULL AND ` + deviceExists

// The first use of a credential makes the device permanent and ends its claim, in one statement. The subquery
// makes the pairing's row the first one that is locked. Several simultaneous first uses all find the device.
const useCredential = `
WITH ended AS (
	UPDATE core.device_pairing
	SET claim_hash = NULL
	WHERE device_id = $1 AND claim_hash IS NOT NULL
	RETURNING code
)
UPDATE core.device
SET claimable_until = NULL
WHERE (SELECT count(*) FROM ended) >= 0 AND id = $1 AND revoked_at IS NULL AND ` + deviceExists

// holder returns the unrevoked device with this credential, or "". It records the first use of the
// credential. It fails when the store cannot check. It does not stop when the client disconnects.
func (s *Store) holder(credential secretHash) (deviceID string, err error) {
	return s.holders.Find(credential)
}

// readHolders fills in the results of those questions whose device is not revoked.
func (s *Store) readHolders(ctx context.Context, batch []*lookup.Question[secretHash, string]) error {
	unused, err := s.findHolders(ctx, batch)
	for _, id := range unused { // one by one, so that two processes cannot deadlock
		if err != nil {
			return err
		}
		err = s.use(ctx, batch, id)
	}
	return err
}

// findHolders fills in the results, and returns the ids of the devices whose credential was not used before.
func (s *Store) findHolders(
	ctx context.Context,
	batch []*lookup.Question[secretHash, string],
) (unused []string, err error) {
	var id string
	var first bool
	if len(batch) == 1 {
		err := s.pool.QueryRow(ctx, selectHolder, batch[0].Key[:]).Scan(&id, &first)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, nil
		}
		batch[0].Found = id
		if first {
			unused = append(unused, id)
		}
		return unused, err
	}
	hashes := make([][]byte, len(batch))
	for i, asked := range batch {
		hashes[i] = asked.Key[:]
	}
	rows, err := s.pool.Query(ctx, selectHolders, hashes)
	if err != nil {
		return nil, err
	}
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&hash, &id, &first}, func() error {
		for _, asked := range batch {
			if asked.Key == secretHash(hash) {
				asked.Found = id
			}
		}
		if first {
			unused = append(unused, id)
		}
		return nil
	})
	return unused, err
}

// use records the first use of a device's credential. If the device was revoked or has expired since it was
// found, use clears its results.
func (s *Store) use(
	ctx context.Context,
	batch []*lookup.Question[secretHash, string],
	deviceID string,
) error {
	done, err := s.pool.Exec(ctx, useCredential, deviceID)
	if err != nil || done.RowsAffected() > 0 {
		return err
	}
	for _, asked := range batch {
		if asked.Found == deviceID {
			asked.Found = ""
		}
	}
	return nil
}

// The query reads no row but names every column that holder needs, so that a missing table, a missing
// column and a revoked privilege fail.
const probeHolders = `
SELECT id, credential_hash, revoked_at, claimable_until
FROM core.device
WHERE false`

// check fails when the store could not find a device if there were one.
func (s *Store) check() error { return s.checks.Pass() }

func (s *Store) probe(ctx context.Context) error {
	rows, err := s.pool.Query(ctx, probeHolders) // which, unlike Exec, is planned once
	if err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

const selectPermissions = `
SELECT permission_id
FROM core.device_permission
JOIN core.device ON id = device_id
WHERE device_id = $1 AND revoked_at IS NULL`

func (s *Store) permissions(ctx context.Context, deviceID string) ([]string, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	rows, err := s.pool.Query(ctx, selectPermissions, deviceID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// label returns "" for a device that is revoked or unknown.
func (s *Store) label(ctx context.Context, deviceID string) (label string, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	err = s.pool.QueryRow(ctx, `SELECT label FROM core.device WHERE id = $1 AND revoked_at IS NULL`,
		deviceID).Scan(&label)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return label, store.Coded(err)
}

const renewCredential = `
UPDATE core.device
SET credential_set_at = clock_timestamp()
WHERE credential_hash = $1 AND revoked_at IS NULL AND credential_set_at < clock_timestamp() - $2::interval`

// renew reports whether the cookie is due to be set again, and records that it was.
func (s *Store) renew(ctx context.Context, credential secretHash) (due bool, err error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	done, err := s.pool.Exec(ctx, renewCredential, credential[:], renewAfter)
	return done.RowsAffected() > 0, store.Coded(err)
}

// The rows are locked in order, so that two processes that saw the same devices cannot deadlock.
const updateSeen = `
WITH due AS (
	SELECT id
	FROM core.device
	WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL
		AND (last_seen_at IS NULL OR last_seen_at <= clock_timestamp() - $2::interval)
	ORDER BY id
	FOR NO KEY UPDATE
)
UPDATE core.device
SET last_seen_at = clock_timestamp()
FROM due
WHERE device.id = due.id`

// markSeen writes each device at most once a minute. It belongs to no request, so it stops when ctx ends.
func (s *Store) markSeen(ctx context.Context, deviceIDs []string) error {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateSeen, deviceIDs, seenEvery)
	return err
}
