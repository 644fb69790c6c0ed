package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// plansChannel tells readers of services and songs that something has changed, so that they ask again.
const plansChannel = "plans"

// standing is the row that every write locks: which service is driven, by whom, and what was told so far.
type standing struct {
	ServiceID *string
	Driver    *string
	Rev       int64
	PlansRev  int64
}

// plansChange is the snapshot of plansChannel, and each of its updates.
type plansChange struct {
	Rev int64 `json:"rev"`
}

// writePlan runs f in a transaction that has locked the row of the stage, so that all writes take turns, and
// tells readers once it is committed.
func (s *stage) writePlan(ctx context.Context, f func(tx *sdk.Tx, now *standing) error) error {
	var rev int64
	err := s.store.db.InTx(ctx, func(tx *sdk.Tx) error {
		now, err := lock(ctx, tx)
		if err != nil {
			return err
		}
		if err := f(tx, now); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `UPDATE stage SET plans_rev = plans_rev + 1 RETURNING plans_rev`).Scan(&rev)
	})
	if err != nil {
		return err
	}
	s.publish(plansChannel, plansChange{rev})
	return nil
}

// publish tells the readers of a channel. The change is committed, so a failure is no reason to refuse it:
// readers learn of it with the next update, or when their stream starts again within five minutes.
func (s *stage) publish(channel string, update any) {
	if err := s.host.Realtime.Publish(channel, update); err != nil {
		s.host.Log.Warn("a change was not published", "channel", channel)
	}
}

// plansSnapshot says how often services and songs were changed.
func (s *stage) plansSnapshot(ctx context.Context) (any, error) {
	var now plansChange
	err := s.store.db.QueryRow(ctx, `SELECT plans_rev FROM stage`).Scan(&now.Rev)
	return now, err
}

// lock reads the row of the stage, and keeps other writes waiting until the transaction ends.
func lock(ctx context.Context, tx *sdk.Tx) (*standing, error) {
	now := new(standing)
	err := tx.QueryRow(ctx, `SELECT service_id::text, driver, rev, plans_rev FROM stage FOR UPDATE`).
		Scan(&now.ServiceID, &now.Driver, &now.Rev, &now.PlansRev)
	return now, err
}
