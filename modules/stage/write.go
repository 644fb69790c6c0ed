package main

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// plansChannel notifies readers of services and songs of a change, so that they fetch them again.
const plansChannel = "plans"

// status is the row that every write locks: the service that is being driven, its driver, and the rev.
type status struct {
	ServiceID *string
	Driver    *string
	Rev       int64
}

// drives reports whether this service is being driven.
func (s *status) drives(service string) bool { return s.ServiceID != nil && *s.ServiceID == service }

// plansChange is the snapshot of plansChannel, and each of its updates.
type plansChange struct {
	Rev int64 `json:"rev"`
}

// writePlan runs f in a transaction that has locked the row of the stage, so that writes run one after the
// other. After the commit it notifies readers. f returns whether it has changed the driven service; then
// screens and phones get an update, too.
func (s *stage) writePlan(ctx context.Context,
	f func(tx *sdk.Tx, now *status) (onStage bool, err error),
) error {
	if err := s.turn.Take(ctx); err != nil {
		return err
	}
	defer s.turn.Leave()
	var rev int64
	var after *moment
	err := s.store.db.InTx(ctx, func(tx *sdk.Tx) error {
		now, err := lock(ctx, tx)
		if err != nil {
			return err
		}
		onStage, err := f(tx, now)
		if err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `
			UPDATE stage SET plans_rev = plans_rev + 1, rev = rev + $1::integer RETURNING plans_rev`,
			count(onStage)).Scan(&rev)
		if err == nil && onStage {
			after, err = readMoment(ctx, tx)
		}
		return err
	})
	if errors.Is(err, sdk.ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	s.publish(plansChannel, plansChange{rev})
	if after != nil {
		update := s.controlOf(after, nil)
		update.PlanChanged = true
		s.tell(after, update)
	}
	return nil
}

func count(what bool) int {
	if what {
		return 1
	}
	return 0
}

// publish sends an update to the readers of a channel. The change is already committed, so an error does not
// refuse it: readers see it with the next update, or when their stream restarts within five minutes.
func (s *stage) publish(channel string, update any) {
	if err := s.host.Realtime.Publish(channel, update); err != nil {
		s.host.Log.Warn("a change was not published", "channel", channel)
	}
}

// plansSnapshot returns how often services and songs were changed.
func (s *stage) plansSnapshot(ctx context.Context) (any, error) {
	var now plansChange
	err := s.store.db.QueryRow(ctx, `SELECT plans_rev FROM stage`).Scan(&now.Rev)
	return now, err
}

// lock locks the row of the stage until the transaction ends, and returns it.
func lock(ctx context.Context, tx *sdk.Tx) (*status, error) {
	now := new(status)
	err := tx.QueryRow(ctx, `SELECT service_id::text, driver, rev FROM stage FOR UPDATE`).
		Scan(&now.ServiceID, &now.Driver, &now.Rev)
	return now, err
}
