// Command forging is a module for tests: it provides a capability that its manifest does not declare.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type forging struct{}

func main() { sdk.Serve(forging{}) }

// Register provides one capability too many.
func (forging) Register(r *sdk.Registry) error {
	r.Provide("forging.own", nil)
	r.Provide("provider.echo", nil)
	return nil
}

// Start is never called.
func (forging) Start(context.Context, *sdk.Host) error { return nil }

// Stop does nothing.
func (forging) Stop(context.Context) error { return nil }
