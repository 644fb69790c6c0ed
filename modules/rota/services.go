package main

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// service is a service of the module that plans them.
type service struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Start time.Time `json:"start"`
}

// How many services one call requests, and how many are read at most.
const (
	servicesPage = 100
	maxServices  = 300
)

// services returns the services that begin in a period, in their order. If there are ids, only these are
// needed; others may be among them.
func (m *rota) services(
	ctx context.Context, from, until time.Time, ids ...string,
) (all []service, err error) {
	stage := m.host.Capability("stage.services")
	seen := make(map[string]bool)
	asked := map[string]any{"from": from, "limit": servicesPage}
	if len(ids) > 0 && len(ids) <= maxServices {
		asked["ids"] = ids
	}
	for len(all) < maxServices {
		var page struct {
			Services []service `json:"services"`
		}
		if err := stage.Call(ctx, "upcoming", asked, &page); err != nil {
			return nil, err // a partial list would look like a complete one
		}
		before := len(all)
		for _, s := range page.Services {
			if !s.Start.Before(until) {
				return all, nil
			}
			if !seen[s.ID] {
				seen[s.ID] = true
				all = append(all, s)
			}
		}
		if len(page.Services) < servicesPage {
			return all, nil
		}
		if len(all) == before { // the other module sends the same page again
			return nil, sdk.ErrCapabilityFailed
		}
		last := page.Services[len(page.Services)-1]
		asked["from"], asked["after"] = last.Start, last.ID
	}
	return all, nil
}

// byID returns the services by their ids.
func byID(services []service) map[string]service {
	found := make(map[string]service, len(services))
	for _, s := range services {
		found[s.ID] = s
	}
	return found
}

// hasAnnouncements reports whether the module that shows slides runs. Another one than Announcements may
// provide them without this method; the call fails then, but not with ErrCapabilityAbsent.
func (m *rota) hasAnnouncements(ctx context.Context) bool {
	err := m.host.Capability("announcements.slides").Call(ctx, "present", nil, nil)
	return !errors.Is(err, sdk.ErrCapabilityAbsent)
}
