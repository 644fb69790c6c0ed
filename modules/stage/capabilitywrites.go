package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// What became of a change that another module asked for.
const (
	outcomeDone     = "done"     // or it was done before
	outcomeConflict = "conflict" // the service is not as the other module saw it
	outcomeMissing  = "missing"
	outcomeInvalid  = "invalid"
)

// plannedChange is the input of a change by another module. ID is drawn by the caller also for a new service,
// so a call whose answer was lost can be made again. Was is what the caller saw; nil for a new service.
type plannedChange struct {
	ID    string     `json:"id"`
	Title string     `json:"title"`
	Start time.Time  `json:"start"`
	Was   *titleTime `json:"was"`
}

type titleTime struct {
	Title string    `json:"title"`
	Start time.Time `json:"start"`
}

// changeOutcome has the service as it is now, unless there is none.
type changeOutcome struct {
	Outcome string        `json:"outcome"`
	Service *serviceState `json:"service"`
}

// createFor makes a service for another module. The calling module has checked what its caller may do; who
// that is, is not known here.
func (s *stage) createFor(ctx context.Context, in plannedChange) (changeOutcome, error) {
	draft := serviceDraft{Title: in.Title, StartsAt: in.Start}
	if draft.check() != nil || !sdk.IsID(in.ID) || in.Was != nil {
		return changeOutcome{Outcome: outcomeInvalid}, nil
	}
	return s.changeFor(ctx, in.ID, func(tx *sdk.Tx, _ *status) (bool, error) {
		n, err := tx.Exec(ctx, `
			INSERT INTO services (id, title, starts_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
			in.ID, draft.Title, draft.StartsAt)
		if err != nil || n == 1 {
			return false, err
		}
		return false, sameAs(ctx, tx, in.ID, titleTime{draft.Title, draft.StartsAt})
	})
}

// editFor changes title and start, if they are still those that the other module saw. That other things were
// changed, such as the order, does not matter.
func (s *stage) editFor(ctx context.Context, in plannedChange) (changeOutcome, error) {
	draft := serviceDraft{Title: in.Title, StartsAt: in.Start}
	if draft.check() != nil || !sdk.IsID(in.ID) || in.Was == nil {
		return changeOutcome{Outcome: outcomeInvalid}, nil
	}
	return s.changeFor(ctx, in.ID, func(tx *sdk.Tx, now *status) (bool, error) {
		n, err := tx.Exec(ctx, `
			UPDATE services
			SET title = $4, starts_at = $5, changed_by = NULL, rev = rev + 1
			WHERE id = $1 AND title = $2 AND starts_at = $3 AND cancelled_at IS NULL`,
			in.ID, in.Was.Title, in.Was.Start, draft.Title, draft.StartsAt)
		if err != nil || n == 1 {
			return now.drives(in.ID), err
		}
		return false, sameAs(ctx, tx, in.ID, titleTime{draft.Title, draft.StartsAt})
	})
}

// cancelFor cancels a service, and restoreFor brings it back within a day.
func (s *stage) cancelFor(ctx context.Context, in serviceRequest) (changeOutcome, error) {
	return s.changeFor(ctx, in.ID, func(tx *sdk.Tx, now *status) (bool, error) {
		if before, err := stateOf(ctx, tx, in.ID); err != nil || before.Cancelled {
			return false, cmp.Or(err, sdk.ErrUnchanged)
		}
		return leaveStage(ctx, tx, now, in.ID, "")
	})
}

func (s *stage) restoreFor(ctx context.Context, in serviceRequest) (changeOutcome, error) {
	return s.changeFor(ctx, in.ID, func(tx *sdk.Tx, _ *status) (bool, error) {
		if before, err := stateOf(ctx, tx, in.ID); err != nil || !before.Cancelled {
			return false, cmp.Or(err, sdk.ErrUnchanged)
		}
		return false, restoreService(ctx, tx, in.ID, "")
	})
}

// sameAs ends a change that was done before. If the service is another one by now, it is a conflict.
func sameAs(ctx context.Context, tx *sdk.Tx, id string, wanted titleTime) error {
	now, err := stateOf(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case now.Cancelled:
		return errNoService
	case now.Title != wanted.Title || !now.Start.Equal(wanted.Start):
		return errConflict
	}
	return sdk.ErrUnchanged
}

// changeFor makes a change for another module, and tells it what became of it.
func (s *stage) changeFor(ctx context.Context, id string,
	f func(tx *sdk.Tx, now *status) (onStage bool, err error),
) (changeOutcome, error) {
	if !sdk.IsID(id) {
		return changeOutcome{Outcome: outcomeMissing}, nil
	}
	switch err := s.writePlan(ctx, f); {
	case errors.Is(err, errNoService):
		return changeOutcome{Outcome: outcomeMissing}, nil
	case errors.Is(err, errConflict):
		return changeOutcome{Outcome: outcomeConflict}, nil
	case err != nil:
		return changeOutcome{}, err
	}
	now, err := stateOf(ctx, s.store.db, id)
	if err != nil {
		return changeOutcome{}, err
	}
	return changeOutcome{outcomeDone, &now}, nil
}
