package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// shownList is what an organiser sees of an event's sign-ups.
type shownList struct {
	Event  shownEvent    `json:"event"`
	Sheet  *sheet        `json:"sheet"` // nil: the event takes none
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
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	e, err := c.current(ctx, id)
	if err != nil {
		return nil, err
	}
	shown := shownList{Event: e.shown(c.zone()), People: []participant{}}
	s, err := readSheet(ctx, c.db, id, "")
	if errors.Is(err, errNoSheet) {
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	shown.Sheet = s
	shown.People, err = readPeople(ctx, c.db, id)
	return shown, err
}

// setSheet makes the sheet of an event, or replaces it. More places go to those who wait; fewer take nobody
// off. Answers to questions that are gone are deleted.
func (c *calendar) setSheet(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	draft, err := sdk.Decode[sheetDraft](r)
	if err != nil {
		return nil, err
	}
	s := &sheet{Places: draft.Places, Closes: draft.Closes, Queue: draft.Queue, Questions: draft.Questions}
	if !s.valid() {
		return nil, sdk.ErrRequestInvalid
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		e, err := readEvent(ctx, tx, id, "FOR UPDATE")
		if err != nil {
			return err
		}
		if e.rule != "" {
			return errRepeats
		}
		before, err := seenSheet(ctx, tx, id, draft.Rev)
		if err != nil {
			return err
		}
		gone := s.name(before.Questions)
		s.Rev = before.Rev + 1
		if err := writeSheet(ctx, tx, id, s); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `
			UPDATE participants SET answers = answers - $2::text[] WHERE event_id = $1::uuid`, id, gone); err != nil {
			return err
		}
		if before.Rev == 0 { // shown in the calendar, and an undone import keeps the event
			if err := update(ctx, tx, e, sdk.Principal(ctx).UserID); err != nil {
				return err
			}
		}
		return c.moveUp(ctx, tx, e, s)
	})
	if err != nil {
		return nil, err
	}
	c.sheetChanged(id)
	return s, nil
}

// seenSheet locks the sheet that the organiser saw, or returns an empty one for an event that has none.
func seenSheet(ctx context.Context, tx sdk.Querier, eventID string, rev *int64) (*sheet, error) {
	s, err := readSheet(ctx, tx, eventID, "FOR UPDATE")
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
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	err = c.change(ctx, func(tx *sdk.Tx) error {
		e, err := readEvent(ctx, tx, id, "FOR UPDATE")
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `DELETE FROM sheets WHERE event_id = $1::uuid`, id)
		if err == nil && n == 0 {
			err = errNoSheet
		}
		if err != nil {
			return err
		}
		return update(ctx, tx, e, sdk.Principal(ctx).UserID)
	})
	if err != nil {
		return nil, err
	}
	c.sheetChanged(id)
	return nil, c.host.Links.Revoke(ctx, eventSubject(id))
}

// makeLink makes one more address at which guests sign up. The platform keeps none, so whoever needs it again
// makes another; those that are printed already go on.
func (c *calendar) makeLink(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	if _, err := readSheet(ctx, c.db, id, ""); err != nil {
		return nil, err
	}
	e, err := readEvent(ctx, c.db, id, "")
	if err != nil {
		return nil, err
	}
	address, err := c.host.Links.Create(ctx, eventSubject(id), c.linkEnds(e))
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

// endLinks ends all addresses at which guests sign up for an event. Those who have signed up keep theirs.
func (c *calendar) endLinks(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	return nil, c.host.Links.Revoke(ctx, eventSubject(id))
}

// removePerson takes somebody off the sheet, also after the event has begun.
func (c *calendar) removePerson(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	if !sdk.IsID(r.PathValue("person")) {
		return nil, errNotSigned
	}
	return nil, c.withdraw(ctx, id, `id = $2::uuid`, r.PathValue("person"), true)
}
