package main

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// service is one of the module that plans them.
type service struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Start time.Time `json:"start"`
}

// How many services are asked for at a time, and at most.
const (
	servicesPage = 100
	maxServices  = 300
)

// services are those that begin in a time, in their order.
func (m *rota) services(ctx context.Context, from, until time.Time) (all []service, err error) {
	stage := m.host.Capability("stage.services")
	seen := make(map[string]bool)
	for len(all) < maxServices {
		var page struct {
			Services []service `json:"services"`
		}
		asked := map[string]any{"from": from, "limit": servicesPage}
		if err := stage.Call(ctx, "upcoming", asked, &page); err != nil {
			return nil, err // of a part nobody knows what is missing
		}
		more := false
		for _, s := range page.Services {
			if !seen[s.ID] && s.Start.Before(until) {
				seen[s.ID], more = true, true
				all = append(all, s)
			}
			from = s.Start
		}
		if !more || len(page.Services) < servicesPage {
			break
		}
	}
	return all, nil
}

// byID finds services.
func byID(services []service) map[string]service {
	found := make(map[string]service, len(services))
	for _, s := range services {
		found[s.ID] = s
	}
	return found
}

// hasAnnouncements tells whether the module that shows slides runs. It offers no methods, so a call fails
// where it runs, and says that it is absent where it does not.
func (m *rota) hasAnnouncements(ctx context.Context) bool {
	err := m.host.Capability("announcements.slides").Call(ctx, "present", nil, nil)
	return !errors.Is(err, sdk.ErrCapabilityAbsent)
}
