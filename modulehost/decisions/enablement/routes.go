package enablement

import (
	"context"
	"net/http"
	"reflect"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/preview"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	manageLifecycle = "core.modules.lifecycle.manage"
	path            = "/api/v1/module-lifecycle"
)

// Routes is enablement's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: path, Permission: manageLifecycle, Handle: s.list},
		{Method: "GET", Path: path + "/{id}/process", Permission: manageLifecycle, Handle: s.process},
		httpapi.Write("PUT", path+"/{id}/enabled", manageLifecycle, s.decide),
		httpapi.Write("POST", path+"/{id}/preview", manageLifecycle, s.preview),
	}
}

func (s *Service) list(c *httpapi.Call) error {
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	entries, err := s.entries(ctx, s.modules)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]entry{"modules": entries})
}

// decide is PUT /api/v1/module-lifecycle/{id}/enabled. It checks in this order: a malformed query or body is
// 400 for every module, then an unknown module is 404. The response contains the state after the write;
// another decision may already have changed it. After a 503 the client does not know whether the decision was
// stored.
func (s *Service) decide(c *httpapi.Call) error {
	m, enabled, err := s.decodeDecision(c)
	if err != nil {
		return err
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	by := chain.Person(c.UserID())
	if err := s.store.Decide(ctx, by, m.Manifest.ID, enabled); err != nil {
		return err
	}
	entries, err := s.entries(ctx, []*catalog.Module{m})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, entries[0])
}

// preview is POST /api/v1/module-lifecycle/{id}/preview: what the decision would alter at the next start. It
// refuses the same requests as decide, and writes nothing.
func (s *Service) preview(c *httpapi.Call) error {
	m, enabled, err := s.decodeDecision(c)
	if err != nil {
		return err
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	next, changed, err := s.resolver.ResolveWith(ctx, m.Manifest.ID, enabled)
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

// decodeDecision reads {enabled} for the path's module.
func (s *Service) decodeDecision(c *httpapi.Call) (m *catalog.Module, enabled bool, err error) {
	if _, err := httpapi.Query(c.Request.URL.RawQuery); err != nil {
		return nil, false, err
	}
	body, err := httpapi.Decode[struct {
		Enabled bool `json:"enabled"`
	}](c)
	if err != nil {
		return nil, false, err
	}
	m, installed := s.catalog.Module(c.Parameter("id"))
	if !installed {
		return nil, false, ErrNotInstalled
	}
	return m, body.Enabled, nil
}

// entries compares the modules' stored state with what was started.
func (s *Service) entries(ctx context.Context, modules []*catalog.Module) ([]entry, error) {
	next, decisions, err := s.resolver.Resolve(ctx)
	if err != nil {
		return nil, store.Unavailable(err)
	}
	entries := make([]entry, len(modules))
	for i, m := range modules {
		id := m.Manifest.ID
		runtime, then := s.started.Outcome(id).Runtime(), next.Outcome(id).Runtime()
		entries[i] = entry{
			ID:              id,
			Name:            m.Manifest.Name,
			Translations:    m.Manifest.Texts(runtime.ConfigurationKey, then.ConfigurationKey),
			Version:         m.Manifest.Version.String(),
			Configured:      configured{decisions.Enabled(id), decisions.Explicit(id)},
			Runtime:         runtime,
			Solved:          next.Solved(s.started, id),
			RestartRequired: next.RestartRequired(s.started, id),
			Dependencies:    dependenciesOf(m),
		}
		if !reflect.DeepEqual(runtime, then) {
			entries[i].Next = &then
		}
	}
	return entries, nil
}
