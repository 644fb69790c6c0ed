package publication

import (
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/store"
)

const (
	readUI      = "core.modules.ui.read"
	uiPath      = "/api/v1/module-ui"
	displayPath = "/api/v1/module-displays"
	linkPath    = "/api/v1/module-links"
)

// Routes returns publication's rows of the route table. Each display's descriptor is a separate route, so
// that the table checks the display's permission like any other.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		{Method: "GET", Path: uiPath, Permission: readUI, Handle: s.inventory},
		s.script(uiPath+"/{id}/{version}", func(r *release, _ *httpapi.Call) *artifact { return r.ui }),
		s.script(uiPath+"/{id}/{version}/display",
			func(r *release, _ *httpapi.Call) *artifact { return r.display }),
		s.script(uiPath+"/{id}/{version}/link",
			func(r *release, _ *httpapi.Call) *artifact { return r.link }),
		s.script(uiPath+"/{id}/{version}/contributions/{contribution}",
			func(r *release, c *httpapi.Call) *artifact {
				return r.contributions[c.Parameter("contribution")]
			}),
	}
	for _, r := range s.ordered {
		if r.display != nil {
			routes = append(routes, httpapi.Route{
				Method: "GET", Path: displayPath + "/" + r.manifest.ID,
				Permission: r.manifest.Display.Permission,
				Handle:     s.descriptor(r),
			})
		}
		if r.link != nil {
			routes = append(routes, httpapi.Route{
				Method: "GET", Path: linkPath + "/" + r.manifest.ID,
				Permission: r.manifest.Link.Permission, Link: true,
				Handle: r.linkDescriptor,
			})
		}
	}
	return routes
}

// script serves one script of a release. If there is no release with that id and version, or no such script,
// the response is 404 NOT_FOUND.
func (s *Service) script(path string, of func(r *release, c *httpapi.Call) *artifact) httpapi.Route {
	return httpapi.Route{Method: "GET", Path: path, Head: true, Handle: func(c *httpapi.Call) error {
		r := s.releases[c.Parameter("id")]
		if r == nil || r.version != c.Parameter("version") {
			return httpapi.ErrNotFound
		}
		a := of(r, c)
		if a == nil {
			return httpapi.ErrNotFound
		}
		a.send(c)
		return nil
	}}
}

func (s *Service) inventory(c *httpapi.Call) error {
	entries, err := s.entries(c.Request.Context(), c.Caller)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]entry{"modules": entries})
}

// linkDescriptor is GET /api/v1/module-links/<module-id>. Realtime channels and contributions are not for
// links.
func (r *release) linkDescriptor(c *httpapi.Call) error {
	described, err := r.describe(c.Request.Context(), c.Caller)
	if err != nil {
		return err
	}
	described.ArtifactURL += "/link"
	described.APIRoot = linkPath + "/" + r.manifest.ID + "/api"
	described.RealtimeRoot, described.Contributions = "", nil
	return c.JSON(http.StatusOK, described)
}

// descriptor is GET /api/v1/module-displays/<module-id>. Screens read it regularly, so it tells a screen its
// label, renews the screen's cookie and clears that of a used claim. If the cookies fail, the screen still
// gets its descriptor.
func (s *Service) descriptor(r *release) httpapi.Handler {
	return func(c *httpapi.Call) error {
		described, err := r.describe(c.Request.Context(), c.Caller)
		if err != nil {
			return err
		}
		described.ArtifactURL += "/display"
		if who := c.Caller.Principal(); who.Kind == principal.Device {
			label, err := s.screens.Label(c.Request.Context(), who.DeviceID)
			if err != nil {
				return err
			}
			described.Screen = &screen{label}
		}
		header := c.Writer.Header()
		err = errors.Join(s.screens.Renew(c.Request.Context(), header, c.Request),
			s.screens.ForgetClaim(header, c.Request))
		if err != nil {
			s.log.Error("a screen's cookies were not renewed", zap.String("request_id", c.RequestID),
				zap.String("cause", string(store.CauseOf(err))))
		}
		return c.JSON(http.StatusOK, described)
	}
}
