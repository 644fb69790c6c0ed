package main

import (
	"context"
	"errors"
	"net/mail"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// Limits of what somebody says of themselves.
const (
	maxName  = 100 // characters
	maxEmail = 254 // bytes
)

// signed is what somebody sends who signs up.
type signed struct {
	Name     string            `json:"name"`
	Email    string            `json:"email"`
	Language string            `json:"language"` // of the mails: "en" or "de"
	Answers  map[string]string `json:"answers"`
}

// valid trims name and address, and reports whether a mail can be sent there.
func (s *signed) valid() bool {
	s.Name, s.Email = strings.TrimSpace(s.Name), strings.TrimSpace(s.Email)
	return sdk.IsLine(s.Name, 1, maxName) && isAddress(s.Email) && (s.Language == "en" || s.Language == "de")
}

// isAddress reports whether a text is an address as sdk.Message takes it.
func isAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	plain := func(r rune) bool { return r > 0x20 && r < 0x7f && r != '"' }
	return err == nil && parsed.Address == text && len(text) <= maxEmail &&
		!strings.ContainsFunc(text, func(r rune) bool { return !plain(r) })
}

// signUp puts somebody on a sheet, with a place or in the queue. userID is "" for a guest.
func (c *calendar) signUp(
	ctx context.Context, find finding, userID string, who signed,
) (id string, waits bool, err error) {
	if !who.valid() {
		return "", false, sdk.ErrRequestInvalid
	}
	id = uuid.NewString()
	err = c.onSheet(ctx, find, func(tx *sdk.Tx, e *event, s *sheet) error {
		if e.off {
			return errNoEvent
		}
		answers, err := s.answered(who.Answers)
		if err != nil {
			return err
		}
		if !s.closing(e, c.zone()).After(time.Now()) {
			return errClosed
		}
		there, err := count(ctx, tx, s.id)
		if err != nil {
			return err
		}
		waits = s.Places > 0 && there.Placed >= s.Places
		if waits && !s.Queue || there.Placed+there.Waiting >= maxPeople {
			return errFull
		}
		stored, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO participants (id, sheet_id, user_id, name, email, language, answers, waits, mail, told)
			SELECT $1::uuid, d.sheet, nullif($3, ''), $4, $5, $6, $7::text::jsonb, $8, 'new', `+stateOf+`
			FROM `+onDates+`
			WHERE d.sheet = $2::uuid`,
			id, s.id, userID, who.Name, who.Email, who.Language, string(stored), waits)
		switch sdk.BrokenConstraint(err) {
		case "participants_once", "participants_person":
			return errTwice
		}
		return err
	})
	return id, waits, err
}

// onSheet changes a sheet or who is on it, with the row of the sheet locked, and tells the organiser's page.
// The event is as it takes place for those on the sheet.
func (c *calendar) onSheet(
	ctx context.Context, find finding, f func(tx *sdk.Tx, e *event, s *sheet) error,
) error {
	var eventID string
	err := c.db.InTx(ctx, func(tx *sdk.Tx) error {
		s, err := find(ctx, tx, "FOR UPDATE")
		if err != nil {
			return err
		}
		eventID = s.of.event
		e, err := readEvent(ctx, tx, eventID, "")
		if err != nil {
			return err
		}
		if e, err = e.on(ctx, tx, s.of); err != nil {
			return err
		}
		return f(tx, e, s)
	})
	if err == nil {
		c.sheetChanged(eventID)
	}
	return err
}

// sheetChanged tells the organiser's page, and has the mails sent that wait.
func (c *calendar) sheetChanged(eventID string) {
	if c.host.Realtime.Publish(sheetsChannel, changedSheet{eventID}) != nil {
		c.host.Log.Warn("a change was not published", "channel", sheetsChannel)
	}
	c.mails.Wake()
}

// changedSheet is the update of the channel for organisers, who read the sheet again.
type changedSheet struct {
	Event string `json:"event"`
}

// withdraw takes somebody off a sheet, and gives the place to the first who waits. by is whom the row has to
// belong to: the condition of its column.
func (c *calendar) withdraw(ctx context.Context, find finding, where, by string, late bool) error {
	var id string
	err := c.onSheet(ctx, find, func(tx *sdk.Tx, e *event, s *sheet) error {
		switch {
		case late:
		case e.off:
			return errNoEvent
		case !c.zone().instant(e.start).After(time.Now()):
			return errBegun
		}
		err := tx.QueryRow(ctx, `
			DELETE FROM participants WHERE sheet_id = $1::uuid AND `+where+` RETURNING id::text`,
			s.id, by).Scan(&id)
		if err != nil {
			return sdk.OrNoRow(err, errNotSigned)
		}
		return c.moveUp(ctx, tx, e, s)
	})
	if err != nil {
		return err
	}
	// Without a row the link shows nothing, so that a failure here does no harm.
	_ = c.host.Links.Revoke(ctx, signUpSubject(id))
	return nil
}

// forgetSignUps takes an erased person off all sheets, and ends their links first: after a failure the
// platform calls again.
func (c *calendar) forgetSignUps(ctx context.Context, userID string) error {
	_, err := c.db.Exec(ctx, `
		INSERT INTO erased_signups (sheet_id, at, erased_on)
		SELECT sheet_id, at, CURRENT_DATE FROM participants WHERE user_id = $1
		ON CONFLICT DO NOTHING`, userID)
	if err != nil {
		return err
	}
	type place struct{ ID, Sheet string }
	places, err := sdk.Select[place](ctx, c.db, `
		SELECT id::text, sheet_id::text FROM participants WHERE user_id = $1`, userID)
	if err != nil {
		return err
	}
	for _, p := range places {
		if err := c.host.Links.Revoke(ctx, signUpSubject(p.ID)); err != nil {
			return err
		}
		err := c.withdraw(ctx, sheetWith(p.Sheet), `user_id = $2`, userID, true)
		if errors.Is(err, errNoEvent) { // it is deleted, and may come back
			_, err = c.db.Exec(ctx, `DELETE FROM participants WHERE id = $1::uuid`, p.ID)
		}
		if err != nil && !errors.Is(err, errNotSigned) && !errors.Is(err, errNoSheet) {
			return err
		}
	}
	return nil
}
