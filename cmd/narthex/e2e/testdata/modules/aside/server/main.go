// Command aside is a module for tests: it provides a capability, but no module declares a dependency on it.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type aside struct{}

func main() { sdk.Serve(aside{}) }

// Register provides a capability that no module may call.
func (aside) Register(r *sdk.Registry) error {
	r.Provide("aside.echo", sdk.Methods{"echo": sdk.Func(func(context.Context, any) (string,
		error) {
		return "reached", nil
	})})
	return nil
}

// Start does nothing.
func (aside) Start(context.Context, *sdk.Host) error { return nil }

// Stop does nothing.
func (aside) Stop(context.Context) error { return nil }
