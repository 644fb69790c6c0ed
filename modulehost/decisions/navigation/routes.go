package navigation

import (
	"context"
	"errors"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	readUI           = "core.modules.ui.read"
	manageNavigation = "core.dashboard.navigation.manage"

	path          = "/api/v1/dashboard/navigation"
	groupPath     = path + "/groups/{group}"
	placementPath = path + "/placements/{module}"
)

// Routes is navigation's part of the route table. Every write is idempotent.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: path, Permission: readUI, Handle: s.show},
		httpapi.Write("PUT", groupPath, manageNavigation, s.putGroup),
		httpapi.Write("DELETE", groupPath, manageNavigation, s.deleteGroup),
		httpapi.Write("PUT", placementPath, manageNavigation, s.place),
		httpapi.Write("DELETE", placementPath, manageNavigation, s.unplace),
	}
}

func (s *Service) show(c *httpapi.Call) error {
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	held, err := s.held(ctx, c.Caller)
	if err != nil {
		return err
	}
	modules, err := s.modules(ctx, c.Caller)
	if err != nil {
		return err
	}
	stored, err := s.store.Arrangement(ctx)
	if err != nil {
		return err
	}
	groups, ungrouped := stored.resolve(modules)
	return c.JSON(http.StatusOK, view{groups, ungrouped, held})
}

// held returns those of the platform's permissions that the caller has. Those for which only the second
// factor is missing are among them, so that their screens say so.
func (s *Service) held(ctx context.Context, caller httpapi.Caller) (held []string, err error) {
	for _, permission := range s.platform {
		allowed, err := caller.Allowed(ctx, permission)
		missing := errors.Is(err, httpapi.ErrFactorMissing)
		if err != nil && !missing {
			return nil, err
		}
		if allowed || missing {
			held = append(held, permission)
		}
	}
	return held, nil
}

// modules returns the modules whose pages can be mounted, without places and in no order.
func (s *Service) modules(ctx context.Context, caller httpapi.Caller) ([]entry, error) {
	described, err := s.inventory.Entries(ctx, caller)
	if err != nil {
		return nil, err
	}
	modules := make([]entry, 0, len(described))
	for id, ui := range described {
		m, _ := s.catalog.Module(id)
		modules = append(modules,
			entry{ModuleID: id, Name: m.Manifest.Name, Translations: m.Manifest.Texts(), UI: ui})
	}
	return modules, nil
}

// putGroup is PUT /api/v1/dashboard/navigation/groups/{group}. The response is the written group; another
// write may already have changed it.
func (s *Service) putGroup(c *httpapi.Call) error {
	g, err := decodeGroup(c)
	if err != nil {
		return err
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	if err := s.store.PutGroup(ctx, chain.Person(c.UserID()), g); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, g)
}

func (s *Service) deleteGroup(c *httpapi.Call) error {
	id, err := groupIDOf(c)
	if err != nil {
		return err
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	if err := s.store.DeleteGroup(ctx, chain.Person(c.UserID()), id); err != nil {
		return err
	}
	return noContent(c)
}

// place is PUT /api/v1/dashboard/navigation/placements/{module}. It checks in this order: a malformed body is
// 400 for every module, a module that is neither installed nor placed is 404, an unknown group is 404.
func (s *Service) place(c *httpapi.Call) error {
	p, err := decodePlacement(c)
	if err != nil {
		return err
	}
	if !manifest.ValidID(p.ModuleID) {
		return ErrNotInstalled
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	put := s.store.Replace
	if _, installed := s.catalog.Module(p.ModuleID); installed {
		put = s.store.Place
	}
	if err := put(ctx, chain.Person(c.UserID()), p); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, p)
}

// unplace is DELETE /api/v1/dashboard/navigation/placements/{module}. For an id that no module can have, it
// does not query the store.
func (s *Service) unplace(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	moduleID := c.Parameter("module")
	if !manifest.ValidID(moduleID) {
		return noContent(c)
	}
	ctx, cancel := store.Detached(c.Request.Context(), deadlines.Store)
	defer cancel()
	if err := s.store.Unplace(ctx, chain.Person(c.UserID()), moduleID); err != nil {
		return err
	}
	return noContent(c)
}

func noContent(c *httpapi.Call) error {
	c.Writer.Header().Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}
