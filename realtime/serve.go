package realtime

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/narthex-platform/narthex/supervisor"
)

// Serve runs the hubs, those that are open and those to come, each supervised on its own, until ctx ends.
// Every reader is then told to reconnect.
func (h *Hubs) Serve(ctx context.Context) error {
	h.sockets.begin()
	defer h.sockets.end()
	tree := supervisor.New(h.log)
	defer func() { _ = tree.Stop() }() // a hub ends at once; a passed deadline has its line
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
	rest := time.NewTimer(restAfter)
	rest.Stop()
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-h.sockets.rush:
			rest.Reset(restAfter)
		case <-rest.C:
			debug.FreeOSMemory()
		case err := <-tree.Failed():
			return err
		case hub := <-h.opened:
			if _, runs := running[hub]; runs { // added before a restart, handed over after it
				continue
			}
			running[hub] = struct{}{}
			if err := tree.Start(ctx, supervisor.Child{Service: hub}); err != nil {
				return err
			}
		}
	}
}

// restAfter is how long after a rush of readers its garbage is collected.
const restAfter = 2 * time.Second

// begin returns the hubs that are open. Hubs that are opened later are handed over by their opener.
func (h *Hubs) begin() []*Hub {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serving = true
	return slices.Collect(maps.Values(h.hubs))
}

// Ready is closed when the hubs that were open serve.
func (h *Hubs) Ready() <-chan struct{} { return h.ready }

// String names the service.
func (h *Hubs) String() string { return "realtime" }
