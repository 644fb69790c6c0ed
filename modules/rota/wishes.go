package main

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

const (
	maxWishes   = 30
	maxPerMonth = 31
)

// wishList is when a volunteer would like to serve, and how often in a calendar month at most (0: as often as
// needed). It replaces what was there, if the volunteer has not changed since the writer read them.
type wishList struct {
	Wishes   []days `json:"wishes"`
	PerMonth int    `json:"perMonth"`
	Rev      int64  `json:"rev"`
}

func (l *wishList) check() error {
	if len(l.Wishes) > maxWishes || !isPerMonth(l.PerMonth) {
		return sdk.ErrRequestInvalid
	}
	return checkPeriods(l.Wishes)
}

func isPerMonth(n int) bool { return n >= 0 && n <= maxPerMonth }

// putWishes replaces the caller's own wishes.
func (m *rota) putWishes(ctx context.Context, r *http.Request) (any, error) {
	return m.writeWishes(ctx, r, ownID(ctx))
}

// putWishesOf replaces the wishes of any volunteer, for those who have told a coordinator.
func (m *rota) putWishesOf(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	return m.writeWishes(ctx, r, anyID(ctx, id))
}

func (m *rota) writeWishes(ctx context.Context, r *http.Request, find func(tx *sdk.Tx) (id string, err error),
) (any, error) {
	list, err := sdk.Decode[wishList](r)
	if err != nil {
		return nil, err
	}
	if err := list.check(); err != nil {
		return nil, err
	}
	var now volunteer
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		id, err := find(tx)
		if err == nil {
			now, err = setWishes(ctx, tx, id, &list)
		}
		return update{Volunteers: []volunteer{now}}, err
	})
	if err != nil {
		return nil, err
	}
	return meOf(&now), nil
}

func setWishes(ctx context.Context, tx *sdk.Tx, id string, list *wishList) (volunteer, error) {
	changed, err := tx.Exec(ctx, `
		UPDATE volunteers SET per_month = nullif($3::integer, 0), rev = rev + 1 WHERE id = $1 AND rev = $2`,
		id, list.Rev, list.PerMonth)
	if err != nil {
		return volunteer{}, err
	}
	if changed == 0 {
		return volunteer{}, errConflict
	}
	if err := replacePeriods(ctx, tx, "wishes", id, list.Wishes); err != nil {
		return volunteer{}, err
	}
	return oneVolunteer(ctx, tx, id)
}
