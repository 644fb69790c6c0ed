package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The slide with the next events is shown by the module with the board, which keeps it.
const (
	board     = "announcements.slides"
	slideKind = "calendar.slide"
)

const (
	slidesEvery = time.Minute
	slidesRest  = 24 * time.Hour // without anybody who could see it or change the calendar
	slideEvents = 6
	slideAhead  = 14 * day
	maxWhere    = 80 // characters: a slide has 8 KiB for all of its events
)

// slideEvent is an event as the slide's contribution shows it.
type slideEvent struct {
	Title  string    `json:"title"`
	Start  string    `json:"start"`
	EndsAt time.Time `json:"endsAt"`
	AllDay bool      `json:"allDay"`
	Where  string    `json:"where"`
}

// followSlides runs by the schedule. It tells the board which events come next, so that its slides follow the
// calendar.
func (c *calendar) followSlides(ctx context.Context) error {
	if err := c.followZone(ctx); err != nil {
		return err
	}
	c.caughtUp(ctx)
	events, err := c.nextEvents(ctx, time.Now())
	if err != nil {
		return err
	}
	err = c.host.Capability(board).Call(ctx, "follow", map[string]any{
		"kind": slideKind, "set": map[string]any{"events": events},
	}, nil)
	if errors.Is(err, sdk.ErrCapabilityFailed) {
		return nil // the board is starting; the next run tells it
	}
	sdk.NothingFor(ctx, slidesRest)
	if errors.Is(err, sdk.ErrCapabilityAbsent) {
		return nil
	}
	return err
}

// nextEvents returns the next events of the house, a few days ahead.
func (c *calendar) nextEvents(ctx context.Context, now time.Time) ([]slideEvent, error) {
	var found []shownOccurrence
	var rooms []room
	if err := sdk.Read(ctx, c.db, selectBetween(&found, now, now.Add(slideAhead), slideEvents),
		c.rooms.AllInto(&rooms)); err != nil {
		return nil, err
	}
	named := make(map[int64]string)
	for _, r := range rooms {
		named[r.ID] = r.Name
	}
	events := make([]slideEvent, 0, len(found))
	for _, o := range found {
		var names []string
		for _, id := range o.Rooms {
			names = append(names, named[id])
		}
		where := []rune(strings.Join(names, ", "))
		events = append(events, slideEvent{o.Title, o.Start, o.EndsAt, o.AllDay,
			string(where[:min(len(where), maxWhere)])})
	}
	return events, nil
}
