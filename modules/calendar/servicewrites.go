package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// titleTime is what somebody saw of a service before they changed it.
type titleTime struct {
	Title string    `json:"title"`
	Start time.Time `json:"start"`
}

// plan asks the module that plans services for a change, and returns the service after it.
func (c *calendar) plan(ctx context.Context, method string, in map[string]any) (*plannedService, error) {
	var out struct {
		Outcome string          `json:"outcome"`
		Service *plannedService `json:"service"`
	}
	if err := c.host.Capability(planner).Call(ctx, method, in, &out); err != nil {
		return nil, err
	}
	switch {
	case out.Outcome == "done" && out.Service != nil:
		return out.Service, nil
	case out.Outcome == "conflict":
		return nil, errConflict
	case out.Outcome == "missing":
		return nil, errNoEvent
	case out.Outcome == "invalid":
		return nil, sdk.ErrRequestInvalid
	}
	return nil, sdk.ErrCapabilityFailed
}

// service checks the draft of a service: it has times, and no text or repetition of its own.
func (d *draft) service(z zone) (*event, error) {
	e, err := d.typed(z)
	if err == nil && (e.allDay || e.rule != "" || e.text != "") {
		err = sdk.ErrRequestInvalid
	}
	return e, err
}

// createService books the rooms, which nobody sees, and then asks the module that plans services for the
// service. If this process dies in between, the next look finds out whether there is one.
func (c *calendar) createService(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return nil, err
	}
	e, err := draft.service(c.zone())
	if err == nil && draft.Rev != nil {
		err = sdk.ErrRequestInvalid
	}
	if err != nil {
		return nil, err
	}
	if c.caughtUp(ctx) != servicesHere {
		return nil, sdk.ErrCapabilityFailed
	}
	e.id = uuid.NewString()
	err = c.change(ctx, func(tx *sdk.Tx) error {
		if err := insert(ctx, tx, e, sdk.Principal(ctx).UserID); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE events SET service_rev = 0, own_length = true WHERE id = $1::uuid`,
			e.id); err != nil {
			return err
		}
		return c.build(ctx, tx, e)
	})
	if err != nil {
		return conflictResponse(nil, err)
	}
	made, err := c.plan(ctx, "create",
		map[string]any{"id": e.id, "title": e.title, "start": c.zone().instant(e.start)})
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), followWithin)
	defer cancel()
	failed := c.change(ending, func(tx *sdk.Tx) error {
		if err != nil {
			return putAway(ending, tx, e.id)
		}
		_, err := tx.Exec(ending, `UPDATE events SET service_rev = $2 WHERE id = $1::uuid AND service_rev = 0`,
			e.id, made.Rev)
		return err
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	e.service = true
	return sdk.Created(e.shown(c.zone())), nil
}

// editService changes a service and its rooms. The other module is asked last, in the transaction, so nothing
// changes here that it refuses. If this process dies before the commit, the next look moves the service here.
func (c *calendar) editService(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return nil, err
	}
	wanted, err := draft.service(c.zone())
	if err == nil && draft.Rev == nil {
		err = sdk.ErrRequestInvalid
	}
	if err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	c.caughtUp(ctx)
	err = c.change(ctx, func(tx *sdk.Tx) error {
		found, err := sdk.SelectBy(ctx, tx, scanService,
			selectServices+` AND id = $1::uuid AND deleted_at IS NULL AND service_rev > 0 FOR UPDATE`, id)
		if err == nil && len(found) == 0 {
			err = errNoEvent
		}
		if err != nil {
			return err
		}
		before := found[0]
		if before.rev != *draft.Rev {
			return errConflict
		}
		return c.replaceService(ctx, tx, before, wanted)
	})
	return conflictResponse(wanted.shown(c.zone()), err)
}

func (c *calendar) replaceService(ctx context.Context, tx *sdk.Tx, before keptService, wanted *event) error {
	wanted.id, wanted.rev, wanted.service = before.id, before.rev, true
	if err := update(ctx, tx, wanted, sdk.Principal(ctx).UserID); err != nil {
		return err
	}
	if err := c.build(ctx, tx, wanted); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `
		UPDATE events SET own_length = own_length OR minutes <> $2 WHERE id = $1::uuid`, wanted.id, before.minutes)
	if err != nil || before.title == wanted.title && before.start.Equal(wanted.start) {
		return err
	}
	moved, err := c.plan(ctx, "edit", map[string]any{"id": wanted.id, "title": wanted.title,
		"start": c.zone().instant(wanted.start),
		"was":   titleTime{before.title, c.zone().instant(before.start)}})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE events SET service_rev = $2 WHERE id = $1::uuid`, wanted.id, moved.Rev)
	return err
}

// cancelService cancels a service, and restoreService brings it back within a day.
func (c *calendar) cancelService(ctx context.Context, r *http.Request) (any, error) {
	return c.planned(ctx, r, "cancel")
}

func (c *calendar) restoreService(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	return c.planned(ctx, r, "restore")
}

// planned does one thing with a service in the path, and then looks at what became of it.
func (c *calendar) planned(ctx context.Context, r *http.Request, method string) (any, error) {
	id, err := sdk.PathID(r, errNoEvent)
	if err != nil {
		return nil, err
	}
	if _, err := c.plan(ctx, method, map[string]any{"id": id}); err != nil {
		return nil, err
	}
	c.caughtUp(ctx)
	return nil, nil
}

// rememberService gives a service of a file its rooms and its length, unless it has rooms already, and its
// sign-ups, unless it takes some. One that the calendar does not know gets them when the module that plans
// services brings it.
func (c *calendar) rememberService(ctx context.Context, tx *sdk.Tx, s archiveService, rooms []int64) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO events (id, title, text, starts, minutes, all_day, rule, rooms, service_rev, own_length,
			deleted_at)
		VALUES ($1::uuid, '', '', now(), $2, false, '', $3::bigint[]::integer[], 0, $4 > 0, now())
		ON CONFLICT (id) DO NOTHING`, s.ID, max(s.Minutes, 1), rooms, s.Minutes)
	if err != nil {
		return err
	}
	found, err := sdk.SelectBy(ctx, tx, scanService, selectServices+` AND id = $1::uuid FOR UPDATE`, s.ID)
	if err != nil || len(found) == 0 {
		return err
	}
	if s.SignUp != nil {
		_, err := target{event: s.ID}.readSheet(ctx, tx, "")
		if errors.Is(err, errNoSheet) {
			err = s.SignUp.write(ctx, tx, s.ID)
		}
		if err != nil {
			return err
		}
	}
	if found[0].gone || len(found[0].rooms) > 0 {
		return nil
	}
	k := found[0]
	k.rooms = rooms
	if s.Minutes > 0 {
		k.minutes, k.ownLength = s.Minutes, true
	}
	if _, err := k.write(ctx, tx); err != nil {
		return err
	}
	_, _, err = insertOccurrences(ctx, tx, c.zone(),
		[]occurrence{{times: k.times, event: k.id, recurrence: k.start, rooms: k.rooms}})
	return err
}
