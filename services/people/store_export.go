package people

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/store"
)

// maxExported limits the activity entries in an export, to some megabytes.
const maxExported = 10_000

// selectExport selects everything that Core stores about a person. Other people appear only as ids, and no
// hash of a secret is included. at(x) and list(x) are replaced below. Of the activity it includes only the
// latest entries, and whether there are more: an administrator can have more entries than should be held in
// memory. Each of the two searches has an index that provides the order.
var selectExport = strings.NewReplacer(
	"at(", `to_char(timezone('UTC', `, ")at", `), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
	"list(", `coalesce(json_agg(json_build_object(`,
	"MOST", strconv.Itoa(maxExported), "ENOUGH", strconv.Itoa(maxExported+1),
).Replace(`
WITH recorded AS (
	SELECT number, at, entry
	FROM (
		(
			SELECT number, at, entry, -number AS age
			FROM core.activity
			WHERE actor_id = $1::uuid::text
			ORDER BY age
			LIMIT ENOUGH
		)
		UNION ALL
		(
			SELECT number, at, entry, -number AS age
			FROM core.activity
			WHERE subject_id = $1::uuid::text AND actor_id IS DISTINCT FROM $1::uuid::text
			ORDER BY age
			LIMIT ENOUGH
		)
	) AS found
	ORDER BY age
	LIMIT ENOUGH
)
SELECT json_build_object(
	'account', json_build_object(
		'userId', p.id, 'email', p.email, 'name', p.name, 'emailVerified', p.email_verified,
		'owner', EXISTS (SELECT FROM core.platform_owner o WHERE o.person_id = p.id),
		'createdAt', at(p.created_at)at, 'updatedAt', at(p.updated_at)at, 'deactivatedAt', at(p.deactivated_at)at),
	'grants', (
		SELECT list('permissionId', permission_id, 'createdAt', at(created_at)at, 'createdBy', created_by,
			'expiresAt', at(expires_at)at, 'revokedAt', at(revoked_at)at) ORDER BY created_at, id), '[]')
		FROM core.permission_grant
		WHERE person_id = p.id),
	'sessions', (
		SELECT list('createdAt', at(created_at)at, 'extendedAt', at(extended_at)at, 'expiresAt', at(expires_at)at,
			'lastSeenAt', at(last_seen_at)at, 'description', description, 'persistent', persistent)
			ORDER BY created_at), '[]')
		FROM core.session
		WHERE person_id = p.id),
	'passkeys', (
		SELECT list('label', label, 'createdAt', at(created_at)at, 'lastUsedAt', at(last_used_at)at)
			ORDER BY created_at), '[]')
		FROM core.passkey
		WHERE person_id = p.id),
	'recoveryCodesLeft', (
		SELECT count(*)
		FROM core.recovery_code
		WHERE person_id = p.id),
	'invitationsReceived', (
		SELECT list('id', id, 'name', name, 'state', state, 'createdAt', at(created_at)at, 'createdBy', created_by)
			ORDER BY created_at, id), '[]')
		FROM core.invitation
		WHERE email = p.email),
	'invitationsSent', (
		SELECT list('id', id, 'state', state, 'createdAt', at(created_at)at) ORDER BY created_at, id), '[]')
		FROM core.invitation
		WHERE created_by = p.id),
	'screensApproved', (
		SELECT list('id', id, 'label', label, 'moduleId', module_id, 'createdAt', at(created_at)at) ORDER BY
			created_at, id), '[]')
		FROM core.device
		WHERE created_by = p.id),
	'feeds', (
		SELECT list('id', id, 'moduleId', module_id, 'path', path, 'query', query, 'label', label,
			'createdAt', at(created_at)at, 'lastUsedAt', at(last_used_at)at, 'revokedAt', at(revoked_at)at)
			ORDER BY created_at, id), '[]')
		FROM core.feed
		WHERE person_id = p.id),
	'activity', (
		SELECT list('id', number, 'at', at(a.at)at, 'entry', entry::json) ORDER BY number), '[]')
		FROM (
			SELECT *
			FROM recorded
			ORDER BY number DESC
			LIMIT MOST
		) AS a),
	'activityComplete', (SELECT count(*) <= MOST FROM recorded)
)::text, erased_at IS NOT NULL, now()
FROM core.person p
WHERE id = $1
FOR SHARE`)

// export returns the data that Core stores about a person, and records who requested it. Codes:
// USER_NOT_FOUND, PERSON_ERASED, STORE_UNAVAILABLE.
func (s *Store) export(
	ctx context.Context, by chain.Actor, userID string,
) (core jsontext.Value, at time.Time, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var text string
		var erased bool
		err := tx.QueryRow(ctx, selectExport, userID).Scan(&text, &erased, &at)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrUserNotFound
		case err != nil:
			return err
		case erased:
			return ErrErased
		}
		core = jsontext.Value(text)
		return chain.Record(tx, decision{by: by, userID: userID}.entry(chain.PersonExported))
	})
	return core, at, err
}
