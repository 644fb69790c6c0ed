// Command tail is a module for tests that depends on base: it starts after it and stops before it.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type tail struct{ host *sdk.Host }

func main() { sdk.Serve(&tail{}) }

// Register declares nothing.
func (t *tail) Register(*sdk.Registry) error { return nil }

// Start logs that it was called.
func (t *tail) Start(_ context.Context, h *sdk.Host) error {
	t.host = h
	h.Log.Info("tail started")
	return nil
}

// Stop logs that it was called.
func (t *tail) Stop(context.Context) error {
	t.host.Log.Info("tail stopped")
	return nil
}
