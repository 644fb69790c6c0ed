package authorization

import (
	"context"
	"fmt"
	"sync"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
)

type caller struct {
	service   *Service
	principal principal.Principal

	once sync.Once
	held Holdings
	err  error
}

var _ httpapi.Caller = (*caller)(nil)

func (c *caller) Principal() principal.Principal { return c.principal }

// Allowed does not query the database when no stored fact could change the result. It fails with
// SECOND_FACTOR_MISSING for what the person may do with a second factor.
func (c *caller) Allowed(ctx context.Context, permission string) (bool, error) {
	baseline := c.service.registry.Baseline(permission)
	if !dependsOnHoldings(c.principal.Kind, baseline) {
		return Evaluate(c.principal.Kind, baseline, permission, Holdings{}) == Allowed, nil
	}
	c.once.Do(func() {
		if c.held, c.err = c.service.holdings(ctx, c.principal); c.err != nil {
			c.err = fmt.Errorf("%w: %w", httpapi.ErrPrincipal, c.err)
		}
	})
	if c.err != nil {
		return false, c.err
	}
	switch Evaluate(c.principal.Kind, baseline, permission, c.held) {
	case Allowed:
		return true, nil
	case FactorMissing:
		return false, httpapi.ErrFactorMissing
	}
	return false, nil
}
