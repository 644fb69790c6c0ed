package configuration

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	manageConfiguration = "core.modules.configuration.manage"
	path                = "/api/v1/module-configuration"
	maxBody             = 16 << 10 // bytes
)

// Routes is configuration's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: path, Permission: manageConfiguration, Handle: s.list},
		{Method: "GET", Path: path + "/{id}", Permission: manageConfiguration, Handle: s.show},
		{
			Method: "PUT", Path: path + "/{id}",
			Origin: httpapi.TrustedOrigin,
			Body:   httpapi.WholeBody, MaxBody: maxBody,
			Permission: manageConfiguration,
			Handle:     s.replace,
		},
	}
}

// summary is a module in the list.
type summary struct {
	ModuleID        string `json:"moduleId"`
	Name            string `json:"name"`
	Version         string `json:"version"`
	RestartRequired bool   `json:"restartRequired"`
}

// list returns every installed module, also one that declares nothing.
func (s *Service) list(c *httpapi.Call) error {
	ctx, cancel := detached(c.Request.Context())
	defer cancel()
	next, _, err := s.resolver.Resolve(ctx)
	if err != nil {
		return unavailable(err)
	}
	modules := make([]summary, len(s.modules))
	for i, m := range s.modules {
		id := m.Manifest.ID
		modules[i] = summary{id, m.Manifest.Name, m.Manifest.Version.String(), next.RestartRequired(s.started, id)}
	}
	return c.JSON(http.StatusOK, map[string][]summary{"modules": modules})
}

func (s *Service) show(c *httpapi.Call) error {
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return ErrNotInstalled
	}
	ctx, cancel := detached(c.Request.Context())
	defer cancel()
	return s.respond(ctx, c, m)
}

// replace is PUT /api/v1/module-configuration/{id}. A malformed request gives 400 for every module, then an
// unknown module 404, then the values are checked, and last the revision is compared. The response shows
// what is stored after the write; a later write may have changed it again. After a 503 the client does not
// know whether the document was stored.
func (s *Service) replace(c *httpapi.Call) error {
	sent, err := decode(c)
	if err != nil {
		return err
	}
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return ErrNotInstalled
	}
	texts, err := check(m.Manifest.Configuration, sent.Values)
	if err != nil {
		return err
	}
	declared := make([]string, len(m.Manifest.Configuration))
	for i, d := range m.Manifest.Configuration {
		declared[i] = d.Key
	}
	ctx, cancel := detached(c.Request.Context())
	defer cancel()
	replacement := Replacement{
		Declared: declared, Values: texts, Rev: sent.Rev, By: chain.Person(c.UserID()),
	}
	if err := s.store.Replace(ctx, m.Manifest.ID, replacement); err != nil {
		return err
	}
	return s.respond(ctx, c, m)
}

// respond shows what is stored now, compared with what was started.
func (s *Service) respond(ctx context.Context, c *httpapi.Call, m *catalog.Module) error {
	next, documents, err := s.resolver.Resolve(ctx)
	if err != nil {
		return unavailable(err)
	}
	shown := s.viewOf(m, documents[m.Manifest.ID])
	shown.RestartRequired = next.RestartRequired(s.started, m.Manifest.ID)
	return c.JSON(http.StatusOK, shown)
}
