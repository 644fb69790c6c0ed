package configuration

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/preview"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	manageConfiguration = "core.modules.configuration.manage"
	path                = "/api/v1/module-configuration"
)

// Routes is configuration's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: path, Permission: manageConfiguration, Handle: s.list},
		{Method: "GET", Path: path + "/{id}", Permission: manageConfiguration, Handle: s.show},
		httpapi.Write("PUT", path+"/{id}", manageConfiguration, s.replace),
		httpapi.Write("POST", path+"/{id}/preview", manageConfiguration, s.preview),
	}
}

// summary is a module in the list.
type summary struct {
	ModuleID        string         `json:"moduleId"`
	Name            string         `json:"name"`
	Translations    manifest.Texts `json:"translations,omitzero"`
	Version         string         `json:"version"`
	RestartRequired bool           `json:"restartRequired"`
}

// list returns every installed module, also one that declares no configuration.
func (s *Service) list(c *httpapi.Call) error {
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	next, _, err := s.resolver.Resolve(ctx)
	if err != nil {
		return store.Unavailable(err)
	}
	modules := make([]summary, len(s.modules))
	for i, m := range s.modules {
		id := m.Manifest.ID
		modules[i] = summary{id, m.Manifest.Name, m.Manifest.Texts(), m.Manifest.Version.String(),
			next.RestartRequired(s.started, id)}
	}
	return c.JSON(http.StatusOK, map[string][]summary{"modules": modules})
}

func (s *Service) show(c *httpapi.Call) error {
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return ErrNotInstalled
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	return s.respond(ctx, c, m)
}

// replace is PUT /api/v1/module-configuration/{id}. It checks in this order: a malformed request is 400 for
// every module, an unknown module is 404, then the values, and at last the revision. The response contains
// the document that is stored after the write; another write may already have changed it. After a 503 the
// client does not know whether the document was stored.
func (s *Service) replace(c *httpapi.Call) error {
	m, replacement, err := s.replacementOf(c)
	if err != nil {
		return err
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	if err := s.store.Replace(ctx, m.Manifest.ID, replacement); err != nil {
		return err
	}
	return s.respond(ctx, c, m)
}

// preview is POST /api/v1/module-configuration/{id}/preview: what the values would alter at the next start.
// It refuses the same requests as replace. It also refuses a revision, because it writes nothing.
func (s *Service) preview(c *httpapi.Call) error {
	m, replacement, err := s.replacementOf(c)
	if err != nil {
		return err
	}
	if replacement.Rev != nil {
		return httpapi.ErrRequest
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	next, changed, err := s.resolver.ResolveWith(ctx, m.Manifest.ID, replacement)
	if err != nil {
		return store.Unavailable(err)
	}
	starts := preview.Starts{Started: s.started, Next: next, Changed: changed}
	changes, err := preview.New(ctx, s.catalog, starts, s.screens)
	if err != nil {
		return store.Unavailable(err)
	}
	return c.JSON(http.StatusOK, changes)
}

// replacementOf reads and checks {values, rev?} for the path's module.
func (s *Service) replacementOf(c *httpapi.Call) (*catalog.Module, Replacement, error) {
	sent, err := decode(c)
	if err != nil {
		return nil, Replacement{}, err
	}
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return nil, Replacement{}, ErrNotInstalled
	}
	texts, err := check(m.Manifest.Configuration, sent.Values)
	if err != nil {
		return nil, Replacement{}, err
	}
	declared := make([]string, len(m.Manifest.Configuration))
	for i, d := range m.Manifest.Configuration {
		declared[i] = d.Key
	}
	return m, Replacement{
		Declared: declared, Values: texts, Rev: sent.Rev, By: chain.Person(c.UserID()),
	}, nil
}

// respond sends the stored configuration, and whether it differs from what was started.
func (s *Service) respond(ctx context.Context, c *httpapi.Call, m *catalog.Module) error {
	next, documents, err := s.resolver.Resolve(ctx)
	if err != nil {
		return store.Unavailable(err)
	}
	shown := s.viewOf(m, documents[m.Manifest.ID])
	shown.RestartRequired = next.RestartRequired(s.started, m.Manifest.ID)
	return c.JSON(http.StatusOK, shown)
}
