// Command failing is a module for tests whose start hook fails.
package main

import (
	"context"
	"errors"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type failing struct{ host *sdk.Host }

func main() { sdk.Serve(&failing{}) }

// Register declares nothing.
func (f *failing) Register(*sdk.Registry) error { return nil }

// Start fails after it has logged its start.
func (f *failing) Start(_ context.Context, h *sdk.Host) error {
	f.host = h
	h.Log.Info("failing started")
	return errors.New("hunter2")
}

// Stop runs after the failed start.
func (f *failing) Stop(context.Context) error {
	f.host.Log.Info("failing stopped")
	return nil
}
