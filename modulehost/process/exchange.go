package process

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/link"
)

// Begin begins a call that may have bodies; complete fills in where they travel, from the sockets of the
// run that is called. Errors as Call's, and complete's own. What later happens to the exchange is told by
// the link's errors: link.ErrLost is a crash under way.
func (p *Process) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	l := p.enter()
	if l == nil {
		return nil, p.unavailable()
	}
	defer l.inFlight.Done()
	o.Bodies = l.child.bodies
	switch err := complete(&o); {
	case errors.Is(err, link.ErrLost):
		return nil, ErrUnavailable
	case err != nil:
		return nil, err
	}
	x, err := l.calls.Begin(ctx, o)
	if errors.Is(err, link.ErrLost) {
		return nil, withCause(ErrHandlerFailed, err)
	}
	return x, err
}
