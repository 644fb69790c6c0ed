package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	maxVolunteers = 2000
	maxLabel      = 80
	maxDigest     = 5 // coordinators who get the weekly overview
)

// volunteer is a person who serves, in the form that coordinators get. An erased one has an empty label.
type volunteer struct {
	ID        string    `json:"id"`
	Label     string    `json:"label"`
	Email     string    `json:"email"`    // "": unknown
	Language  string    `json:"language"` // of their mails; "": the module's setting
	Digest    bool      `json:"digest"`   // gets the weekly overview
	RoleIDs   []string  `json:"roleIds"`
	Away      []days    `json:"away"`
	Wishes    []days    `json:"wishes"`   // when they would like to serve
	PerMonth  int       `json:"perMonth"` // most turns in a calendar month; 0: no limit
	Pairs     []pair    `json:"pairs"`
	Connected bool      `json:"connected"` // claimed by a signed-in person
	Mail      *mailSeen `json:"mail"`      // the last invitation
	Rev       int64     `json:"rev"`
}

// pair is another volunteer with whom somebody likes to serve, or must never be in the same service.
type pair struct {
	ID    string `json:"id"`
	Apart bool   `json:"apart"`
}

// volunteers reads volunteers by their ids, or all of them for nil. Periods away that are over are omitted.
func volunteers(ctx context.Context, db sdk.Querier, ids []string) ([]volunteer, error) {
	if ids == nil {
		return volunteersWhere(ctx, db, `true`)
	}
	return volunteersWhere(ctx, db, `v.id = ANY($1::uuid[])`, ids)
}

// volunteersWhere reads the volunteers for which a condition is true.
func volunteersWhere(
	ctx context.Context, db sdk.Querier, where string, args ...any,
) (all []volunteer, err error) {
	err = sdk.Read(ctx, db, selectVolunteers(&all, where, args...))
	return all, err
}

func selectVolunteers(into *[]volunteer, where string, args ...any) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, v *volunteer) error {
		var kind, outcome *string
		var at *time.Time
		err := row.Scan(&v.ID, &v.Label, &v.Email, &v.Language, &v.Digest, &v.Connected, &v.Rev, &v.RoleIDs,
			&v.Away, &v.Wishes, &v.PerMonth, &v.Pairs, &kind, &outcome, &at)
		v.Mail = mailOf(kind, outcome, at)
		return err
	}, `
		SELECT v.id::text, v.label, v.email, v.language, v.digest, v.user_id IS NOT NULL, v.rev,
		       coalesce(r.ids, '[]'), coalesce(a.spans, '[]'), coalesce(w.spans, '[]'), coalesce(v.per_month, 0),
		       coalesce(p.others, '[]'), m.kind, coalesce(m.outcome, 'queued'), coalesce(m.at, m.queued_at)
		FROM volunteers AS v
			LEFT JOIN mail_log AS m ON m.id = v.mail_id
			LEFT JOIN (
				SELECT volunteer_id, json_agg(role_id ORDER BY role_id) AS ids
				FROM volunteer_roles GROUP BY volunteer_id) AS r ON r.volunteer_id = v.id
			LEFT JOIN `+spansOf("away")+` AS a ON a.volunteer_id = v.id
			LEFT JOIN `+spansOf("wishes")+` AS w ON w.volunteer_id = v.id
			LEFT JOIN (
				SELECT volunteer_id,
				       json_agg(json_build_object('id', other_id, 'apart', apart) ORDER BY other_id) AS others
				FROM pairs GROUP BY volunteer_id) AS p ON p.volunteer_id = v.id
		WHERE `+where+`
		ORDER BY v.label COLLATE "und-x-icu", v.id`, args...)
}

// spansOf are the days in a table, by volunteer, without those that ended more than a month ago.
func spansOf(table string) string {
	return `(
				SELECT volunteer_id,
				       json_agg(json_build_object('from', first_day, 'to', last_day) ORDER BY first_day) AS spans
				FROM ` + table + ` WHERE last_day >= current_date - 31 GROUP BY volunteer_id)`
}

// volunteerDraft is a volunteer in the form that coordinators send.
type volunteerDraft struct {
	Label    string   `json:"label"`
	Email    string   `json:"email"`
	Language string   `json:"language"`
	Digest   bool     `json:"digest"`
	RoleIDs  []string `json:"roleIds"`
	PerMonth *int     `json:"perMonth"` // nil: as before; 0: no limit
	Pairs    *[]pair  `json:"pairs"`    // nil: as before
	Rev      *int64   `json:"rev"`      // only of an edit: the rev that the writer saw
}

func (d *volunteerDraft) check() error {
	if !isLine(d.Label, 1, maxLabel) || d.Email != "" && !isAddress(d.Email) || !isLanguage(d.Language) ||
		len(d.RoleIDs) > maxRoles || d.Digest && d.Email == "" || d.PerMonth != nil && !isPerMonth(*d.PerMonth) {
		return sdk.ErrRequestInvalid
	}
	if d.Pairs != nil && !arePairs(*d.Pairs) {
		return sdk.ErrRequestInvalid
	}
	for _, id := range d.RoleIDs {
		if !sdk.IsID(id) {
			return sdk.ErrRequestInvalid
		}
	}
	return nil
}

func isLanguage(text string) bool { return text == "" || text == "en" || text == "de" }

// folded returns the form in which labels and names are compared.
func folded(text string) string { return strings.ToLower(text) }

func (m *rota) addVolunteer(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[volunteerDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return nil, sdk.ErrRequestInvalid
	}
	var id string
	var changed []volunteer
	err = m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		if id, err = insertVolunteer(ctx, tx, "", &draft); err != nil {
			return told, err
		}
		changed, err = writePairs(ctx, tx, id, draft.Pairs)
		return update{Volunteers: changed}, err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(ofID(changed, id)), nil
}

// insertVolunteer creates a row with an id, or with a new one. The surrounding change has locked the board's
// row, so no other transaction counts volunteers at the same time.
func insertVolunteer(ctx context.Context, tx *sdk.Tx, id string, d *volunteerDraft) (string, error) {
	err := tx.QueryRow(ctx, `
		INSERT INTO volunteers (id, label, email, language, digest, per_month)
		SELECT coalesce(nullif($1, '')::uuid, gen_random_uuid()), $2, $3, $4, $5, nullif($7::integer, 0)
		WHERE (SELECT count(*) FROM volunteers) < $6
		RETURNING id::text`, id, d.Label, d.Email, d.Language, d.Digest, maxVolunteers, d.PerMonth).Scan(&id)
	if err != nil {
		return "", refusalOf(sdk.OrNoRow(err, errTooMany))
	}
	return id, writeVolunteerRoles(ctx, tx, id, d)
}

// refusalOf returns the refusals for the constraints that a coordinator's input may violate.
func refusalOf(err error) error {
	switch sdk.BrokenConstraint(err) {
	case "volunteers_once":
		return errTwice
	case "volunteer_roles_role_id_fkey", "pairs_other":
		return errGone
	}
	return err
}

// writeVolunteerRoles replaces the roles, and limits the number of volunteers who get the overview.
func writeVolunteerRoles(ctx context.Context, tx *sdk.Tx, id string, d *volunteerDraft) error {
	if _, err := tx.Exec(ctx, `DELETE FROM volunteer_roles WHERE volunteer_id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO volunteer_roles (volunteer_id, role_id)
		SELECT $1, one FROM unnest($2::uuid[]) AS one ON CONFLICT DO NOTHING`, id, d.RoleIDs)
	if err != nil {
		return refusalOf(err)
	}
	var readers int
	err = tx.QueryRow(ctx, `SELECT count(*) FROM volunteers WHERE digest`).Scan(&readers)
	if err == nil && d.Digest && readers > maxDigest {
		return errDigestFull
	}
	return err
}

// editVolunteer replaces the whole row, if it has not changed since the writer read it. A new address
// invalidates links that were sent to the old one.
func (m *rota) editVolunteer(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[volunteerDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return nil, sdk.ErrRequestInvalid
	}
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	var changed []volunteer
	err = m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		moved, err := updateVolunteer(ctx, tx, id, &draft)
		if err != nil {
			return told, err
		}
		if moved {
			told.unlinked = []string{id}
		}
		changed, err = writePairs(ctx, tx, id, draft.Pairs)
		told.Volunteers = changed
		return told, err
	})
	if err != nil {
		return nil, err
	}
	return ofID(changed, id), nil
}

// updateVolunteer reports whether the volunteer has another address now, which ends the links that were sent.
func updateVolunteer(ctx context.Context, tx *sdk.Tx, id string, d *volunteerDraft) (moved bool, err error) {
	err = tx.QueryRow(ctx, `
		UPDATE volunteers AS v
		SET label = $3, email = $4, language = $5, digest = $6, rev = v.rev + 1,
		    link = v.link + CASE WHEN v.email = $4 THEN 0 ELSE 1 END,
		    per_month = CASE WHEN $7::integer IS NULL THEN v.per_month ELSE nullif($7, 0) END
		FROM (SELECT id, email FROM volunteers WHERE id = $1 FOR UPDATE) AS before
		WHERE v.id = before.id AND ($2::bigint IS NULL OR v.rev = $2)
		RETURNING before.email <> v.email`, id, d.Rev, d.Label, d.Email, d.Language, d.Digest,
		d.PerMonth).Scan(&moved)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, missingVolunteer(ctx, tx, id)
	case err != nil:
		return false, refusalOf(err)
	}
	return moved, writeVolunteerRoles(ctx, tx, id, d)
}

func missingVolunteer(ctx context.Context, tx *sdk.Tx, id string) error {
	var there int
	err := tx.QueryRow(ctx, `SELECT 1 FROM volunteers WHERE id = $1`, id).Scan(&there)
	if err != nil {
		return sdk.OrNoRow(err, errGone)
	}
	return errConflict
}

// removeVolunteer removes a volunteer from the list and from every service.
func (m *rota) removeVolunteer(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	return nil, m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		if err := m.noteRemoval(ctx, tx, id); err != nil {
			return told, err
		}
		if _, err := tx.Exec(ctx, forgetImported, id); err != nil {
			return told, err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO departed (volunteer_id, user_id)
			SELECT id, user_id FROM volunteers WHERE id = $1 AND user_id IS NOT NULL
			ON CONFLICT (volunteer_id) DO UPDATE SET user_id = excluded.user_id`, id)
		if err != nil {
			return told, err
		}
		touched, err := tx.Exec(ctx, `DELETE FROM volunteers WHERE id = $1`, id)
		if err == nil && touched == 0 {
			err = errGone
		}
		if err != nil {
			return told, err
		}
		return update{mails: true, unlinked: []string{id}}, m.queueNews(ctx, tx)
	})
}

// noteRemoval notes the dates that a volunteer leaves, and keeps name and address until their mail is sent.
func (m *rota) noteRemoval(ctx context.Context, tx *sdk.Tx, id string) error {
	asked, err := m.dutiesWhere(ctx, tx, `a.volunteer_id = $1::uuid AND a.status IN ('open', 'yes')`, id)
	if err != nil {
		return err
	}
	for _, d := range asked {
		if err := m.noteDuty(ctx, tx, newsRemoved, d); err != nil {
			return err
		}
	}
	for _, statement := range []string{
		`UPDATE news SET label = v.label FROM volunteers AS v WHERE v.id = $1 AND volunteer_id = v.id`,
		`UPDATE told SET label = v.label, email = v.email, language = v.language
		 FROM volunteers AS v WHERE v.id = $1 AND volunteer_id = v.id AND told.mail_id IS NULL`,
	} {
		if _, err := tx.Exec(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// withdrawLink invalidates the links that were sent to a volunteer, and disconnects the person who has
// claimed it.
func (m *rota) withdrawLink(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	return nil, m.change(ctx, func(tx *sdk.Tx) (told update, err error) {
		touched, err := tx.Exec(ctx, `
			UPDATE volunteers SET link = link + 1, user_id = NULL, rev = rev + 1 WHERE id = $1`, id)
		if err == nil && touched == 0 {
			err = errGone
		}
		if err == nil {
			told.unlinked = []string{id}
			told.Volunteers, err = volunteers(ctx, tx, []string{id})
		}
		return told, err
	})
}

// ownID finds the volunteer that the caller has claimed.
func ownID(ctx context.Context) func(tx *sdk.Tx) (string, error) {
	return func(tx *sdk.Tx) (string, error) {
		own, err := volunteerOf(ctx, tx, sdk.Principal(ctx).UserID)
		if err != nil {
			return "", err
		}
		return own.ID, nil
	}
}

// anyID finds a volunteer for a coordinator.
func anyID(ctx context.Context, id string) func(tx *sdk.Tx) (string, error) {
	return func(tx *sdk.Tx) (string, error) {
		var there bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM volunteers WHERE id = $1)`, id).Scan(&there)
		if err == nil && !there {
			err = errGone
		}
		return id, err
	}
}

// oneVolunteer reads a volunteer who was there a moment ago.
func oneVolunteer(ctx context.Context, tx *sdk.Tx, id string) (volunteer, error) {
	all, err := volunteers(ctx, tx, []string{id})
	if err == nil && len(all) == 0 {
		err = errConflict // erased meanwhile
	}
	if err != nil {
		return volunteer{}, err
	}
	return all[0], nil
}
