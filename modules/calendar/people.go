package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// forget removes an erased person's id from the events. The events remain, because they are the
// congregation's.
func (c *calendar) forget(ctx context.Context, userID string) error {
	_, err := c.db.Exec(ctx, `UPDATE events SET changed_by = NULL WHERE changed_by = $1`, userID)
	return err
}

// written is an event in its last writer's export.
type written struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// export returns what the module stores about a person: the events that they were the last to write.
func (c *calendar) export(ctx context.Context, userID string) (any, error) {
	events, err := sdk.Select[written](ctx, c.db, `
		SELECT id::text, title, text FROM events WHERE changed_by = $1 ORDER BY starts, id LIMIT 5000`, userID)
	return map[string]any{"eventsLastWritten": events}, err
}
