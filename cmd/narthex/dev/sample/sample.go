// Package sample fills the modules of a new development installation with invented data, and gives its house
// the time zone of the machine. It writes through the routes, as their owner would by hand.
package sample

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"time"
)

// fillLimit limits the time for one module.
const fillLimit = 30 * time.Second

// fillers are the modules that have samples, in the order in which they are filled: a module that uses data
// of another one is filled after it. Each has a file of its own.
var fillers = []struct {
	module string
	fill   func(context.Context, *caller) error
}{
	{"announcements", announcements},
	{"stage", stage},
	{"calendar", calendar},
	{"countdown", countdown},
	{"checklists", checklists}, // after calendar, of whose events it makes its rounds
	{"rota", rota},             // after stage, because it fills stage's services
}

// Owner is the account that signs in to write the samples.
type Owner struct{ Email, Password string }

// Fill fills the modules of the platform at an address. If one fails, the others are still filled; the error
// names every module that failed, with the route.
func Fill(ctx context.Context, address string, owner Owner) (err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	platform := &caller{client: &http.Client{Jar: jar}, address: address, root: "/api", now: time.Now()}
	defer platform.client.CloseIdleConnections()
	signIn := map[string]string{"email": owner.Email, "password": owner.Password}
	if err := platform.json(ctx, http.MethodPost, "/auth/sign-in/email", signIn, nil); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, platform.json(ctx, http.MethodPost, "/auth/sign-out", struct{}{}, nil))
	}()
	running, err := runningModules(ctx, platform)
	if err != nil {
		return err
	}
	var failed []error
	if platform.now, err = house(ctx, platform); err != nil {
		failed = append(failed, fmt.Errorf("house: %w", err))
	}
	for _, filler := range fillers {
		if !running[filler.module] {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, fillLimit)
		if err := filler.fill(ctx, platform.of(filler.module)); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", filler.module, err))
		}
		cancel()
	}
	return errors.Join(failed...)
}

func runningModules(ctx context.Context, platform *caller) (map[string]bool, error) {
	var listed struct {
		Modules []struct {
			ID      string `json:"id"`
			Runtime struct {
				State string `json:"state"`
			} `json:"runtime"`
		} `json:"modules"`
	}
	if err := platform.send(ctx, http.MethodGet, "/v1/module-lifecycle", "", nil, &listed); err != nil {
		return nil, err
	}
	running := make(map[string]bool)
	for _, module := range listed.Modules {
		running[module.ID] = module.Runtime.State == "running"
	}
	return running, nil
}
