package main

import (
	"context"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// zone is the zone of the house as it was when the request, the run or the mail began.
func (m *rota) zone() *time.Location { return m.place.Load() }

// followZone asks for the zone of the house.
func (m *rota) followZone(ctx context.Context) error {
	house, err := m.host.House(ctx)
	if err == nil {
		m.place.Store(house.Zone)
	}
	return err
}

// inZone asks for it before each request.
func (m *rota) inZone(handle sdk.HandlerFunc) sdk.HandlerFunc {
	return func(ctx context.Context, r *http.Request) (any, error) {
		if err := m.followZone(ctx); err != nil {
			return nil, err
		}
		return handle(ctx, r)
	}
}

// scheduled asks for it before each run.
func (m *rota) scheduled(run sdk.Scheduled) sdk.Scheduled {
	return func(ctx context.Context) error {
		if err := m.followZone(ctx); err != nil {
			return err
		}
		return run(ctx)
	}
}
