// Command aside is a module for tests: it would answer anybody, and nobody declares that it depends on it.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type aside struct{}

func main() { sdk.Serve(aside{}) }

// Register provides what nobody may call.
func (aside) Register(r *sdk.Registry) error {
	r.Provide("aside.echo", sdk.Methods{"echo": sdk.Func(func(context.Context, any) (string,
		error) {
		return "reached", nil
	})})
	return nil
}

// Start has nothing to do.
func (aside) Start(context.Context, *sdk.Host) error { return nil }

// Stop has nothing to end.
func (aside) Stop(context.Context) error { return nil }
