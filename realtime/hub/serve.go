package hub

import (
	"context"
	"maps"
	"slices"

	"github.com/narthex-platform/narthex/supervisor"
)

// Serve runs all hubs, including those that are opened later, each with its own supervision, until ctx ends.
// Then every reader is made to reconnect.
func (h *Hubs) Serve(ctx context.Context) error {
	h.sockets.Begin()
	defer h.sockets.End()
	tree := supervisor.New(h.log)
	defer func() { _ = tree.Stop() }() // a hub ends at once; a missed deadline is logged
	running := make(map[*Hub]struct{})
	var children []supervisor.Child
	for _, hub := range h.begin() {
		running[hub] = struct{}{}
		children = append(children, supervisor.Child{Service: hub})
	}
	if err := tree.Start(ctx, children...); err != nil {
		return err
	}
	h.once.Do(func() { close(h.ready) })
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-tree.Failed():
			return err
		case hub := <-h.opened:
			if _, runs := running[hub]; runs { // it was open at the restart and was also sent through opened
				continue
			}
			running[hub] = struct{}{}
			if err := tree.Start(ctx, supervisor.Child{Service: hub}); err != nil {
				return err
			}
		}
	}
}

// begin returns the open hubs. A hub that is opened later is sent to Serve.
func (h *Hubs) begin() []*Hub {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serving = true
	return slices.Collect(maps.Values(h.hubs))
}

// Ready is closed when the hubs that were open at the start serve.
func (h *Hubs) Ready() <-chan struct{} { return h.ready }

// String returns the service's name.
func (h *Hubs) String() string { return "realtime" }
