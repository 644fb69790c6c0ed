package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxMessage is the longest message on screens, in characters.
const maxMessage = 120

// press is one action of the driver. OpID distinguishes a new press from one that is sent again because its
// response was lost.
type press struct {
	OpID    string  `json:"opId"`
	Rev     int64   `json:"rev"` // the rev that the driver saw
	Action  string  `json:"action"`
	Item    *string `json:"item"`
	Section *int64  `json:"section"`
	Screen  *string `json:"screen"`
	Message *string `json:"message"`
}

// check refuses an unknown action, and one with the wrong fields.
func (p *press) check() error {
	has := [...]bool{p.Item != nil, p.Section != nil, p.Screen != nil, p.Message != nil}
	if p.Message != nil {
		*p.Message = normalized(*p.Message)
	}
	valid := sdk.IsID(p.OpID)
	switch p.Action {
	case "next", "previous", "end":
		valid = valid && has == [4]bool{}
	case "item":
		valid = valid && has == [4]bool{0: true, 1: has[1]} && sdk.IsID(*p.Item)
	case "section":
		valid = valid && has == [4]bool{1: true}
	case "screen":
		valid = valid && has == [4]bool{2: true} &&
			(*p.Screen == showLive || *p.Screen == showBlack || *p.Screen == showLogo ||
				*p.Screen == showCountdown)
	case "message":
		valid = valid && has == [4]bool{3: true} && sdk.IsLine(*p.Message, 0, maxMessage)
	default:
		valid = false
	}
	if !valid || p.Section != nil && (*p.Section < 0 || *p.Section > maxWords) {
		return sdk.ErrRequestInvalid
	}
	return nil
}

// readLive returns the snapshot of the control channel with the caller's own id, which the channel does not
// contain.
func (s *stage) readLive(ctx context.Context, _ *http.Request) (any, error) {
	read, err := s.readControl(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		*control
		You string `json:"you"`
	}{read, sdk.Principal(ctx).UserID}, nil
}

// press executes the driver's press, once, if they still drive and saw the current rev.
func (s *stage) press(ctx context.Context, r *http.Request) (any, error) {
	pressed, err := sdk.Decode[press](r)
	if err != nil {
		return nil, err
	}
	if err := pressed.check(); err != nil {
		return nil, err
	}
	service, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	return s.pressAs(ctx, sdk.Principal(ctx).UserID, service, &pressed)
}

func (s *stage) pressAs(ctx context.Context, me, service string, pressed *press) (*controlUpdate, error) {
	return s.drive(ctx, &pressed.OpID, func(tx *sdk.Tx, now *status) error {
		if done, err := isDone(ctx, tx, me, pressed.OpID); err != nil || done {
			return unchangedIf(done, err)
		}
		if !now.drives(service) || now.Driver == nil || *now.Driver != me {
			return errNotDriver
		}
		if now.Rev != pressed.Rev {
			return errConflict
		}
		if err := keepPress(ctx, tx, me, pressed.OpID); err != nil {
			return err
		}
		return do(ctx, tx, service, pressed)
	})
}

// take makes the caller the driver, and this service the one that screens show. If two callers saw the same
// rev, the slower one gets a conflict.
func (s *stage) take(ctx context.Context, r *http.Request) (any, error) {
	wanted, err := sdk.Decode[struct {
		Rev int64 `json:"rev"`
	}](r)
	if err != nil {
		return nil, err
	}
	service, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	me := sdk.Principal(ctx).UserID
	return s.drive(ctx, nil, func(tx *sdk.Tx, now *status) error {
		switch {
		case now.drives(service) && now.Driver != nil && *now.Driver == me:
			return sdk.ErrUnchanged
		case now.Rev != wanted.Rev:
			return errConflict
		}
		return takeStage(ctx, tx, service, me)
	})
}

// drive runs f in a transaction that has locked the row of the stage, and sends the new state to screens and
// phones. When f returns sdk.ErrUnchanged, nothing is sent, and the response is the current state.
func (s *stage) drive(ctx context.Context, ack *string, f func(tx *sdk.Tx, now *status) error) (
	*controlUpdate, error,
) {
	if err := s.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer s.turn.Leave()
	var after *moment
	changed := true
	err := s.store.db.InTx(ctx, func(tx *sdk.Tx) error {
		now, err := lock(ctx, tx)
		if err != nil {
			return err
		}
		switch err := f(tx, now); {
		case err == sdk.ErrUnchanged:
			changed = false
		case err != nil:
			return err
		default:
			if _, err := tx.Exec(ctx, `UPDATE stage SET rev = rev + 1`); err != nil {
				return err
			}
		}
		after, err = readMoment(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	update := s.controlOf(after, ack)
	if changed {
		s.tell(after, update)
	}
	return &update, nil
}
