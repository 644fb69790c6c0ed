// Command stubborn is a module for tests whose stop hook fails.
package main

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type stubborn struct{}

func main() { sdk.Serve(stubborn{}) }

// Register declares nothing.
func (stubborn) Register(*sdk.Registry) error { return nil }

// Start does nothing.
func (stubborn) Start(context.Context, *sdk.Host) error { return nil }

// Stop fails.
func (stubborn) Stop(context.Context) error { return errors.New("hunter2") }
