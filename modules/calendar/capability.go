package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// eventsCapability is what other modules ask for the events of the house.
const eventsCapability = "calendar.events"

// maxProvided is how many events one call of another module returns at most, so that an answer with the
// longest titles stays below its limit of 256 KiB.
const maxProvided = 300

// betweenRequest asks for the events of a part of the calendar.
type betweenRequest struct {
	From  time.Time `json:"from"`
	Until time.Time `json:"until"`
}

// betweenResponse has the events in order. More says that there are more than one answer may have.
type betweenResponse struct {
	Events []providedEvent `json:"events"`
	More   bool            `json:"more"`
}

// providedEvent is one date of an event in the form that other modules get.
type providedEvent struct {
	ID       string    `json:"id"`   // of the event, which may repeat
	Date     string    `json:"date"` // of the date: its start by the rule, in local time
	Title    string    `json:"title"`
	Day      string    `json:"day"` // on which it starts in the house
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`
	AllDay   bool      `json:"allDay"`
}

// between returns to other modules what happens in a part of the calendar.
func (c *calendar) between(ctx context.Context, in betweenRequest) (out betweenResponse, err error) {
	if !in.Until.After(in.From) || in.Until.Sub(in.From) > maxWindow {
		return out, sdk.ErrRequestInvalid
	}
	if err := c.followZone(ctx); err != nil {
		return out, err
	}
	c.caughtUp(ctx)
	var found []shownOccurrence
	err = sdk.Read(ctx, c.db, selectBetween(&found, in.From, in.Until, maxProvided+1))
	if out.More = len(found) > maxProvided; out.More {
		found = found[:maxProvided]
	}
	out.Events = make([]providedEvent, 0, len(found))
	for _, o := range found {
		out.Events = append(out.Events, providedEvent{ID: o.Event, Date: o.Date, Title: o.Title,
			Day: o.Start[:len(dayForm)], StartsAt: o.StartsAt, EndsAt: o.EndsAt, AllDay: o.AllDay})
	}
	return out, err
}
