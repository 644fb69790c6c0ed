// Command rota is a module for tests that needs settings and a secret to run, and does nothing.
package main

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type rota struct{}

func main() { sdk.Serve(rota{}) }

// Register declares nothing.
func (rota) Register(*sdk.Registry) error { return nil }

// Start does nothing.
func (rota) Start(context.Context, *sdk.Host) error { return nil }

// Stop does nothing.
func (rota) Stop(context.Context) error { return nil }
