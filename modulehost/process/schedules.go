package process

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Schedules returns the registered schedules. See Routes.
func (p *Process) Schedules() []*abi.Schedule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetSchedules()
}

// Run makes one run of a schedule. ctx must have a deadline. Errors as for Call.
func (p *Process) Run(ctx context.Context, name string) error {
	return p.Call(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name}, &abi.RunResponse{})
}

// Running reports whether the process works on a run of the schedule, even a cancelled one. It returns false
// if the process has ended. ctx must have a deadline.
func (p *Process) Running(ctx context.Context, name string) (bool, error) {
	var response abi.RunResponse
	err := p.Call(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name, AskOnly: true}, &response)
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrHandlerFailed) {
		return false, nil
	}
	return response.GetRunning(), err
}
