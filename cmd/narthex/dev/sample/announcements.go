package sample

import (
	"context"
	"net/http"
	"time"
)

// notice is a slide of the board, as POST /slides expects it.
type notice struct {
	Kind     string  `json:"kind,omitempty"` // "": announcements' own
	Title    string  `json:"title"`
	Body     string  `json:"body"`
	Payload  any     `json:"payload,omitempty"` // for a slide of another kind
	StartsAt *string `json:"startsAt,omitempty"`
	EndsAt   *string `json:"endsAt,omitempty"`
	ImageID  string  `json:"imageId,omitempty"`
	Enabled  bool    `json:"enabled"`
}

// announcements writes the notices of a foyer. One has a picture, one has expired, and two are about
// Christmas.
func announcements(ctx context.Context, c *caller) error {
	picture, err := welcomePicture()
	if err != nil {
		return err
	}
	var image struct {
		ID string `json:"id"`
	}
	if err := c.send(ctx, http.MethodPost, "/images", "image/jpeg", picture, &image); err != nil {
		return err
	}
	year := seasonOf(c.now)
	on := func(year int, month time.Month, day, hour int) *string {
		return timestamp(time.Date(year, month, day, hour, 0, 0, 0, c.now.Location()))
	}
	for _, notice := range []notice{
		{Title: "Welcome", Body: "Good that you are here. Coffee and tea are in the foyer after the service.",
			ImageID: image.ID, Enabled: true},
		{Title: "Shared lunch", Body: "Next Sunday after the service. Please bring something to share.",
			EndsAt: c.inDays(8, 14), Enabled: true},
		{Title: "Choir practice", Body: "Thursday 19:00 in the hall. New voices are welcome.", Enabled: true},
		{Title: "Building fund", Body: "Two thirds of the new roof are paid for. Thank you!",
			StartsAt: c.inDays(-7, 8), EndsAt: c.inDays(30, 18), Enabled: true},
		{Title: "Nativity play", Body: "There are still parts for shepherds and sheep. Saturdays at 10:30.",
			StartsAt: on(year, time.November, 15, 8), EndsAt: on(year, time.December, 24, 16), Enabled: true},
		{Title: "Christmas services", Body: "Nativity play on Christmas Eve at 16:00, candles at 22:00. " +
			"Christmas Day 10:00. New Year's Eve 17:00. New Year's Day 10:00.",
			StartsAt: on(year, time.December, 1, 8), EndsAt: on(year+1, time.January, 1, 12), Enabled: true},
		{Title: "Cleaning day", Body: "Many hands: Saturday from 9:00.", StartsAt: c.inDays(-21, 8),
			EndsAt: c.inDays(-14, 12), Enabled: true},
	} {
		if err := c.json(ctx, http.MethodPost, "/slides", notice, nil); err != nil {
			return err
		}
	}
	return nil
}
