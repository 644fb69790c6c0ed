// Package authorization owns what a caller may do: the registry of permissions, frozen at start, what a person was given, and the one
// deny-by-default decision over both (spec.md § Permission, § Authentication 7; contract.md §3).
//
// Who the caller is, is decided elsewhere and taken as given.
package authorization

import (
	"context"
	"fmt"
	"sync"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

// Service makes callers. Safe for concurrent use; it runs nothing of its own.
type Service struct {
	registry *Registry
	store    *Store
}

// New needs both.
func New(registry *Registry, store *Store) *Service { return &Service{registry, store} }

// Registry is what the service decides by.
func (s *Service) Registry() *Registry { return s.registry }

// Caller is one principal during one request. It reads what the person was given in one query, when a permission first depends on
// it, and keeps the answer, a failure included, so that one request never judges by two states.
func (s *Service) Caller(p principal.Principal) httpapi.Caller {
	return &caller{service: s, principal: p}
}

type caller struct {
	service   *Service
	principal principal.Principal

	once sync.Once
	held Holdings
	err  error
}

var _ httpapi.Caller = (*caller)(nil)

func (c *caller) Principal() principal.Principal { return c.principal }

// Allowed answers without the database whenever no stored fact could change the answer.
func (c *caller) Allowed(ctx context.Context, permission string) (bool, error) {
	baseline := c.service.registry.Baseline(permission)
	if !dependsOnHoldings(c.principal.Kind, baseline) {
		return Evaluate(c.principal.Kind, baseline, permission, Holdings{}), nil
	}
	c.once.Do(func() {
		if c.held, c.err = c.service.store.holdings(ctx, c.principal.UserID); c.err != nil {
			c.err = fmt.Errorf("%w: %w", httpapi.ErrPrincipal, c.err)
		}
	})
	if c.err != nil {
		return false, c.err
	}
	return Evaluate(c.principal.Kind, baseline, permission, c.held), nil
}
