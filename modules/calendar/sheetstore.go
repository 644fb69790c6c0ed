package main

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// scanSheet reads sheetColumns.
func scanSheet(row sdk.Scanner, s *sheet) error {
	var questions string
	if err := row.Scan(&s.Places, &s.Closes, &s.Queue, &questions, &s.Rev); err != nil {
		return err
	}
	return json.Unmarshal([]byte(questions), &s.Questions)
}

const sheetColumns = `places, coalesce(to_char(closes, 'YYYY-MM-DD"T"HH24:MI'), ''), queue, ` +
	`questions::text, rev`

// readSheet returns errNoSheet for an event that takes no sign-ups. how is FOR UPDATE for whoever signs up or
// withdraws: so of two people at once one has the last place, in whichever processes.
func readSheet(ctx context.Context, db sdk.Querier, eventID, how string) (*sheet, error) {
	var s sheet
	err := scanSheet(db.QueryRow(ctx, `
		SELECT `+sheetColumns+` FROM sheets WHERE event_id = $1::uuid `+how, eventID), &s)
	return &s, sdk.OrNoRow(err, errNoSheet)
}

// writeSheet inserts or replaces a sheet.
func writeSheet(ctx context.Context, tx sdk.Querier, eventID string, s *sheet) error {
	questions, err := json.Marshal(s.Questions)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO sheets (event_id, places, closes, queue, questions, rev)
		VALUES ($1::uuid, $2, nullif($3, '')::timestamp, $4, $5::text::jsonb, $6)
		ON CONFLICT (event_id) DO UPDATE
		SET places = excluded.places, closes = excluded.closes, queue = excluded.queue,
		    questions = excluded.questions, rev = excluded.rev`,
		eventID, s.Places, s.Closes, s.Queue, string(questions), s.Rev)
	return err
}

// participant is somebody who has signed up.
type participant struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Email   string            `json:"email"`
	Answers map[string]string `json:"answers"` // by the ids of the questions
	Waits   bool              `json:"waits"`   // for a place
	At      time.Time         `json:"at"`
	Heard   string            `json:"heard"` // how the last mail went; "": it is on its way
}

const participantColumns = `id::text, name, email, answers::text, waits, at, ` +
	`CASE mail WHEN '' THEN heard ELSE '' END`

func scanParticipant(row sdk.Scanner, p *participant) error {
	var answers string
	if err := row.Scan(&p.ID, &p.Name, &p.Email, &answers, &p.Waits, &p.At, &p.Heard); err != nil {
		return err
	}
	return json.Unmarshal([]byte(answers), &p.Answers)
}

// readPeople returns those who have signed up: first those with a place, then those who wait, each in the
// order in which they came.
func readPeople(ctx context.Context, db sdk.Querier, eventID string) ([]participant, error) {
	return sdk.SelectBy(ctx, db, scanParticipant, `
		SELECT `+participantColumns+`
		FROM participants
		WHERE event_id = $1::uuid
		ORDER BY waits, number`, eventID)
}

// counted is how many people a sheet has.
type counted struct{ Placed, Waiting int64 }

func count(ctx context.Context, db sdk.Querier, eventID string) (c counted, err error) {
	err = db.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE NOT waits), count(*) FILTER (WHERE waits)
		FROM participants
		WHERE event_id = $1::uuid`, eventID).Scan(&c.Placed, &c.Waiting)
	return c, err
}

// moveUp gives free places to those who wait, the first of them first, and queues a mail to each. The sheet
// is locked. Nobody moves up once the event has begun.
func (c *calendar) moveUp(ctx context.Context, tx sdk.Querier, e *event, s *sheet) error {
	if !c.zone().instant(e.start).After(time.Now()) {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE participants
		SET waits = false, mail = 'up', mail_at = now(), mail_tries = 0, heard = ''
		WHERE id IN (
			SELECT id
			FROM participants
			WHERE event_id = $1::uuid AND waits
			ORDER BY number
			LIMIT CASE WHEN $2::bigint = 0 THEN NULL ELSE greatest(0, $2::bigint - (
				SELECT count(*) FROM participants WHERE event_id = $1::uuid AND NOT waits)) END)`,
		e.id, s.Places)
	return err
}
