package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// list returns the slides whose time has come to readers, and all slides to people who may write.
func (a *announcements) list(ctx context.Context, r *http.Request) (any, error) {
	manages, err := a.host.Can(ctx, manageSlides)
	if err != nil {
		return nil, err
	}
	var all []slide
	var rev int64
	// The rev is read before the slides, so that a move by an order that changes meanwhile is refused.
	err = sdk.Read(ctx, a.store.db, sdk.RowInto([]any{&rev}, selectOrder), selectSlides(&all, manages))
	if err != nil {
		return nil, err
	}
	return struct {
		Slides []slide `json:"slides"`
		Rev    int64   `json:"rev"`
	}{all, rev}, nil
}

func (a *announcements) create(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return nil, sdk.ErrRequestInvalid
	}
	draft.writer = sdk.Principal(ctx).UserID
	var created *slide
	err = a.change(ctx, func(tx *sdk.Tx) (changed update, err error) {
		if created, err = create(ctx, tx, &draft); err == nil {
			changed = onBoard(created)
		}
		return changed, err
	})
	if err != nil {
		return nil, err
	}
	a.host.Log.Info("slide created", "user", sdk.Principal(ctx).UserID)
	return sdk.Created(created), nil
}

// edit replaces the whole slide, if it has not changed since the writer read it.
func (a *announcements) edit(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[draft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return nil, sdk.ErrRequestInvalid
	}
	draft.writer = sdk.Principal(ctx).UserID
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	var edited *slide
	dropped := ""
	err = a.change(ctx, func(tx *sdk.Tx) (changed update, err error) {
		if edited, dropped, err = edit(ctx, tx, id, &draft); err == nil {
			changed = onBoard(edited)
		}
		return changed, err
	})
	if err != nil {
		return nil, err
	}
	a.deleteDropped(ctx, dropped)
	return edited, nil
}

func (a *announcements) remove(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNotFound)
	if err != nil {
		return nil, err
	}
	dropped := ""
	err = a.change(ctx, func(tx *sdk.Tx) (update, error) {
		dropped, err = remove(ctx, tx, id)
		return update{Remove: []string{id}}, err
	})
	if err != nil {
		return nil, err
	}
	a.deleteDropped(ctx, dropped)
	return nil, nil
}
