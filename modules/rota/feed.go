package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/ical"
)

// dutyLasts is how long a duty is in a calendar: the module that plans services knows no end of them.
const dutyLasts = "PT1H"

// calendarDate is a date of a person in their own calendar.
type calendarDate struct {
	ID        string
	Title     string
	Start     time.Time
	Cancelled bool
	Role      string
	Status    string
	Changes   int64
	Changed   time.Time
}

// feed is the calendar of the caller's own dates, for programs that fetch it again and again: those to which
// they said yes, and those that wait for an answer. A no takes a date out.
func (m *rota) feed(ctx context.Context, r *http.Request) ([]byte, error) {
	if _, err := sdk.Query(r); err != nil {
		return nil, err
	}
	if err := m.followZone(ctx); err != nil {
		return nil, err
	}
	m.caughtUp(ctx)
	all, err := sdk.Select[calendarDate](ctx, m.db, `
		SELECT a.id::text, k.title, k.starts_at, k.cancelled, r.name, a.status, a.rev + k.changes,
		       greatest(a.changed_at, k.changed_at)
		FROM volunteers AS v
			JOIN assignments AS a ON a.volunteer_id = v.id AND NOT a.settled AND a.status IN ('open', 'yes')
			JOIN known_services AS k USING (service_ref)
			JOIN roles AS r ON r.id = a.role_id
		WHERE v.user_id = $1
		ORDER BY k.starts_at, r.position, a.id`, sdk.Principal(ctx).UserID)
	if err != nil {
		return nil, err
	}
	now := m.clock()
	since := now
	if len(all) > 0 {
		since = all[0].Start
	}
	c := ical.Begin(m.zone(), "Rota", m.host.Config.String("teamName"))
	c.Zone(since, now)
	for _, d := range all {
		c.Event(d.ID+"@narthex", d.Changes, d.Changed)
		c.Time("DTSTART", d.Start.In(m.zone()), false)
		c.Line("DURATION:" + dutyLasts)
		c.Text("SUMMARY", d.Role+": "+d.Title)
		c.Line("STATUS:" + d.state())
		c.Line("URL:" + m.pageLink("mine"))
		c.Line("END:VEVENT")
	}
	return c.End(), nil
}

// state is the status of an event in RFC 5545.
func (d calendarDate) state() string {
	switch {
	case d.Cancelled:
		return "CANCELLED"
	case d.Status == statusYes:
		return "CONFIRMED"
	}
	return "TENTATIVE"
}
