package main

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// The limits of what a screen gets: the rest of today and all of tomorrow.
const (
	maxToday     = 200
	maxTodayText = 80 // characters of a title
)

// shownToday is everything that a screen shows.
type shownToday struct {
	ServerTime  time.Time         `json:"serverTime"`
	Rev         int64             `json:"rev"`
	Zone        string            `json:"zone"`
	Rooms       []room            `json:"rooms"`
	Occurrences []shownOccurrence `json:"occurrences"`
}

// today is the snapshot of the screens' channel. A screen fetches it again after an update with another rev,
// and whenever its stream restarts, so that a new day is shown even without a change.
func (c *calendar) today(ctx context.Context) (any, error) {
	c.caughtUp(ctx)
	now := time.Now()
	t := shownToday{ServerTime: now, Zone: c.zone().place.String()}
	until := dayOf(c.zone().local(now)).Add(2 * day)
	err := sdk.Read(ctx, c.db, sdk.RowInto([]any{&t.Rev}, `SELECT rev FROM calendar`),
		c.rooms.AllInto(&t.Rooms),
		selectBetween(&t.Occurrences, now, c.zone().instant(until), maxToday))
	if err != nil {
		return nil, err
	}
	for i := range t.Occurrences {
		o := &t.Occurrences[i]
		o.Text = "" // too small to be read in passing
		if title := []rune(o.Title); len(title) > maxTodayText {
			o.Title = string(title[:maxTodayText-1]) + "…"
		}
	}
	return t, nil
}
