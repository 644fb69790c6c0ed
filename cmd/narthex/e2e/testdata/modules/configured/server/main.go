// Command configured is a module for tests that responds with its configuration.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type configured struct{ host *sdk.Host }

func main() { sdk.Serve(&configured{}) }

// Register has one route.
func (c *configured) Register(r *sdk.Registry) error {
	r.Handle("GET /configuration", "configured.read", sdk.NoBody, c.showConfiguration)
	return nil
}

// showConfiguration shows only the hash of the secret, because a module must never respond with a secret.
func (c *configured) showConfiguration(w http.ResponseWriter, r *http.Request) {
	secret, err := c.host.Secret(r.Context(), "apiToken")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	configuration := c.host.Config
	_ = json.NewEncoder(w).Encode(map[string]any{
		"title": configuration.String("title"), "seconds": configuration.Integer("seconds"),
		"loud":   configuration.Boolean("loud"),
		"colour": configuration.String("colour"), "feed": configuration.Has("feed"),
		"secret": fmt.Sprintf("%x", sha256.Sum256([]byte(secret))),
	})
}

// Start keeps the host.
func (c *configured) Start(_ context.Context, h *sdk.Host) error {
	c.host = h
	return nil
}

// Stop does nothing.
func (c *configured) Stop(context.Context) error { return nil }
