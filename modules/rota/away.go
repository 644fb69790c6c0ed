package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// awayList replaces the periods of a volunteer, if they have not changed since the writer read them.
type awayList struct {
	Away []days `json:"away"`
	Rev  int64  `json:"rev"`
}

func (l *awayList) check() error {
	if len(l.Away) > maxAway {
		return sdk.ErrRequestInvalid
	}
	return checkPeriods(l.Away)
}

// putAway replaces the caller's own periods.
func (m *rota) putAway(ctx context.Context, r *http.Request) (any, error) {
	return m.writeAway(ctx, r, ownID(ctx))
}

// putAwayOf replaces the periods of any volunteer, for those who have told a coordinator.
func (m *rota) putAwayOf(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errGone)
	if err != nil {
		return nil, err
	}
	return m.writeAway(ctx, r, anyID(ctx, id))
}

// writeAway replaces the periods of the volunteer that find returns.
func (m *rota) writeAway(ctx context.Context, r *http.Request, find func(tx *sdk.Tx) (id string, err error),
) (any, error) {
	list, err := sdk.Decode[awayList](r)
	if err != nil {
		return nil, err
	}
	if err := list.check(); err != nil {
		return nil, err
	}
	var now volunteer
	err = m.change(ctx, func(tx *sdk.Tx) (update, error) {
		id, err := find(tx)
		if err != nil {
			return update{}, err
		}
		before, err := volunteers(ctx, tx, []string{id})
		if err != nil {
			return update{}, err
		}
		if now, err = setAway(ctx, tx, id, &list); err != nil {
			return update{}, err
		}
		told := update{Volunteers: []volunteer{now}}
		noted, err := m.noteAway(ctx, tx, id, now.Away, before[0].Away)
		if err == nil && noted {
			err = m.withNews(ctx, tx, &told)
		}
		return told, err
	})
	if err != nil {
		return nil, err
	}
	return meOf(&now), nil
}

// setAway replaces the periods of a volunteer, if they have not changed since the writer read them.
func setAway(ctx context.Context, tx *sdk.Tx, id string, list *awayList) (volunteer, error) {
	changed, err := tx.Exec(ctx, `UPDATE volunteers SET rev = rev + 1 WHERE id = $1 AND rev = $2`, id, list.Rev)
	if err != nil {
		return volunteer{}, err
	}
	if changed == 0 {
		return volunteer{}, errConflict
	}
	if err := replacePeriods(ctx, tx, "away", id, list.Away); err != nil {
		return volunteer{}, err
	}
	return oneVolunteer(ctx, tx, id)
}

// noteAway notes the dates that a volunteer has said yes to and is away on now, but was not before. It
// reports whether there are any.
func (m *rota) noteAway(ctx context.Context, tx *sdk.Tx, volunteerID string, now, before []days) (
	noted bool, err error,
) {
	accepted, err := m.dutiesWhere(ctx, tx, `a.volunteer_id = $1::uuid AND a.status = 'yes'`, volunteerID)
	if err != nil {
		return false, err
	}
	for _, d := range accepted {
		day := m.dayOf(d.Service.Start).Format(time.DateOnly)
		if within(day, now) && !within(day, before) {
			noted = true
			if err := m.noteDuty(ctx, tx, newsAway, d); err != nil {
				return false, err
			}
		}
	}
	return noted, nil
}

// addAway stores a day, unless it is in a stored period already.
func addAway(ctx context.Context, tx *sdk.Tx, volunteerID, day string) ([]volunteer, error) {
	touched, err := tx.Exec(ctx, `
		INSERT INTO away (volunteer_id, first_day, last_day)
		SELECT $1, $2::text::date, $2::text::date
		WHERE NOT EXISTS (
			SELECT FROM away WHERE volunteer_id = $1 AND $2::text::date BETWEEN first_day AND last_day)`,
		volunteerID, day)
	if err != nil || touched == 0 {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `UPDATE volunteers SET rev = rev + 1 WHERE id = $1`, volunteerID); err != nil {
		return nil, err
	}
	return volunteers(ctx, tx, []string{volunteerID})
}
