package authorization

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/principal"
)

const shareActive = `
SELECT
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL
FOR SHARE`

// MayIn decides like Allowed, inside a transaction. The decision stays true until the transaction ends,
// because MayIn locks the person's row, which a revocation and a deactivation must lock first.
func (s *Service) MayIn(ctx context.Context, tx pgx.Tx, userID, permission string) (bool, error) {
	locked, err := tx.Exec(ctx, shareActive, userID)
	if err != nil || locked.RowsAffected() == 0 {
		return false, err
	}
	var held Holdings
	var granted []string
	if err := tx.QueryRow(ctx, selectHoldings, userID).Scan(&held.Owner, &granted); err != nil {
		return false, err
	}
	held.Granted = setOf(granted)
	return Evaluate(principal.Human, s.registry.Baseline(permission), permission, held), nil
}

// HoldsCoreIn reports whether the person has an effective grant of a restricted permission of the platform.
func (s *Service) HoldsCoreIn(ctx context.Context, tx pgx.Tx, userID string) (bool, error) {
	var held bool
	err := tx.QueryRow(ctx, selectHoldsAny, userID, s.registry.restrictedOfCore()).Scan(&held)
	return held, err
}

const selectHoldsAny = `
SELECT EXISTS (
	SELECT
	FROM core.permission_grant
	WHERE person_id = $1
		AND permission_id = ANY ($2::text[])
		AND revoked_at IS NULL
		AND (expires_at IS NULL OR expires_at > now())
		AND scope IS NULL
		AND source_kind = 'explicit'
)`

// IssueIn issues one grant to a person whose row the transaction has locked or inserted; creator is recorded
// as the issuer. It returns the entry to record. It does nothing for an undeclared permission, an end in the
// past, and a grant that the person already has.
func (s *Service) IssueIn(
	ctx context.Context, tx pgx.Tx, userID, creator, permissionID string, expiresAt *time.Time,
) ([]chain.Entry, error) {
	if s.registry.Baseline(permissionID) == Undeclared {
		return nil, nil
	}
	var past, known bool
	var id *string
	var createdAt *instant
	err := tx.QueryRow(ctx, insertGrant, userID, permissionID, expiresAt, orNull(creator)).
		Scan(&past, &known, &id, &createdAt)
	if err != nil || id == nil {
		return nil, err
	}
	wanted := issuance{userID: userID, permissionID: permissionID, actor: creator}
	return []chain.Entry{issuedEntry(wanted, *id)}, nil
}

const revokeAllOf = `
WITH revoked AS (
	UPDATE core.permission_grant
	SET revoked_at = statement_timestamp()
	WHERE person_id = $1 AND revoked_at IS NULL
	RETURNING id, permission_id, revoked_at
), audited AS (
	INSERT INTO core.permission_grant_audit (grant_id, actor_id, action, at)
	SELECT id, $2, 'revoked', revoked_at
	FROM revoked
)
SELECT id::text, permission_id
FROM revoked
ORDER BY id`

// RevokeAllIn revokes all grants of a person whose row the transaction has locked. It returns the entries to
// record.
func (s *Service) RevokeAllIn(
	ctx context.Context, tx pgx.Tx, userID string, by chain.Actor,
) (entries []chain.Entry, err error) {
	rows, err := tx.Query(ctx, revokeAllOf, userID, orNull(by.UserID))
	if err != nil {
		return nil, err
	}
	var id, permissionID string
	_, err = pgx.ForEachRow(rows, []any{&id, &permissionID}, func() error {
		entries = append(entries, revokedEntry(by, userID, permissionID, id))
		return nil
	})
	return entries, err
}
