package main

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// forget removes an erased person's id from the events, and takes them off all sheets. The events remain,
// because they are the congregation's.
func (c *calendar) forget(ctx context.Context, userID string) error {
	if err := c.forgetSignUps(ctx, userID); err != nil {
		return err
	}
	_, err := c.db.Exec(ctx, `UPDATE events SET changed_by = NULL WHERE changed_by = $1`, userID)
	return err
}

// written is an event in its last writer's export.
type written struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// export returns what the module stores about a person: the events that they were the last to write, and
// those that they have signed up for.
func (c *calendar) export(ctx context.Context, userID string) (any, error) {
	events, err := sdk.Select[written](ctx, c.db, `
		SELECT id::text, title, text FROM events WHERE changed_by = $1 ORDER BY starts, id LIMIT 5000`, userID)
	if err != nil {
		return nil, err
	}
	signUps, err := c.exportSignUps(ctx, userID)
	return map[string]any{"eventsLastWritten": events, "signUps": signUps}, err
}

// exportedSignUp is a sign-up in the export of the person.
type exportedSignUp struct {
	Event   string            `json:"event"`
	Start   string            `json:"start"`
	Name    string            `json:"name"`
	Email   string            `json:"email"`
	Waits   bool              `json:"waits"`
	At      time.Time         `json:"at"`
	Answers map[string]string `json:"answers"` // by the words of the questions
}

func (c *calendar) exportSignUps(ctx context.Context, userID string) ([]exportedSignUp, error) {
	return sdk.SelectBy(ctx, c.db, func(row sdk.Scanner, s *exportedSignUp) error {
		var answers string
		err := row.Scan(&s.Event, &s.Start, &s.Name, &s.Email, &s.Waits, &s.At, &answers)
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(answers), &s.Answers)
	}, `
		SELECT d.title, to_char(d.starts, 'YYYY-MM-DD"T"HH24:MI'), p.name, p.email, p.waits, p.at, coalesce((
		           SELECT jsonb_object_agg(q ->> 'text', p.answers ->> (q ->> 'id'))
		           FROM jsonb_array_elements(s.questions) q
		           WHERE p.answers ? (q ->> 'id')), '{}')::text
		FROM participants p
		JOIN sheets s ON s.id = p.sheet_id
		JOIN `+onDates+` ON d.sheet = p.sheet_id
		WHERE p.user_id = $1
		ORDER BY d.starts, d.sheet`, userID)
}
