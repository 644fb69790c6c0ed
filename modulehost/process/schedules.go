package process

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Schedules are what the module registered, as Routes.
func (p *Process) Schedules() []*abi.Schedule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetSchedules()
}

// Run makes one run of a schedule. ctx needs a deadline. Errors as Call's.
func (p *Process) Run(ctx context.Context, name string) error {
	return p.Call(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name}, &abi.RunResponse{})
}

// Running reports whether the process works on a run, be it one that was cancelled. A process that is gone
// does not. ctx needs a deadline.
func (p *Process) Running(ctx context.Context, name string) (bool, error) {
	var response abi.RunResponse
	err := p.Call(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name, AskOnly: true}, &response)
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrHandlerFailed) {
		return false, nil
	}
	return response.GetRunning(), err
}
