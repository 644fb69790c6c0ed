package main

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// maxUpcoming is how many services one call of another module returns at most.
const maxUpcoming = 100

// providedService is a service in the form that other modules get.
type providedService struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Start time.Time `json:"start"`
	Rev   int64     `json:"rev"` // rises with every change
}

// serviceState is a service that another module has in its own data.
type serviceState struct {
	providedService
	Cancelled bool `json:"cancelled"`
}

// followedService is a service in the list of changes.
type followedService struct {
	serviceState
	Minutes int64 `json:"minutes"` // the planned length, rounded up; 0: nothing is planned yet
	Changed int64 `json:"changed"` // the number of the latest change; a later one is higher
}

// changesRequest asks for what was changed after a number, which is that of the last service that the reader
// has, or 0.
type changesRequest struct {
	Since int64 `json:"since"`
}

type changesResponse struct {
	Services []followedService `json:"services"`
}

// upcomingRequest is the input of another module. The default of From is now, and that of Limit is
// maxUpcoming. After is the id of a service that starts at From: the list begins behind it. So a reader gets
// the next page with start and id of the last service that it has, however many start at the same moment. If
// there are ids, only these services are returned.
type upcomingRequest struct {
	From  *time.Time `json:"from"`
	After string     `json:"after"`
	Limit int        `json:"limit"`
	IDs   []string   `json:"ids"`
}

type upcomingResponse struct {
	Services []providedService `json:"services"`
}

// statesRequest has at most maxUpcoming ids.
type statesRequest struct {
	IDs []string `json:"ids"`
}

type statesResponse struct {
	Services []serviceState `json:"services"`
}

type serviceRequest struct {
	ID string `json:"id"`
}

// serviceResponse has a nil service if there is none with this id.
type serviceResponse struct {
	Service *providedService `json:"service"`
}

// upcoming returns the upcoming services to other modules, the next one first.
func (s *stage) upcoming(ctx context.Context, in upcomingRequest) (out upcomingResponse, err error) {
	from := time.Now()
	if in.From != nil {
		from = *in.From
	}
	limit := in.Limit
	if limit < 1 || limit > maxUpcoming {
		limit = maxUpcoming
	}
	var after *servicePosition
	if in.After != "" {
		if in.From == nil || !sdk.IsID(in.After) {
			return out, sdk.ErrRequestInvalid
		}
		after = &servicePosition{StartsAt: from, ID: in.After}
	}
	out.Services, err = s.store.providedServices(ctx, from, after, limit, in.IDs)
	return out, err
}

// states returns what became of services that another module has in its own data: where they are now, or that
// they are cancelled. A service that was deleted is not among them.
func (s *stage) states(ctx context.Context, in statesRequest) (out statesResponse, err error) {
	if len(in.IDs) > maxUpcoming {
		return out, sdk.ErrRequestInvalid
	}
	out.Services, err = s.store.statesOf(ctx, in.IDs)
	return out, err
}

// changed returns the services that were changed since, also cancelled ones, at most maxUpcoming, in the
// order of their changes. A service that was deleted is not among them: it was cancelled a day before.
func (s *stage) changed(ctx context.Context, in changesRequest) (out changesResponse, err error) {
	out.Services, err = s.store.changedServices(ctx, in.Since, maxUpcoming)
	return out, err
}

// service returns a service to other modules.
func (s *stage) service(ctx context.Context, in serviceRequest) (out serviceResponse, err error) {
	if !sdk.IsID(in.ID) {
		return out, nil
	}
	found, err := s.store.service(ctx, in.ID)
	if errors.Is(err, errNoService) {
		return out, nil
	}
	if err == nil {
		out.Service = &providedService{found.ID, found.Title, found.StartsAt, found.Rev}
	}
	return out, err
}
