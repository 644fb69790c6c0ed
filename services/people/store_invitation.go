package people

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/lookup"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Locks on several rows are taken in one order: invitations, then people, then the head of the activity.

// An expired invitation is stored as open until the next sweep. A queued email exists only in the memory of
// its process. If it was not sent within ten minutes (seven days minus ten minutes of the invitation's life
// are left), it is shown as dropped, because the process has probably ended. If it is sent later after all,
// the result replaces the stored state.
const invitationColumns = `id::text AS id, email, name,
	CASE WHEN state = 'open' AND expires_at <= now() THEN 'expired' ELSE state END AS state,
	grants, created_at, created_by::text AS created_by, expires_at,
	CASE WHEN delivery = 'QUEUED' AND expires_at <= now() + interval '7 days' - interval '10 minutes'
		THEN 'DROPPED' ELSE delivery END AS delivery`

// sentLately are the times of the emails of the last day.
const sentLately = `ARRAY (SELECT at FROM unnest(i.sent_at) AS at WHERE at > now() - interval '1 day')`

const (
	upsertInvitation = `
INSERT INTO core.invitation AS i (email, name, token_hash, grants, created_by, expires_at, delivery, sent_at)
VALUES ($1, $2, $3, $4, $5, now() + $6::interval, $7,
	CASE WHEN $7::text IS NULL THEN '{}' ELSE ARRAY[now()] END)
ON CONFLICT (email) WHERE state IN ('open', 'expired') DO UPDATE
SET state = 'open', name = excluded.name, token_hash = excluded.token_hash, grants = excluded.grants,
	created_by = excluded.created_by, expires_at = excluded.expires_at, delivery = excluded.delivery,
	sent_at = ` + sentLately + ` || excluded.sent_at
RETURNING xmax <> 0, ` + invitationColumns

	shareInviter = `
SELECT
FROM core.person
WHERE id = $1 AND deactivated_at IS NULL
FOR SHARE`

	selectAddressTaken = `
SELECT EXISTS (
	SELECT
	FROM core.person
	WHERE email = $1
), coalesce((SELECT bool_or(ends_at <= now()) FROM unnest($2::timestamptz[]) AS ends_at), false)`
)

// mailsPerDay is how many emails of invitations an address gets within 24 hours: the first and five more.
const mailsPerDay = 6

// All invitations of the address count, so that withdrawing one changes nothing. Its only row that is open is
// locked by then, so simultaneous requests are counted one after the other.
const selectMailsOfDay = `
SELECT count(*), coalesce(extract(epoch FROM min(at) + interval '1 day' - now()), 0)::bigint
FROM core.invitation, unnest(sent_at) AS at
WHERE email = $1 AND at > now() - interval '1 day'`

// limitMails fails with TOO_MANY_REQUESTS when the address has got its emails of the day.
func limitMails(ctx context.Context, tx pgx.Tx, email string) error {
	var sent, seconds int64
	if err := tx.QueryRow(ctx, selectMailsOfDay, email).Scan(&sent, &seconds); err != nil {
		return err
	}
	if sent > mailsPerDay {
		return tooMany{time.Duration(seconds) * time.Second}
	}
	return nil
}

// newInvitation is a well-formed request for an invitation.
type newInvitation struct {
	email    string
	name     *string
	grants   []promisedGrant
	token    tokenHash
	by       chain.Actor
	delivery *string
}

// invite makes an invitation, or replaces the existing one of the address. Codes: PERSON_ALREADY_EXISTS,
// REQUEST_INVALID for a grant whose end is in the past, PERMISSION_DENIED when the inviter has been
// deactivated in the meantime or a grant would outlive their right to give it, TOO_MANY_REQUESTS.
func (s *Store) invite(
	ctx context.Context, grants Grants, n newInvitation,
) (made invitation, replaced bool, err error) {
	var inviter *string
	if n.by.UserID != "" {
		inviter = &n.by.UserID
	}
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		rows, err := tx.Query(ctx, upsertInvitation, n.email, n.name, n.token[:], textOf(n.grants), inviter,
			invitationLifetime, n.delivery)
		if err != nil {
			return err
		}
		made, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (i invitation, err error) {
			err = row.Scan(&replaced, &i.ID, &i.Email, &i.Name, &i.State, &i.Grants, &i.CreatedAt, &i.CreatedBy,
				&i.ExpiresAt, &i.Delivery)
			return i, err
		})
		if err != nil {
			return err
		}
		if err := shareActive(ctx, tx, n.by); err != nil {
			return err
		}
		var taken, past bool
		if err := tx.QueryRow(ctx, selectAddressTaken, n.email, endsOf(n.grants)).Scan(&taken, &past); err != nil {
			return err
		}
		switch {
		case past:
			return httpapi.ErrRequest
		case taken:
			return ErrExists
		}
		if len(n.grants) > 0 {
			if err := mayGiveUntil(ctx, tx, grants, n.by.UserID, endsOf(n.grants)); err != nil {
				return err
			}
		}
		if n.delivery != nil { // an operator hands the link over
			if err := limitMails(ctx, tx, n.email); err != nil {
				return err
			}
		}
		return chain.Record(tx, made.entry(n.by, chain.PersonInvited))
	})
	return made, replaced, err
}

func endsOf(grants []promisedGrant) []*time.Time {
	ends := []*time.Time{}
	for _, g := range grants {
		ends = append(ends, g.ExpiresAt)
	}
	return ends
}

// shareActive fails with PERMISSION_DENIED when the person is deactivated. Otherwise it prevents a
// deactivation until the transaction ends.
func shareActive(ctx context.Context, tx pgx.Tx, who chain.Actor) error {
	if who.UserID == "" {
		return nil
	}
	locked, err := tx.Exec(ctx, shareInviter, who.UserID)
	if err == nil && locked.RowsAffected() == 0 {
		err = httpapi.ErrPermission
	}
	return err
}

func (i invitation) entry(by chain.Actor, action chain.Action) chain.Entry {
	return chain.Entry{
		Actor: by, Action: action, Subject: chain.Subject{Kind: chain.InvitationSubject, ID: i.ID},
	}
}

const renewInvitation = `
UPDATE core.invitation AS i
SET state = 'open', token_hash = $2, expires_at = now() + $3::interval, delivery = 'QUEUED',
	sent_at = ` + sentLately + ` || now()
WHERE id = $1 AND state IN ('open', 'expired') AND email IS NOT NULL
RETURNING ` + invitationColumns

const selectInvitation = `
SELECT ` + invitationColumns + `
FROM core.invitation
WHERE id = $1`

// send gives an open or expired invitation a new token and end. Codes: INVITATION_NOT_FOUND,
// INVITATION_NOT_OPEN, PERMISSION_DENIED, TOO_MANY_REQUESTS.
func (s *Store) send(
	ctx context.Context, by chain.Actor, id string, token tokenHash,
) (sent invitation, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		sent, err = oneInvitation(ctx, tx, renewInvitation, id, token[:], invitationLifetime)
		if errors.Is(err, ErrInvitationNotFound) {
			if _, err = oneInvitation(ctx, tx, selectInvitation, id); err == nil {
				err = ErrInvitationNotOpen
			}
		}
		if err != nil {
			return err
		}
		if err := shareActive(ctx, tx, by); err != nil {
			return err
		}
		if err := limitMails(ctx, tx, *sent.Email); err != nil {
			return err
		}
		return chain.Record(tx, sent.entry(by, chain.InvitationSent))
	})
	return sent, err
}

const (
	lockInvitation = selectInvitation + `
FOR UPDATE`

	withdrawInvitation = `
UPDATE core.invitation
SET state = 'withdrawn', token_hash = NULL, ended_at = now()
WHERE id = $1
RETURNING ` + invitationColumns
)

// withdraw ends an invitation, once. Codes: INVITATION_NOT_FOUND, INVITATION_ALREADY_ACCEPTED.
func (s *Store) withdraw(ctx context.Context, by chain.Actor, id string) (found invitation, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		found, err = oneInvitation(ctx, tx, lockInvitation, id)
		switch {
		case err != nil:
			return err
		case found.State == accepted:
			return ErrInvitationAccepted
		case found.State == withdrawn:
			return nil
		}
		if found, err = oneInvitation(ctx, tx, withdrawInvitation, id); err != nil {
			return err
		}
		return chain.Record(tx, found.entry(by, chain.InvitationWithdrawn))
	})
	return found, err
}

// oneInvitation fails with INVITATION_NOT_FOUND when sql finds none.
func oneInvitation(ctx context.Context, tx pgx.Tx, sql string, args ...any) (invitation, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return invitation{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[invitation])
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrInvitationNotFound
	}
	return found, err
}

const updateDelivery = `
UPDATE core.invitation
SET delivery = $2
WHERE token_hash = $1`

// delivered records the delivery state of the email with this token, unless a newer token has replaced it.
func (s *Store) delivered(ctx context.Context, token tokenHash, outcome string) error {
	ctx, cancel := store.Detached(ctx, deadlines.Store)
	defer cancel()
	_, err := s.pool.Exec(ctx, updateDelivery, token[:], outcome)
	return err
}

// liveInvitation is the invitation of a valid link. It is zero for any other link.
type liveInvitation struct {
	Email string
	Name  *string
}

const selectLive = `
SELECT found.*
FROM unnest((SELECT $1::bytea[])) AS asked (hash)
CROSS JOIN LATERAL (
	SELECT token_hash, email, name
	FROM core.invitation i
	WHERE token_hash = asked.hash
		AND state = 'open'
		AND expires_at > now()
		AND NOT EXISTS (
			SELECT
			FROM core.person p
			WHERE p.email = i.email
		)
	LIMIT 1
) AS found`

// live fails with INVITATION_NOT_FOUND for every token that does not work. It does not stop when the client
// disconnects, because many callers share one query.
func (s *Store) live(token tokenHash) (liveInvitation, error) {
	found, err := s.links.Find(token)
	switch {
	case err != nil:
		return liveInvitation{}, store.Coded(err)
	case found.Email == "":
		return liveInvitation{}, ErrInvitationNotFound
	}
	return found, nil
}

func (s *Store) readLinks(ctx context.Context, batch []*lookup.Question[tokenHash, liveInvitation]) error {
	hashes := make([][]byte, len(batch))
	for i, asked := range batch {
		hashes[i] = asked.Key[:]
	}
	rows, err := s.pool.Query(ctx, selectLive, hashes)
	if err != nil {
		return err
	}
	var hash []byte
	var found liveInvitation
	_, err = pgx.ForEachRow(rows, []any{&hash, &found.Email, &found.Name}, func() error {
		for _, asked := range batch {
			if asked.Key == tokenHash(hash) {
				asked.Found = found
			}
		}
		return nil
	})
	return err
}
