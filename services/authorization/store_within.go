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
	held, err := scanHoldings(tx.QueryRow(ctx, selectHoldings, userID))
	if err != nil {
		return false, err
	}
	return Evaluate(principal.Human, s.registry.Baseline(permission), permission, held) == Allowed, nil
}

// OutlivesIn reports whether a grant with one of the ends would outlive the issuer's own right to issue
// grants. nil is no end.
func (s *Service) OutlivesIn(
	ctx context.Context, tx pgx.Tx, issuer string, ends []*time.Time,
) (outlives bool, err error) {
	err = tx.QueryRow(ctx, selectOutlives, issuer, ends).Scan(&outlives)
	return outlives, err
}

const selectOutlives = `
SELECT EXISTS (
	SELECT
	FROM (SELECT $1::uuid AS issuer, unnest($2::timestamptz[]) AS ends_at) AS wanted
	WHERE NOT (` + mayIssue + `)
)`

// CoreEndsIn returns the ends of the person's effective grants of restricted permissions of the platform; nil
// is no end.
func (s *Service) CoreEndsIn(ctx context.Context, tx pgx.Tx, userID string) (ends []*time.Time, err error) {
	err = tx.QueryRow(ctx, selectCoreEnds, userID, s.registry.restrictedOfCore()).Scan(&ends)
	return ends, err
}

const selectCoreEnds = `
SELECT ARRAY (
	SELECT expires_at
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
// past, a grant that would outlive the issuer's own right to issue it, and a grant that the person already
// has.
func (s *Service) IssueIn(
	ctx context.Context, tx pgx.Tx, userID, creator, permissionID string, expiresAt *time.Time,
) ([]chain.Entry, error) {
	if s.registry.Baseline(permissionID) == Undeclared {
		return nil, nil
	}
	var past, known, allowed bool
	var id *string
	var createdAt *instant
	err := tx.QueryRow(ctx, insertGrant, userID, permissionID, expiresAt, orNull(creator)).
		Scan(&past, &known, &allowed, &id, &createdAt)
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
