package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// shownList is what an organiser sees of the sign-ups for an event, or for one date of it.
type shownList struct {
	Event  shownEvent    `json:"event"` // as it takes place on the date
	Off    bool          `json:"off"`   // the date is cancelled, or the series has it no more
	Sheet  *sheet        `json:"sheet"` // nil: it takes none
	People []participant `json:"people"`
}

// sheetDraft is a sheet as an organiser sends it.
type sheetDraft struct {
	Places    int64      `json:"places"`
	Closes    string     `json:"closes"`
	Queue     bool       `json:"queue"`
	Questions []question `json:"questions"`
	Rev       *int64     `json:"rev"` // that the organiser saw; absent for a new one
}

func (c *calendar) list(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	e, err := c.current(ctx, of)
	if err != nil {
		return nil, err
	}
	shown := shownList{Event: e.shown(c.zone()), Off: e.off, People: []participant{}}
	s, err := of.readSheet(ctx, c.db, "")
	if errors.Is(err, errNoSheet) {
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	shown.Sheet = s
	shown.People, err = readPeople(ctx, c.db, s.id)
	return shown, err
}

// setSheet makes the sheet of an event or of a date of one, or replaces it. A series as a whole has none.
// More places go to those who wait; fewer take nobody off. Answers to questions that are gone are deleted.
func (c *calendar) setSheet(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	draft, err := sdk.Decode[sheetDraft](r)
	if err != nil {
		return nil, err
	}
	s := &sheet{of: of, Places: draft.Places, Closes: draft.Closes, Queue: draft.Queue,
		Questions: draft.Questions}
	if !s.valid() {
		return nil, sdk.ErrRequestInvalid
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		e, err := readEvent(ctx, tx, of.event, "FOR UPDATE")
		if err != nil {
			return err
		}
		if e.rule != "" && of.date.IsZero() {
			return errRepeats
		}
		on, err := e.on(ctx, tx, of)
		if err != nil {
			return err
		}
		before, err := seenSheet(ctx, tx, of, draft.Rev)
		if err != nil {
			return err
		}
		if err := s.replace(ctx, tx, before, on); err != nil {
			return err
		}
		if before.Rev == 0 { // shown in the calendar, and an undone import keeps the event
			if err := update(ctx, tx, e, sdk.Principal(ctx).UserID); err != nil {
				return err
			}
		}
		return c.moveUp(ctx, tx, on, s)
	})
	if err != nil {
		return nil, err
	}
	c.sheetChanged(of.event)
	return s, nil
}

// replace writes a sheet in place of an earlier one, or as the first.
func (s *sheet) replace(ctx context.Context, tx sdk.Querier, before *sheet, e *event) error {
	gone := s.name(before.Questions)
	s.id, s.Rev = before.id, before.Rev+1
	if before.Rev == 0 {
		if e.off {
			return errNoDate
		}
		return s.insert(ctx, tx)
	}
	if err := s.update(ctx, tx); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE participants SET answers = answers - $2::text[] WHERE sheet_id = $1::uuid`, s.id, gone)
	return err
}

// seenSheet locks the sheet that the organiser saw, or returns an empty one for what has none.
func seenSheet(ctx context.Context, tx sdk.Querier, of target, rev *int64) (*sheet, error) {
	s, err := of.readSheet(ctx, tx, "FOR UPDATE")
	switch {
	case errors.Is(err, errNoSheet) && rev == nil:
		return &sheet{}, nil
	case err == nil && (rev == nil || *rev != s.Rev):
		return nil, errConflict
	}
	return s, err
}

// removeSheet deletes the sheet with everybody on it, and ends the links to it. Links of people who had
// signed up show nothing any more.
func (c *calendar) removeSheet(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	var s *sheet
	err = c.change(ctx, func(tx *sdk.Tx) error {
		e, err := readEvent(ctx, tx, of.event, "FOR UPDATE")
		if err != nil {
			return err
		}
		if s, err = of.readSheet(ctx, tx, "FOR UPDATE"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM sheets WHERE id = $1::uuid`, s.id); err != nil {
			return err
		}
		return update(ctx, tx, e, sdk.Principal(ctx).UserID)
	})
	if err != nil {
		return nil, err
	}
	c.sheetChanged(of.event)
	return nil, c.host.Links.Revoke(ctx, sheetSubject(s.id))
}

// makeLink makes one more address at which guests sign up. The platform keeps none, so whoever needs it again
// makes another; those that are printed already go on.
func (c *calendar) makeLink(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	s, err := of.readSheet(ctx, c.db, "")
	if err != nil {
		return nil, err
	}
	e, err := c.current(ctx, of)
	if err == nil && e.off {
		err = errNoDate
	}
	if err != nil {
		return nil, err
	}
	address, err := c.host.Links.Create(ctx, sheetSubject(s.id), c.linkEnds(e))
	if err != nil {
		return nil, err
	}
	code, err := drawQR(address)
	if err != nil {
		return nil, err
	}
	return sdk.Created(sharedAddress{address, code}), nil
}

// sharedAddress is an address for guests, with its code for posters.
type sharedAddress struct {
	Address string `json:"address"`
	Code    qrCode `json:"code"`
}

// endLinks ends all addresses at which guests sign up on a sheet. Those who have signed up keep theirs.
func (c *calendar) endLinks(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	s, err := of.readSheet(ctx, c.db, "")
	if err != nil {
		return nil, err
	}
	return nil, c.host.Links.Revoke(ctx, sheetSubject(s.id))
}

// removePerson takes somebody off the sheet, also after the event has begun.
func (c *calendar) removePerson(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	if !sdk.IsID(r.PathValue("person")) {
		return nil, errNotSigned
	}
	return nil, c.withdraw(ctx, of.readSheet, `id = $2::uuid`, r.PathValue("person"), true)
}
