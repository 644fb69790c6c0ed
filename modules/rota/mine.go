package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxAway bounds the periods in which one person is away.
const maxAway = 30

// myDates is what a person sees of their own data. Volunteer is nil for a person who is not a volunteer.
type myDates struct {
	ServerTime time.Time `json:"serverTime"`
	Volunteer  *me       `json:"volunteer"`
	Dates      []myDate  `json:"dates"`
	StandIns   []standIn `json:"standIns"` // dates that they are asked to take over
}

type me struct {
	Label    string `json:"label"`
	Away     []days `json:"away"`
	Wishes   []days `json:"wishes"`
	PerMonth int    `json:"perMonth"`
	Rev      int64  `json:"rev"`
}

func meOf(v *volunteer) *me { return &me{v.Label, v.Away, v.Wishes, v.PerMonth, v.Rev} }

type myDate struct {
	ID      string     `json:"id"`
	Service service    `json:"service"`
	Role    string     `json:"role"`
	Status  string     `json:"status"`
	Was     *time.Time `json:"was"` // of an open one: the start that they said yes to
	Others  []other    `json:"others"`
	Seeking bool       `json:"seeking"` // they look for a substitute
	Rev     int64      `json:"rev"`
}

// other is somebody who serves in the same service: the name, and nothing else of the person.
type other struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// mine returns the caller's dates from today on, without assignments that are only planned.
func (m *rota) mine(ctx context.Context, _ *http.Request) (any, error) {
	return m.datesOfCaller(ctx)
}

func (m *rota) datesOfCaller(ctx context.Context) (*myDates, error) {
	now := m.clock()
	page := &myDates{ServerTime: now, StandIns: []standIn{}}
	who := caller(ctx)
	var own []me
	var duties []dutyRow
	var asked []standIn
	err := sdk.Read(ctx, m.db, selectMe(&own, who),
		selectDuties(&duties, who, m.dayOf(now)), selectStandIns(&asked, who))
	if err != nil || len(own) == 0 {
		return page, err
	}
	page.Volunteer = &own[0]
	of, ids := byService(datesOf(duties))
	for _, one := range asked {
		ids = append(ids, one.Service.ID)
	}
	if len(ids) == 0 {
		return page, nil
	}
	services, err := m.services(ctx, m.dayOf(now), now.AddDate(1, 0, 0), ids...)
	if err != nil {
		return nil, err
	}
	for _, s := range services {
		for _, duty := range of[s.ID] {
			duty.Service = s
			page.Dates = append(page.Dates, duty)
		}
		for _, one := range asked {
			if one.Service.ID == s.ID && s.Start.After(now) {
				one.Service = s
				page.StandIns = append(page.StandIns, one)
			}
		}
	}
	return page, nil
}

// selectMe reads what a person sees of themselves as a volunteer.
func selectMe(into *[]me, who self) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, m *me) error {
		return row.Scan(&m.Label, &m.Away, &m.Wishes, &m.PerMonth, &m.Rev)
	}, `
		SELECT label,
		       coalesce((SELECT json_agg(json_build_object('from', first_day, 'to', last_day) ORDER BY first_day)
		                 FROM away WHERE volunteer_id = v.id AND last_day >= current_date - 31), '[]'),
		       coalesce((SELECT json_agg(json_build_object('from', first_day, 'to', last_day) ORDER BY first_day)
		                 FROM wishes WHERE volunteer_id = v.id AND last_day >= current_date - 31), '[]'),
		       coalesce(per_month, 0), rev
		FROM volunteers AS v WHERE `+who.is, who.id)
}

// ownDuties, before and after the condition of whose they are, has one row for each date of a person and each
// other one who serves in the same service; other and role are NULL where nobody else does, or where the
// service is before today.
const ownDuties, ownDutiesEnd = `
	WITH own AS MATERIALIZED (
		SELECT a.id, a.service_ref, a.role_id, a.volunteer_id, a.status, a.agreed, a.rev, a.seeking,
		       a.status <> 'no' AND coalesce(k.starts_at >= $2, true) AS shared
		FROM volunteers AS v
			JOIN assignments AS a ON a.volunteer_id = v.id AND NOT a.settled AND a.status <> 'planned'
			LEFT JOIN known_services AS k USING (service_ref)
		WHERE `, `
	)
	SELECT own.id::text, own.service_ref, r.name, own.status, own.agreed, own.rev, own.seeking,
	       b.role, b.label
	FROM own
		JOIN roles AS r ON r.id = own.role_id
		LEFT JOIN (
			SELECT o.service_ref, o.volunteer_id, r.position, r.id AS role_id, r.name AS role, v.label
			FROM assignments AS o
				JOIN volunteers AS v ON v.id = o.volunteer_id AND v.label <> ''
				JOIN roles AS r ON r.id = o.role_id
			WHERE o.service_ref IN (SELECT service_ref FROM own WHERE shared) AND o.status IN ('open', 'yes')
		) AS b ON own.shared AND b.service_ref = own.service_ref AND b.volunteer_id <> own.volunteer_id
	ORDER BY r.position, r.id, own.id, b.position, b.role_id, b.label COLLATE "und-x-icu"`

// selectDuties reads a person's dates, of which only the service's id is known here, and who else serves in
// those that are not before today.
func selectDuties(into *[]dutyRow, who self, today time.Time) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, d *dutyRow) error {
		return row.Scan(&d.ID, &d.Service.ID, &d.Role, &d.Status, &d.Was, &d.Rev, &d.Seeking,
			&d.otherRole, &d.otherName)
	}, ownDuties+who.is+ownDutiesEnd, who.id, today)
}

// dutyRow is a date with one of those who serve in the same service.
type dutyRow struct {
	myDate
	otherRole, otherName *string
}

// datesOf gathers the rows of each date, which follow each other.
func datesOf(rows []dutyRow) (all []myDate) {
	for _, row := range rows {
		if len(all) == 0 || all[len(all)-1].ID != row.ID {
			row.Others = []other{}
			all = append(all, row.myDate)
		}
		if row.otherName != nil {
			last := &all[len(all)-1]
			last.Others = append(last.Others, other{*row.otherRole, *row.otherName})
		}
	}
	return all
}

// byService returns dates by the ids of their services, and these ids.
func byService(all []myDate) (of map[string][]myDate, ids []string) {
	of = make(map[string][]myDate)
	for _, one := range all {
		if of[one.Service.ID] == nil {
			ids = append(ids, one.Service.ID)
		}
		of[one.Service.ID] = append(of[one.Service.ID], one)
	}
	return of, ids
}

// self is a condition that is true of the volunteer who sent a request, with $1.
type self struct{ is, id string }

func caller(ctx context.Context) self {
	who := sdk.Principal(ctx)
	if who.Kind == sdk.Link {
		return self{`v.id = $1::uuid AND v.label <> ''`, who.Subject}
	}
	return self{`v.user_id = $1`, who.UserID}
}

// ownVolunteer returns the volunteer who sent the request.
func ownVolunteer(ctx context.Context, db sdk.Querier) (*volunteer, error) {
	who := caller(ctx)
	found, err := volunteersWhere(ctx, db, who.is, who.id)
	if err == nil && len(found) == 0 {
		err = errNoVolunteer
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// volunteerOf returns the volunteer that a person has claimed.
func volunteerOf(ctx context.Context, db sdk.Querier, userID string) (*volunteer, error) {
	found, err := volunteersWhere(ctx, db, `v.user_id = $1`, userID)
	if err == nil && len(found) == 0 {
		err = errNoVolunteer
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// reply is a volunteer's response to a request. "away" means no, and also stores the day.
type reply struct {
	Answer string `json:"answer"`
	Rev    int64  `json:"rev"`
}

func (m *rota) answer(ctx context.Context, r *http.Request) (any, error) {
	said, err := sdk.Decode[reply](r)
	if err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	status := said.Answer
	var day *time.Time
	switch said.Answer {
	case statusYes, statusNo:
	case statusOpen: // a press on the page of a link is taken back
		if sdk.Principal(ctx).Kind != sdk.Link {
			return nil, sdk.ErrRequestInvalid
		}
	case "away":
		status = statusNo
		if day, err = m.dayOfAssignment(ctx, id); err != nil {
			return nil, err
		}
	default:
		return nil, sdk.ErrRequestInvalid
	}
	m.caughtUp(ctx) // the answer is to where the service is now
	var told update
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		told, err = m.answerAndNote(ctx, tx, id, status, said.Rev, day)
		return told, err
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"status": status, "rev": told.Assignments[0].Rev}, nil
}

// dayOfAssignment returns the day of the assignment's service; nil if the service is no longer planned.
func (m *rota) dayOfAssignment(ctx context.Context, id string) (*time.Time, error) {
	found, err := assignments(ctx, m.db, `id = $1`, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errGone
	}
	now := m.clock()
	services, err := m.services(ctx, m.dayOf(now), now.AddDate(1, 0, 0), found[0].ServiceID)
	if err != nil {
		return nil, err
	}
	s, there := byID(services)[found[0].ServiceID]
	if !there {
		return nil, nil
	}
	day := m.dayOf(s.Start)
	return &day, nil
}

// answerAndNote stores a response, and notes one that a coordinator must hear of: a no after a yes, or to a
// near date.
func (m *rota) answerAndNote(
	ctx context.Context, tx *sdk.Tx, id, status string, rev int64, away *time.Time,
) (told update, err error) {
	before, err := m.dutiesWhere(ctx, tx, `a.id = $1::uuid AND a.status IN ('open', 'yes')`, id)
	if err != nil {
		return told, err
	}
	if told, err = answer(ctx, tx, id, status, rev, away); err != nil {
		return told, err
	}
	if status != statusNo {
		err = told.showNews(ctx, tx) // that they cannot come is no news any more
		return told, err
	}
	near := m.clock().AddDate(0, 0, int(m.host.Config.Integer("remindDaysBefore")))
	noted := false
	for _, d := range before {
		if d.Status == statusYes || d.Service.Start.Before(near) {
			noted = true
			if err := m.noteDuty(ctx, tx, newsDeclined, d); err != nil {
				return told, err
			}
		}
	}
	if away != nil && len(told.Volunteers) > 0 {
		was := told.Volunteers[0]
		one := away.Format(time.DateOnly)
		clashes, err := m.noteAway(ctx, tx, was.ID, []days{{one, one}}, nil)
		if err != nil {
			return told, err
		}
		noted = noted || clashes
	}
	if noted {
		err = m.withNews(ctx, tx, &told)
	}
	return told, err
}

// answer stores the caller's response to their own request. An assignment that is only planned has no request
// yet.
func answer(
	ctx context.Context, tx *sdk.Tx, id, status string, rev int64, away *time.Time,
) (told update, err error) {
	own, err := ownVolunteer(ctx, tx)
	if err != nil {
		return told, err
	}
	var seen int64
	err = tx.QueryRow(ctx, `
		SELECT rev FROM assignments
		WHERE id = $1 AND volunteer_id = $2 AND status <> 'planned'
		FOR UPDATE`, id, own.ID).Scan(&seen)
	switch {
	case err != nil:
		return told, sdk.OrNoRow(err, errGone)
	case seen != rev:
		return told, errConflict
	}
	_, err = tx.Exec(ctx, `
		UPDATE assignments SET status = $2, agreed = NULL, seeking = false, rev = rev + 1 WHERE id = $1`,
		id, status)
	if err != nil {
		return told, err
	}
	if away != nil {
		if told.Volunteers, err = addAway(ctx, tx, own.ID, away.Format(time.DateOnly)); err != nil {
			return told, err
		}
	}
	told.Assignments, err = assignments(ctx, tx, `id = $1`, id)
	return told, err
}
