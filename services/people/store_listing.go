package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// One statement for each filter, so that each has an index that provides the order. Expired invitations are
// stored as open only until the next sweep, a few minutes later. So the filter discards few rows.
const (
	invitationPage = `
SELECT ` + invitationColumns + `
FROM core.invitation i
WHERE (i.created_at, i.id) < ($1, $2)`
	invitationOrder = `
ORDER BY i.created_at DESC, i.id DESC
LIMIT $3`

	selectInvitations        = invitationPage + invitationOrder
	selectInvitationsOfState = invitationPage + ` AND i.state = $4` + invitationOrder
	selectInvitationsOpen    = invitationPage + ` AND i.state = $4 AND i.expires_at > now()` + invitationOrder
	selectInvitationsExpired = `
SELECT *
FROM (
	(` + invitationPage + ` AND i.state = $4` + invitationOrder + `)
	UNION ALL
	(` + invitationPage + ` AND i.state = 'open' AND i.expires_at <= now()` + invitationOrder + `)
) AS i
ORDER BY created_at DESC, id DESC
LIMIT $3`
)

// invitationQuery selects the invitations after a position in the listing.
type invitationQuery struct {
	state string // empty: all
	below store.Place
	limit int
}

// invitations returns at most one more than the limit.
func (s *Store) invitations(ctx context.Context, q invitationQuery) ([]invitation, error) {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	sql, args := selectInvitations, []any{q.below.At, q.below.ID, q.limit + 1}
	if q.state != "" {
		args = append(args, q.state)
		switch sql = selectInvitationsOfState; q.state {
		case open:
			sql = selectInvitationsOpen
		case expired:
			sql = selectInvitationsExpired
		}
	}
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, store.Coded(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[invitation])
	return found, store.Coded(err)
}

const (
	sweepBatch      = 1_000
	rememberAddress = 30 * 24 * time.Hour // after an invitation has ended

	expireInvitations = `
UPDATE core.invitation
SET state = 'expired', token_hash = NULL
WHERE id IN (
	SELECT id
	FROM core.invitation
	WHERE state = 'open' AND expires_at <= now()
	ORDER BY expires_at
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`

	forgetAddresses = `
UPDATE core.invitation
SET email = NULL, name = NULL
WHERE id IN (
	SELECT id
	FROM core.invitation
	WHERE state <> 'open' AND email IS NOT NULL AND coalesce(ended_at, expires_at) <= now() - $2::interval
	ORDER BY coalesce(ended_at, expires_at)
	LIMIT $1
	FOR UPDATE SKIP LOCKED
)`
)

// SweepInvitations marks up to 1,000 expired invitations, and deletes address and name of up to 1,000 that
// ended a month ago. It returns how many it changed. Several processes may sweep at the same time.
func (s *Store) SweepInvitations(ctx context.Context) (changed int, err error) {
	marked, err := s.pool.Exec(ctx, expireInvitations, sweepBatch)
	if err != nil {
		return 0, err
	}
	forgotten, err := s.pool.Exec(ctx, forgetAddresses, sweepBatch, rememberAddress)
	return int(marked.RowsAffected() + forgotten.RowsAffected()), err
}
