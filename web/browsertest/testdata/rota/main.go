// Command rota is a module for tests that runs once it has its settings and its secret, and does nothing.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type rota struct{}

func main() { sdk.Serve(rota{}) }

// Register has nothing to offer.
func (rota) Register(*sdk.Registry) error { return nil }

// Start has nothing to do.
func (rota) Start(context.Context, *sdk.Host) error { return nil }

// Stop has nothing to do.
func (rota) Stop(context.Context) error { return nil }
