package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

func (s *stage) createItem(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[itemDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return nil, sdk.ErrRequestInvalid
	}
	service, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	var created *item
	err = s.writeItems(ctx, func(tx *sdk.Tx) (string, error) {
		created, err = createItem(ctx, tx, service, &draft)
		return service, err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(created), nil
}

// copyItems appends the items of another service to this one.
func (s *stage) copyItems(ctx context.Context, r *http.Request) (any, error) {
	wanted, err := sdk.Decode[struct {
		From string `json:"from"`
	}](r)
	if err != nil {
		return nil, err
	}
	service, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	if !sdk.IsID(wanted.From) || wanted.From == service {
		return nil, sdk.ErrRequestInvalid
	}
	created := []string{}
	err = s.writeItems(ctx, func(tx *sdk.Tx) (string, error) {
		created, err = copyItems(ctx, tx, service, wanted.From)
		return service, err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(map[string][]string{"items": created}), nil
}

// editItem replaces an item if it has not changed since the writer read it.
func (s *stage) editItem(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[itemDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return nil, sdk.ErrRequestInvalid
	}
	id, err := sdk.PathID(r, errNoItem)
	if err != nil {
		return nil, err
	}
	var edited *item
	err = s.writeItems(ctx, func(tx *sdk.Tx) (service string, err error) {
		edited, service, err = editItem(ctx, tx, id, &draft)
		return service, err
	})
	if err != nil {
		return nil, err
	}
	return edited, nil
}

// placeItem moves an item behind another one, or to the front if after is null.
func (s *stage) placeItem(ctx context.Context, r *http.Request) (any, error) {
	wanted, err := sdk.Decode[struct {
		After *string `json:"after"`
		Rev   int64   `json:"rev"`
	}](r)
	if err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNoItem)
	if err != nil {
		return nil, err
	}
	if wanted.After != nil && (*wanted.After == id || !sdk.IsID(*wanted.After)) {
		return nil, sdk.ErrRequestInvalid
	}
	err = s.writeItems(ctx, func(tx *sdk.Tx) (string, error) {
		return placeItem(ctx, tx, id, wanted.After, wanted.Rev)
	})
	if err != nil {
		return nil, err
	}
	return map[string]int64{"rev": wanted.Rev + 1}, nil
}

func (s *stage) removeItem(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoItem)
	if err != nil {
		return nil, err
	}
	return nil, s.writeItems(ctx, func(tx *sdk.Tx) (string, error) { return removeItem(ctx, tx, id) })
}

// writeItems runs f, which changes items and returns the id of their service.
func (s *stage) writeItems(ctx context.Context, f func(tx *sdk.Tx) (serviceID string, err error)) error {
	return s.writePlan(ctx, func(tx *sdk.Tx, now *status) (bool, error) {
		service, err := f(tx)
		if err != nil {
			return false, err
		}
		return now.drives(service), touchService(ctx, tx, service, sdk.Principal(ctx).UserID)
	})
}
