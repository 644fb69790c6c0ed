package platform

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

// principals resolves the sender of a request: a person with a live session, else a paired screen, else
// nobody (docs/reference/http-api.md). A browser with both credentials is the person.
type principals struct {
	people  httpserver.Resolver
	screens httpserver.Resolver
}

// Resolver returns what resolves the sender of a request. It is valid once identity and devices are built.
func (s *Server) Resolver() httpserver.Resolver {
	return principals{people: s.identity, screens: s.devices}
}

// Resolve fails as soon as one of the stores fails.
func (p principals) Resolve(ctx context.Context, r *http.Request) (principal.Principal, error) {
	who, err := p.people.Resolve(ctx, r)
	if err != nil || who.Kind != principal.Anonymous {
		return who, err
	}
	return p.screens.Resolve(ctx, r)
}

// Displays returns the displays of the running modules. It is called only by requests, after every module has
// started.
func (s *Server) Displays() []devices.Display {
	var displays []devices.Display
	for _, module := range s.modules {
		if declared := module.Manifest; declared.Display != nil {
			displays = append(displays, devices.Display{
				ModuleID:   declared.ID,
				ModuleName: declared.Name,
				Permission: declared.Display.Permission,
			})
		}
	}
	return displays
}

// Display returns the display of a module.
func (s *Server) Display(moduleID string) (devices.Display, bool) {
	for _, display := range s.Displays() {
		if display.ModuleID == moduleID {
			return display, true
		}
	}
	return devices.Display{}, false
}
