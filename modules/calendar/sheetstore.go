package main

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// scanSheet reads sheetColumns.
func scanSheet(row sdk.Scanner, s *sheet) (err error) {
	var date, questions string
	err = row.Scan(&s.id, &s.of.event, &date, &s.gone, &s.Places, &s.Closes, &s.Queue, &questions, &s.Rev)
	if err == nil && date != "" {
		s.of.date, err = time.Parse(clockForm, date)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(questions), &s.Questions)
}

const sheetColumns = `id::text, event_id::text, coalesce(to_char(recurrence, 'YYYY-MM-DD"T"HH24:MI'), ''), ` +
	`gone, places, coalesce(to_char(closes, 'YYYY-MM-DD"T"HH24:MI'), ''), queue, questions::text, rev`

// finding reads a sheet: that of a target, or the one with an id.
type finding func(ctx context.Context, db sdk.Querier, how string) (*sheet, error)

// readSheet returns errNoSheet for what takes no sign-ups. how is FOR UPDATE for whoever signs up or
// withdraws: so of two people at once one has the last place, in whichever processes.
func (of target) readSheet(ctx context.Context, db sdk.Querier, how string) (*sheet, error) {
	return oneSheet(ctx, db, `
		event_id = $1::uuid AND recurrence IS NOT DISTINCT FROM nullif($2, '')::timestamp `+how, of.event,
		of.recurrence())
}

// sheetWith finds a sheet by its id.
func sheetWith(id string) finding {
	return func(ctx context.Context, db sdk.Querier, how string) (*sheet, error) {
		return oneSheet(ctx, db, `id = $1::uuid `+how, id)
	}
}

func oneSheet(ctx context.Context, db sdk.Querier, where string, args ...any) (*sheet, error) {
	var s sheet
	err := scanSheet(db.QueryRow(ctx, `SELECT `+sheetColumns+` FROM sheets WHERE `+where, args...), &s)
	return &s, sdk.OrNoRow(err, errNoSheet)
}

// occasion returns what people sign up for on a sheet, also if it does not take place.
func occasion(ctx context.Context, db sdk.Querier, sheetID string) (*event, error) {
	s, err := sheetWith(sheetID)(ctx, db, "")
	if err != nil {
		return nil, err
	}
	e, err := readEvenDeleted(ctx, db, s.of.event)
	if err != nil {
		return nil, err
	}
	return e.on(ctx, db, s.of)
}

// insert stores a new sheet. What happens once has the sheet with its own id, unless that one has gone to a
// date of a series; so has one of a file the id that it had. A date that its series does not have is gone.
func (s *sheet) insert(ctx context.Context, tx sdk.Querier) error {
	if s.id == "" {
		if s.id = uuid.NewString(); s.of.date.IsZero() {
			s.id = s.of.event
		}
	}
	questions, err := json.Marshal(s.Questions)
	if err != nil {
		return err
	}
	return tx.QueryRow(ctx, `
		INSERT INTO sheets (id, event_id, recurrence, gone, places, closes, queue, questions, rev)
		SELECT CASE WHEN EXISTS (SELECT FROM sheets WHERE id = $1::uuid) THEN gen_random_uuid() ELSE $1::uuid END,
		       $2::uuid, date, coalesce(date >= $4::timestamp AND NOT EXISTS (
		           SELECT FROM occurrences WHERE event_id = $2::uuid AND recurrence = date) AND NOT EXISTS (
		           SELECT FROM exceptions WHERE event_id = $2::uuid AND recurrence = date), false),
		       $5, nullif($6, '')::timestamp, $7, $8::text::jsonb, $9
		FROM (SELECT nullif($3, '')::timestamp AS date) AS given
		RETURNING id::text`,
		s.id, s.of.event, s.of.recurrence(), time.Now().Add(-keptPast).UTC().Format(clockForm), s.Places, s.Closes,
		s.Queue, string(questions), s.Rev).Scan(&s.id)
}

// update replaces what a sheet says.
func (s *sheet) update(ctx context.Context, tx sdk.Querier) error {
	questions, err := json.Marshal(s.Questions)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		UPDATE sheets
		SET places = $2, closes = nullif($3, '')::timestamp, queue = $4, questions = $5::text::jsonb, rev = $6
		WHERE id = $1::uuid`, s.id, s.Places, s.Closes, s.Queue, string(questions), s.Rev)
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
func readPeople(ctx context.Context, db sdk.Querier, sheetID string) ([]participant, error) {
	return sdk.SelectBy(ctx, db, scanParticipant, `
		SELECT `+participantColumns+`
		FROM participants
		WHERE sheet_id = $1::uuid
		ORDER BY waits, number`, sheetID)
}

// counted is how many people a sheet has.
type counted struct{ Placed, Waiting int64 }

func count(ctx context.Context, db sdk.Querier, sheetID string) (c counted, err error) {
	err = db.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE NOT waits), count(*) FILTER (WHERE waits)
		FROM participants
		WHERE sheet_id = $1::uuid`, sheetID).Scan(&c.Placed, &c.Waiting)
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
			WHERE sheet_id = $1::uuid AND waits
			ORDER BY number
			LIMIT CASE WHEN $2::bigint = 0 THEN NULL ELSE greatest(0, $2::bigint - (
				SELECT count(*) FROM participants WHERE sheet_id = $1::uuid AND NOT waits)) END)`,
		s.id, s.Places)
	return err
}
