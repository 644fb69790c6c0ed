package sample

import (
	"context"
	"net/http"
	"time"
)

// countdown adds one slide of its kind to the board of announcements, which counts down to the next Sunday,
// 10:00.
func countdown(ctx context.Context, c *caller) error {
	days := (7 - int(c.now.Weekday())) % 7
	sunday := time.Date(c.now.Year(), c.now.Month(), c.now.Day()+days, 10, 0, 0, 0, c.now.Location())
	if !sunday.After(c.now) {
		sunday = sunday.AddDate(0, 0, 7)
	}
	return c.of("announcements").json(ctx, http.MethodPost, "/slides", notice{
		Kind: "countdown.slide", Title: "Sunday service", Enabled: true,
		Payload: map[string]any{
			"label": "The service starts in", "target": timestamp(sunday), "after": "hide"},
	}, nil)
}
