// Command giver is a module for tests: others call it, and it answers in every way there is.
package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type giver struct{ host *sdk.Host }

func main() { sdk.Serve(&giver{}) }

// Register provides one of the two capabilities of the manifest.
func (g *giver) Register(r *sdk.Registry) error {
	r.Provide("giver.echo", sdk.Methods{
		"echo":  sdk.Func(echo),
		"back":  sdk.Func(g.back),
		"wait":  sdk.Func(g.wait),
		"large": sdk.Func(func(context.Context, any) (string, error) { return strings.Repeat("x", 256<<10), nil }),
		"fail":  sdk.Func(func(context.Context, any) (any, error) { return nil, errors.New("hunter2") }),
		"lie":   sdk.Func(func(context.Context, any) (any, error) { return nil, sdk.ErrCapabilityAbsent }),
		"panic": sdk.Func(func(context.Context, any) (any, error) { panic("hunter2") }),
		"exit":  sdk.Func(func(context.Context, any) (any, error) { os.Exit(3); return nil, nil }),
	})
	return nil
}

// Start keeps the host.
func (g *giver) Start(_ context.Context, h *sdk.Host) error {
	g.host = h
	return nil
}

// Stop has nothing to end.
func (g *giver) Stop(context.Context) error { return nil }

// echo tells what the provider learns.
func echo(ctx context.Context, in struct{ Text string }) (map[string]string, error) {
	return map[string]string{"text": in.Text, "caller": sdk.CallingModule(ctx),
		"person": sdk.Principal(ctx).Kind}, nil
}

// back tries to call whoever calls.
func (g *giver) back(ctx context.Context, _ any) (string, error) {
	err := g.host.Capability("taker.anything").Call(ctx, "echo", nil, nil)
	return err.Error(), nil
}

func (g *giver) wait(ctx context.Context, _ any) (any, error) {
	g.host.Log.Info("giver waits")
	select {
	case <-ctx.Done():
		g.host.Log.Info("giver was left")
	case <-time.After(9 * time.Second): // a second before the call would end by itself
		g.host.Log.Info("giver waited in vain")
	}
	return nil, ctx.Err()
}
