package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The status of an assignment.
const (
	statusPlanned = "planned" // no request sent yet
	statusOpen    = "open"    // request sent
	statusYes     = "yes"
	statusNo      = "no"
)

// assignment is a volunteer in a role of a service.
type assignment struct {
	ID          string     `json:"id"`
	ServiceID   string     `json:"serviceId"`
	RoleID      string     `json:"roleId"`
	VolunteerID string     `json:"volunteerId"`
	Status      string     `json:"status"`
	Was         *time.Time `json:"was"`     // of an open one: the start that the volunteer said yes to
	Seeking     bool       `json:"seeking"` // the volunteer looks for a substitute
	Mail        *mailSeen  `json:"mail"`    // the last mail about it
	Rev         int64      `json:"rev"`
}

// mailSeen is the part of a mail that coordinators get.
type mailSeen struct {
	Kind    string    `json:"kind"`
	Outcome string    `json:"outcome"`
	At      time.Time `json:"at"`
}

// assignments reads the assignments for which a condition is true.
func assignments(
	ctx context.Context, db sdk.Querier, where string, args ...any,
) (all []assignment, err error) {
	err = sdk.Read(ctx, db, selectAssignments(&all, where, args...))
	return all, err
}

func selectAssignments(into *[]assignment, where string, args ...any) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, a *assignment) error {
		var kind, outcome *string
		var at *time.Time
		err := row.Scan(&a.ID, &a.ServiceID, &a.RoleID, &a.VolunteerID, &a.Status, &a.Was, &a.Rev, &a.Seeking,
			&kind, &outcome, &at)
		a.Mail = mailOf(kind, outcome, at)
		return err
	}, `
		SELECT a.id::text, a.service_ref, a.role_id::text, a.volunteer_id::text, a.status, a.agreed, a.rev,
		       a.seeking, m.kind, coalesce(m.outcome, 'queued'), coalesce(m.at, m.queued_at)
		FROM assignments AS a LEFT JOIN mail_log AS m ON m.id = a.mail_id
		WHERE a.`+where+`
		ORDER BY a.id`, args...)
}

// mailOf returns the mail in a row that may have none.
func mailOf(kind, outcome *string, at *time.Time) *mailSeen {
	if kind == nil {
		return nil
	}
	return &mailSeen{*kind, *outcome, *at}
}

// maxChanges bounds one write of assignments.
const maxChanges = 300

// wanted is a coordinator's change: whom to add, whom to remove, and responses given on the phone. With Rev,
// it is a conflict if anything else on the board has changed since: a plan was made for that board.
type wanted struct {
	Rev *int64 `json:"rev,omitempty"`
	Add []struct {
		ServiceID   string `json:"serviceId"`
		RoleID      string `json:"roleId"`
		VolunteerID string `json:"volunteerId"`
	} `json:"add,omitempty"`
	Set []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Rev    int64  `json:"rev"`
	} `json:"set,omitempty"`
	Remove []struct {
		ID  string `json:"id"`
		Rev int64  `json:"rev"`
	} `json:"remove,omitempty"`
}

func (w *wanted) check() error {
	if n := len(w.Add) + len(w.Set) + len(w.Remove); n == 0 || n > maxChanges {
		return sdk.ErrRequestInvalid
	}
	for _, a := range w.Add {
		if !isLine(a.ServiceID, 1, 64) || !sdk.IsID(a.RoleID) || !sdk.IsID(a.VolunteerID) {
			return sdk.ErrRequestInvalid
		}
	}
	for _, s := range w.Set {
		if !sdk.IsID(s.ID) || !isStatus(s.Status) {
			return sdk.ErrRequestInvalid
		}
	}
	for _, r := range w.Remove {
		if !sdk.IsID(r.ID) {
			return sdk.ErrRequestInvalid
		}
	}
	return nil
}

func isStatus(text string) bool {
	return text == statusPlanned || text == statusOpen || text == statusYes || text == statusNo
}

// assign makes all changes or none. If somebody else has changed one of them meanwhile, that is a conflict,
// and so is a volunteer who is already assigned: the table's unique key detects that.
func (m *rota) assign(ctx context.Context, r *http.Request) (any, error) {
	want, err := sdk.Decode[wanted](r)
	if err != nil {
		return nil, err
	}
	if err := want.check(); err != nil {
		return nil, err
	}
	known, err := m.knowServices(ctx, &want)
	if err != nil {
		return nil, err
	}
	var told update
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		told, err = m.assignAndNote(ctx, tx, &want, known)
		return told, err
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"assignments": told.Assignments}, nil
}

// knowServices returns the services to which somebody is added. It refuses those that are not planned.
func (m *rota) knowServices(ctx context.Context, want *wanted) (map[string]service, error) {
	if len(want.Add) == 0 {
		return nil, nil
	}
	ids := make([]string, len(want.Add))
	for n, a := range want.Add {
		ids[n] = a.ServiceID
	}
	return m.plannedServices(ctx, ids...)
}

// plannedServices returns services that the board has. It refuses others.
func (m *rota) plannedServices(ctx context.Context, ids ...string) (map[string]service, error) {
	now := m.clock()
	all, err := m.services(ctx, m.monthBefore(now), now.AddDate(1, 0, 0))
	if err != nil {
		return nil, err
	}
	found, wanted := byID(all), make(map[string]service)
	for _, id := range ids {
		s, there := found[id]
		if !there {
			return nil, errGone
		}
		wanted[id] = s
	}
	return wanted, nil
}

// assignAndNote makes the changes, and notes what volunteers who were asked must hear of.
func (m *rota) assignAndNote(ctx context.Context, tx *sdk.Tx, want *wanted, known map[string]service) (
	told update, err error,
) {
	if want.Rev != nil {
		var now int64
		if err := tx.QueryRow(ctx, `SELECT rev FROM board`).Scan(&now); err != nil {
			return told, err
		}
		if now != *want.Rev+1 { // one more is that of this change
			return told, errConflict
		}
	}
	for _, s := range known {
		if err := know(ctx, tx, state{service: s}); err != nil {
			return told, err
		}
	}
	kinds := make(map[string]string)
	var ids []string
	for _, s := range want.Set {
		if s.Status == statusNo {
			kinds[s.ID], ids = newsDeclined, append(ids, s.ID)
		}
	}
	for _, r := range want.Remove {
		kinds[r.ID], ids = newsRemoved, append(ids, r.ID)
	}
	var before []duty
	if len(ids) > 0 {
		before, err = m.dutiesWhere(ctx, tx, `a.id = ANY($1::uuid[]) AND a.status IN ('open', 'yes')`, ids)
		if err != nil {
			return told, err
		}
	}
	if told, err = assign(ctx, tx, want); err != nil {
		return told, err
	}
	noted := false
	for _, d := range before {
		if kind := kinds[d.ID]; kind == newsRemoved || d.Status == statusYes {
			noted = true
			if err := m.noteDuty(ctx, tx, kind, d); err != nil {
				return told, err
			}
		}
	}
	switch {
	case noted:
		err = m.withNews(ctx, tx, &told)
	case len(want.Set)+len(want.Remove) > 0:
		err = told.showNews(ctx, tx) // a no may not be one any more
	}
	return told, err
}

func assign(ctx context.Context, tx *sdk.Tx, want *wanted) (told update, err error) {
	var ids []string
	for _, a := range want.Add {
		var id string
		err := tx.QueryRow(ctx, `
			INSERT INTO assignments (service_ref, role_id, volunteer_id, status)
			VALUES ($1, $2, $3, 'planned')
			RETURNING id::text`, a.ServiceID, a.RoleID, a.VolunteerID).Scan(&id)
		switch sdk.BrokenConstraint(err) {
		case "assignments_once":
			return told, errConflict
		case "assignments_role", "assignments_volunteer_id_fkey":
			return told, errGone
		}
		if err != nil {
			return told, err
		}
		ids = append(ids, id)
	}
	for _, s := range want.Set {
		touched, err := tx.Exec(ctx, `
			UPDATE assignments SET status = $3, agreed = NULL, seeking = false, rev = rev + 1
			WHERE id = $1 AND rev = $2`,
			s.ID, s.Rev, s.Status)
		if err != nil {
			return told, err
		}
		if touched == 0 {
			return told, missing(ctx, tx, s.ID)
		}
		ids = append(ids, s.ID)
	}
	for _, r := range want.Remove {
		touched, err := tx.Exec(ctx, `DELETE FROM assignments WHERE id = $1 AND rev = $2`, r.ID, r.Rev)
		if err != nil {
			return told, err
		}
		if touched == 0 {
			return told, missing(ctx, tx, r.ID)
		}
		told.Removed = append(told.Removed, r.ID)
	}
	told.Assignments, err = assignments(ctx, tx, `id = ANY($1::uuid[])`, ids)
	return told, err
}

// missing distinguishes a changed assignment from a deleted one.
func missing(ctx context.Context, tx *sdk.Tx, id string) error {
	var there int
	err := tx.QueryRow(ctx, `SELECT 1 FROM assignments WHERE id = $1`, id).Scan(&there)
	if err != nil {
		return sdk.OrNoRow(err, errGone)
	}
	return errConflict
}
