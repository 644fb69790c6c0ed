package displays

import (
	"errors"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

const displayPath = "/display/"

// Routes is this package's part of the route table. Each display has its own route, so that the pipeline
// checks its permission.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		{Method: "GET", Path: displayPath + "worker.js", Head: true, Handle: s.worker.Send},
		{Method: "GET", Path: displayPath + "{id}", Head: true, Handle: s.other},
		// Addresses that people type by mistake.
		{Method: "GET", Path: strings.TrimSuffix(displayPath, "/"), Head: true, Handle: s.absent},
		{Method: "GET", Path: displayPath + "{id}/", Head: true, Handle: s.absent},
		{Method: "GET", Path: displayPath, Head: true, Handle: s.absent, Below: true},
	}
	for _, display := range s.displays {
		routes = append(routes, httpapi.Route{
			Method: "GET", Path: displayPath + display.ID, Head: true,
			Permission: display.Display.Permission,
			Handle:     s.open,
			Denied:     s.denied,
		}, httpapi.Route{
			// The router does not go back from the whole name of a route to {id}.
			Method: "GET", Path: displayPath + display.ID + "/", Head: true, Handle: s.absent,
		})
	}
	return routes
}

// open sends the page to a caller with the permission. A screen that has just used its credential for the
// first time no longer needs its claim. The page is also sent when that cookie cannot be cleared.
func (s *Service) open(c *httpapi.Call) error {
	if err := s.screens.ForgetClaim(c.Writer.Header(), c.Request); err != nil {
		s.log.Error("a screen's claim cookie was not cleared", zap.String("request_id", c.RequestID),
			zap.String("cause", string(store.CauseOf(err))))
	}
	return s.page.Send(c)
}

// denied sends a browser the same page, which pairs the screen. It ignores conditional headers, so there is
// no 304 without the permission. To a signed-in person the page says to sign out first.
func (s *Service) denied(c *httpapi.Call, why error) error {
	if !httpapi.AcceptsHTML(c.Request) {
		return why
	}
	if errors.Is(why, httpapi.ErrAuthentication) {
		return s.page.SendAs(c, http.StatusUnauthorized)
	}
	if c.UserID() != "" {
		return s.personPage.SendAs(c, http.StatusForbidden)
	}
	return s.page.SendAs(c, http.StatusForbidden)
}

// other serves the host script, whose name changes with every build. Any other name is a display that does
// not run.
func (s *Service) other(c *httpapi.Call) error {
	if displayPath+c.Parameter("id") == s.scriptPath {
		return s.script.Send(c)
	}
	return s.absent(c)
}

// absent sends a browser the page, which says that no such display runs.
func (s *Service) absent(c *httpapi.Call) error {
	if !httpapi.AcceptsHTML(c.Request) {
		return httpapi.ErrNotFound
	}
	return s.page.SendAs(c, http.StatusNotFound)
}
