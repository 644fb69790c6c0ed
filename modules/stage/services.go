package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// listServices returns the upcoming, the past or the cancelled services, page by page.
func (s *stage) listServices(ctx context.Context, r *http.Request) (any, error) {
	page, err := sdk.ReadPage[servicePosition](r, "when")
	if err != nil {
		return nil, err
	}
	if page.After != nil && !sdk.IsID(page.After.ID) {
		return nil, sdk.ErrRequestInvalid
	}
	border := time.Now().Add(-stillUpcoming)
	var services []service
	switch when, said := page.Query["when"]; {
	case !said || when == "upcoming":
		services, err = s.store.upcomingServices(ctx, border, page.After, page.Limit+1)
	case when == "past":
		services, err = s.store.pastServices(ctx, border, page.After, page.Limit+1)
	case when == "cancelled":
		services, err = s.store.cancelledServices(ctx, page.After, page.Limit+1)
	default:
		err = sdk.ErrRequestInvalid
	}
	if err != nil {
		return nil, err
	}
	services, next, err := sdk.CutPage(page, services, func(s service) servicePosition {
		return servicePosition{s.StartsAt, s.ID}
	})
	return struct {
		Services   []service `json:"services"`
		NextCursor *string   `json:"nextCursor"`
	}{services, next}, err
}

func (s *stage) readService(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	return s.store.service(ctx, id)
}

func (s *stage) createService(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[serviceDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev != nil {
		return nil, sdk.ErrRequestInvalid
	}
	var created *service
	err = s.writePlan(ctx, func(tx *sdk.Tx, _ *status) (bool, error) {
		created, err = createService(ctx, tx, &draft, sdk.Principal(ctx).UserID)
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return sdk.Created(created), nil
}

// editService changes title and start, if the service has not changed since the writer read it.
func (s *stage) editService(ctx context.Context, r *http.Request) (any, error) {
	draft, err := sdk.Decode[serviceDraft](r)
	if err != nil {
		return nil, err
	}
	if err := draft.check(); err != nil || draft.Rev == nil {
		return nil, sdk.ErrRequestInvalid
	}
	id, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	err = s.writePlan(ctx, func(tx *sdk.Tx, now *status) (bool, error) {
		return now.drives(id), editService(ctx, tx, id, &draft, sdk.Principal(ctx).UserID)
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": id, "rev": *draft.Rev}, nil
}

// removeService cancels a service. restoreService brings it back within a day.
func (s *stage) removeService(ctx context.Context, r *http.Request) (any, error) {
	id, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	return nil, s.writePlan(ctx, func(tx *sdk.Tx, now *status) (bool, error) {
		return leaveStage(ctx, tx, now, id, sdk.Principal(ctx).UserID)
	})
}

// leaveStage cancels a service, and takes it off the screens. onStage: it was there.
func leaveStage(ctx context.Context, tx *sdk.Tx, now *status, id, writer string) (onStage bool, err error) {
	if err := cancelService(ctx, tx, id, writer); err != nil || !now.drives(id) {
		return false, err
	}
	_, err = tx.Exec(ctx, `UPDATE stage SET service_id = NULL, driver = NULL`)
	return true, err
}

func (s *stage) restoreService(ctx context.Context, r *http.Request) (any, error) {
	if _, err := sdk.Decode[struct{}](r); err != nil {
		return nil, err
	}
	id, err := sdk.PathID(r, errNoService)
	if err != nil {
		return nil, err
	}
	return nil, s.writePlan(ctx, func(tx *sdk.Tx, _ *status) (bool, error) {
		return false, restoreService(ctx, tx, id, sdk.Principal(ctx).UserID)
	})
}
