package main

import (
	"context"
	"encoding/json"
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
	// Others are who serves in the same service, a list of role and name, as PostgreSQL writes it.
	Others  json.RawMessage `json:"others"`
	Seeking bool            `json:"seeking"` // they look for a substitute
	Rev     int64           `json:"rev"`
}

// mine returns the caller's dates from today on, without assignments that are only planned.
func (m *rota) mine(ctx context.Context, _ *http.Request) (any, error) {
	return m.datesOfCaller(ctx)
}

// datesOfCaller reads everything with one exchange. The services are those that people were told of.
func (m *rota) datesOfCaller(ctx context.Context) (*myDates, error) {
	m.followNow(ctx)
	now := m.clock()
	page := &myDates{ServerTime: now}
	who := caller(ctx)
	var own []me
	err := sdk.Read(ctx, m.db, selectMe(&own, who), selectDuties(&page.Dates, who, m.dayOf(now)),
		selectStandIns(&page.StandIns, who, now))
	if err == nil && len(own) > 0 {
		page.Volunteer = &own[0]
	}
	return page, err
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

// ownDuties, before and after the condition of whose they are, has the dates of a person, each with the names
// of those who serve in the same service and were asked. Who has declined sees nobody. Each name is looked
// up, because a join would read all volunteers for each service. OFFSET 0 keeps that to once a row.
const ownDuties, ownDutiesEnd = `
	SELECT a.id::text, a.service_ref, k.title, k.starts_at, r.name, a.status, a.agreed, a.rev, a.seeking,
	       coalesce(CASE WHEN a.status <> 'no' THEN (
	           SELECT json_agg(json_build_object('role', o.role, 'name', o.label)
	                           ORDER BY o.position, o.role_id, o.label COLLATE "und-x-icu")
	           FROM (
	               SELECT t.name AS role, t.position, t.id AS role_id,
	                      (SELECT label FROM volunteers WHERE id = s.volunteer_id) AS label
	               FROM assignments AS s JOIN roles AS t ON t.id = s.role_id
	               WHERE s.service_ref = a.service_ref AND s.status IN ('open', 'yes')
	                 AND s.volunteer_id <> a.volunteer_id
	               OFFSET 0) AS o
	           WHERE o.label <> '') END, '[]')
	FROM volunteers AS v
		JOIN assignments AS a ON a.volunteer_id = v.id AND NOT a.settled AND a.status <> 'planned'
		JOIN known_services AS k ON k.service_ref = a.service_ref AND NOT k.cancelled AND k.starts_at >= $2
		JOIN roles AS r ON r.id = a.role_id
	WHERE `, `
	ORDER BY k.starts_at, a.service_ref, r.position, r.id, a.id`

// selectDuties reads a person's dates that are not before today.
func selectDuties(into *[]myDate, who self, today time.Time) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, d *myDate) error {
		return row.Scan(&d.ID, &d.Service.ID, &d.Service.Title, &d.Service.Start, &d.Role, &d.Status, &d.Was,
			&d.Rev, &d.Seeking, (*[]byte)(&d.Others))
	}, ownDuties+who.is+ownDutiesEnd, who.id, today)
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
