package people

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

// decision is a request to deactivate, reactivate or erase a person.
type decision struct {
	by chain.Actor
	// mayGrant: the caller may give permissions, or is an operator. Other callers cannot decide about a person
	// who holds a permission of the platform.
	mayGrant bool
	userID   string
}

const (
	// Invitations are locked before the person, in the same order as accepting one does.
	lockOpenInvitations = `
SELECT
FROM core.invitation
WHERE created_by = $1 AND state = 'open'
ORDER BY id
FOR UPDATE`

	lockMember = `
SELECT deactivated_at IS NOT NULL, erased_at IS NOT NULL
FROM core.person
WHERE id = $1
FOR NO KEY UPDATE`

	selectIsOwner = `
SELECT EXISTS (
	SELECT
	FROM core.platform_owner
	WHERE person_id = $1
)`

	deactivatePerson = `
UPDATE core.person
SET deactivated_at = now(), updated_at = now()
WHERE id = $1`

	reactivatePerson = `
UPDATE core.person
SET deactivated_at = NULL, updated_at = now()
WHERE id = $1`

	withdrawAllOf = `
UPDATE core.invitation
SET state = 'withdrawn', token_hash = NULL, ended_at = now()
WHERE created_by = $1 AND state = 'open'
RETURNING id::text`

	selectMember = peopleColumns + `
FROM core.person p
WHERE id = $1`
)

// member is the state of a person whose row is locked.
type member struct{ deactivated, erased bool }

// locks are the statements that lock what a decision changes: the invitations, then the person.
type locks struct{ invitations, person string }

var locksOfMember = locks{lockOpenInvitations, lockMember}

// lock locks the person's row and checks that the caller may decide about this person. Codes: USER_NOT_FOUND,
// PERSON_PROTECTED, PERMISSION_DENIED.
func (d decision) lock(ctx context.Context, tx pgx.Tx, grants Grants, l locks) (m member, err error) {
	if _, err := tx.Exec(ctx, l.invitations, d.userID); err != nil {
		return m, err
	}
	err = tx.QueryRow(ctx, l.person, d.userID).Scan(&m.deactivated, &m.erased)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, ErrUserNotFound
	}
	var owner bool
	if err == nil {
		err = tx.QueryRow(ctx, selectIsOwner, d.userID).Scan(&owner)
	}
	switch {
	case err != nil:
		return m, err
	case owner, d.by.UserID == d.userID:
		return m, ErrProtected
	case d.mayGrant:
		return m, nil
	}
	ends, err := grants.CoreEndsIn(ctx, tx, d.userID)
	if err == nil && len(ends) > 0 {
		err = httpapi.ErrPermission
	}
	return m, err
}

func (d decision) entry(action chain.Action) chain.Entry {
	return chain.Entry{
		Actor: d.by, Action: action, Subject: chain.Subject{Kind: chain.PersonSubject, ID: d.userID},
	}
}

// deactivate ends the person's sessions, links, and the invitations that they sent. Their grants stay. It
// returns the changed person.
func (s *Store) deactivate(
	ctx context.Context, accounts Accounts, grants Grants, d decision,
) (now foundPerson, err error) {
	return s.decide(ctx, d, func(ctx context.Context, tx pgx.Tx) ([]chain.Entry, error) {
		m, err := d.lock(ctx, tx, grants, locksOfMember)
		if err != nil || m.deactivated {
			return nil, err
		}
		if _, err := tx.Exec(ctx, deactivatePerson, d.userID); err != nil {
			return nil, err
		}
		if err := accounts.EndIn(ctx, tx, d.userID); err != nil {
			return nil, err
		}
		withdrawn, err := d.withdraw(ctx, tx, withdrawAllOf)
		return append([]chain.Entry{d.entry(chain.PersonDeactivated)}, withdrawn...), err
	})
}

// withdraw runs a statement that withdraws invitations. The statement's argument is the person's id. It
// returns the entries to record.
func (d decision) withdraw(ctx context.Context, tx pgx.Tx, sql string) (entries []chain.Entry, err error) {
	rows, err := tx.Query(ctx, sql, d.userID)
	if err != nil {
		return nil, err
	}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		entries = append(entries, invitation{ID: id}.entry(d.by, chain.InvitationWithdrawn))
		return nil
	})
	return entries, err
}

// reactivate allows a person to sign in again, with the same grants as before. Who holds a permission of the
// platform gets it back, so the caller must be allowed to give it. It fails with PERSON_ERASED for an erased
// person.
func (s *Store) reactivate(ctx context.Context, grants Grants, d decision) (now foundPerson, err error) {
	return s.decide(ctx, d, func(ctx context.Context, tx pgx.Tx) ([]chain.Entry, error) {
		m, err := d.lock(ctx, tx, grants, locksOfMember)
		switch {
		case err != nil:
			return nil, err
		case m.erased:
			return nil, ErrErased
		case !m.deactivated:
			return nil, nil
		}
		if err := d.mayReactivate(ctx, tx, grants); err != nil {
			return nil, err
		}
		_, err = tx.Exec(ctx, reactivatePerson, d.userID)
		return []chain.Entry{d.entry(chain.PersonReactivated)}, err
	})
}

// mayReactivate fails with PERMISSION_DENIED when a permission of the platform that the person holds would
// outlive the caller's own right to give it.
func (d decision) mayReactivate(ctx context.Context, tx pgx.Tx, grants Grants) error {
	if d.by.UserID == "" {
		return nil
	}
	ends, err := grants.CoreEndsIn(ctx, tx, d.userID)
	if err != nil || len(ends) == 0 {
		return err
	}
	return mayGiveUntil(ctx, tx, grants, d.by.UserID, ends)
}

// mayGiveUntil fails with PERMISSION_DENIED when one of the ends is later than that of the giver's own right.
func mayGiveUntil(ctx context.Context, tx pgx.Tx, grants Grants, giver string, ends []*time.Time) error {
	outlives, err := grants.OutlivesIn(ctx, tx, giver, ends)
	if err == nil && outlives {
		err = httpapi.ErrPermission
	}
	return err
}

// decide runs f in a transaction, records its entries, and returns the person.
func (s *Store) decide(
	ctx context.Context, d decision, f func(context.Context, pgx.Tx) ([]chain.Entry, error),
) (now foundPerson, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		entries, err := f(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, selectMember, d.userID)
		if err != nil {
			return err
		}
		if now, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[foundPerson]); err != nil {
			return err
		}
		return chain.Record(tx, entries...)
	})
	return now, err
}
