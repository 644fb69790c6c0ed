package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of one request for a part of the calendar.
const (
	maxWindow = 100 * day
	maxShown  = 2000
)

// shownOccurrence is an occurrence of an event in the form that callers get.
type shownOccurrence struct {
	Event    string    `json:"event"`
	Date     string    `json:"date"` // the date of a repeating event: its start by the rule
	Title    string    `json:"title"`
	Text     string    `json:"text"`
	Start    string    `json:"start"` // local time of the house: times, or days with the last one included
	End      string    `json:"end"`
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`
	AllDay   bool      `json:"allDay"`
	Repeats  bool      `json:"repeats"`
	Changed  bool      `json:"changed"` // it differs from the other dates
	Rooms    []int64   `json:"rooms"`
	Waiting  []int64   `json:"waiting"` // rooms that another booking has
	Rev      int64     `json:"rev"`
	Service  bool      `json:"service"`
	SignUp   bool      `json:"signUp"` // it takes sign-ups
}

// shownWindow is a part of the calendar, with everything that a page needs to show it.
type shownWindow struct {
	Rev          int64             `json:"rev"`
	Zone         string            `json:"zone"`
	WeekStartsOn string            `json:"weekStartsOn"`
	Today        string            `json:"today"`
	Horizon      string            `json:"horizon"`  // occurrences of repeating events exist up to this day
	More         bool              `json:"more"`     // there are more than one response may contain
	Waiting      int64             `json:"waiting"`  // number of bookings that wait for a room
	Services     string            `json:"services"` // whether services are among them, and as they are now
	Rooms        []room            `json:"rooms"`
	Occurrences  []shownOccurrence `json:"occurrences"`
}

// window returns the days from ?from= to before ?to=.
func (c *calendar) window(ctx context.Context, r *http.Request) (any, error) {
	asked, err := sdk.Query(r, "from", "to")
	if err != nil {
		return nil, err
	}
	from, err := time.Parse(dayForm, asked["from"])
	until, untilErr := time.Parse(dayForm, asked["to"])
	if err != nil || untilErr != nil || !until.After(from) || until.Sub(from) > maxWindow {
		return nil, sdk.ErrRequestInvalid
	}
	services := c.caughtUp(ctx)
	now := time.Now()
	w := shownWindow{Services: services, Zone: c.zone().place.String(),
		WeekStartsOn: c.host.Config.String("weekStartsOn"), Today: c.zone().local(now).Format(dayForm),
		Horizon: horizon(now).Add(-day).Format(dayForm)}
	// The rev is read before the occurrences, so that a later change is noticed.
	err = sdk.Read(ctx, c.db,
		sdk.RowInto([]any{&w.Rev, &w.Waiting}, `
			SELECT rev, (SELECT count(*) FROM bookings WHERE NOT held AND upper(during) > now()) FROM calendar`),
		c.rooms.AllInto(&w.Rooms),
		selectBetween(&w.Occurrences, c.zone().instant(from), c.zone().instant(until), maxShown+1))
	if w.More = len(w.Occurrences) > maxShown; w.More {
		w.Occurrences = w.Occurrences[:maxShown]
	}
	return w, err
}

// selectBetween reads the occurrences between two instants, in order.
func selectBetween(into *[]shownOccurrence, from, until time.Time, most int) sdk.Statement {
	return sdk.SelectIntoBy(into, func(row sdk.Scanner, o *shownOccurrence) error {
		var date, start, end time.Time // formatted here, because to_char is slower
		err := row.Scan(&o.Event, &date, &o.Title, &o.Text, &start, &end, &o.StartsAt, &o.EndsAt, &o.AllDay,
			&o.Repeats, &o.Changed, &o.Rooms, &o.Waiting, &o.Rev, &o.Service, &o.SignUp)
		o.Date, o.Start, o.End = date.Format(clockForm), start.Format(clockForm), end.Format(clockForm)
		if o.AllDay {
			o.Start, o.End = start.Format(dayForm), end.Add(-day).Format(dayForm)
		}
		return err
	}, `
		SELECT o.event_id::text, o.recurrence, coalesce(x.title, e.title), coalesce(x.text, e.text),
		       o.starts, o.ends, lower(o.during), upper(o.during), e.all_day, e.rule <> '',
		       x.event_id IS NOT NULL, coalesce(b.held, '{}'), coalesce(b.waiting, '{}'), e.rev,
		       e.service_rev IS NOT NULL, EXISTS (
		           SELECT FROM sheets s
		           WHERE s.event_id = e.id AND NOT s.gone AND (s.recurrence IS NULL OR s.recurrence = o.recurrence))
		FROM occurrences o
		JOIN events e ON e.id = o.event_id
		LEFT JOIN exceptions x ON x.event_id = o.event_id AND x.recurrence = o.recurrence
		LEFT JOIN LATERAL (
			SELECT array_agg(room_id ORDER BY room_id) FILTER (WHERE held) AS held,
			       array_agg(room_id ORDER BY room_id) FILTER (WHERE NOT held) AS waiting
			FROM bookings
			WHERE event_id = o.event_id AND recurrence = o.recurrence) b ON true
		WHERE o.during && tstzrange($1, $2) AND coalesce(e.service_rev, 1) > 0
		ORDER BY lower(o.during), e.all_day DESC, e.title COLLATE "und-x-icu", o.event_id
		LIMIT $3`, from, until, most)
}
