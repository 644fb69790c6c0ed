// Command provider is a module for tests: other modules call it, and each method ends in a different way.
package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type provider struct{ host *sdk.Host }

func main() { sdk.Serve(&provider{}) }

// Register provides one of the two capabilities of the manifest.
func (g *provider) Register(r *sdk.Registry) error {
	r.Provide("provider.echo", sdk.Methods{
		"echo":  sdk.Func(echo),
		"back":  sdk.Func(g.callBack),
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
func (g *provider) Start(_ context.Context, h *sdk.Host) error {
	g.host = h
	return nil
}

// Stop does nothing.
func (g *provider) Stop(context.Context) error { return nil }

// echo returns what the provider receives about the call.
func echo(ctx context.Context, in struct{ Text string }) (map[string]string, error) {
	return map[string]string{"text": in.Text, "caller": sdk.CallingModule(ctx),
		"person": sdk.Principal(ctx).Kind}, nil
}

// callBack tries to call its own caller.
func (g *provider) callBack(ctx context.Context, _ any) (string, error) {
	err := g.host.Capability("consumer.anything").Call(ctx, "echo", nil, nil)
	return codeOf(err), nil
}

func (g *provider) wait(ctx context.Context, _ any) (any, error) {
	g.host.Log.Info("provider waits")
	select {
	case <-ctx.Done():
		g.host.Log.Info("provider was left")
	case <-time.After(9 * time.Second): // a second before the platform would end the call
		g.host.Log.Info("provider waited in vain")
	}
	return nil, ctx.Err()
}

// codeOf returns the code of an error. The words after it are for its author.
func codeOf(err error) string {
	code, _, _ := strings.Cut(err.Error(), ":")
	return code
}
