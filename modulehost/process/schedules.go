package process

import (
	"context"
	"errors"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Schedules returns the registered schedules. See Routes.
func (p *Process) Schedules() []*abi.Schedule {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetSchedules()
}

// Run makes one run of a schedule, and returns for how long the schedule has nothing to do (sdk.NothingFor).
// ctx must have a deadline. Errors as for Call.
func (p *Process) Run(ctx context.Context, name string) (rest time.Duration, err error) {
	var response abi.RunResponse
	err = p.Call(ctx, abi.Method_METHOD_RUN, &abi.RunRequest{Name: name}, &response)
	return time.Duration(response.GetNothingForSeconds()) * time.Second, err
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
