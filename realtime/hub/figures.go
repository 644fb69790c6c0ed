package hub

import (
	"sync/atomic"

	"github.com/narthex-platform/narthex/realtime/stream"
)

// Figures are the counts of a channel's hub since the process began, and the number of its readers now.
type Figures struct {
	Module, Channel string
	Readers         int64 // open streams
	Updates         int64 // updates sent to readers
	Cut             int64 // readers that were disconnected because they were too slow
	Overflows       int64 // times that updates were lost because too many waited
}

// counts are a hub's figures, for all calls of Serve.
type counts struct {
	stream.Counts
	updates, overflows atomic.Int64
}

// Figures returns the figures of every hub, in no order.
func (h *Hubs) Figures() []Figures {
	hubs := h.all()
	figures := make([]Figures, len(hubs))
	for i, hub := range hubs {
		figures[i] = Figures{
			Module:    hub.name.module,
			Channel:   hub.name.channel,
			Readers:   hub.counts.Readers.Load(),
			Updates:   hub.counts.updates.Load(),
			Cut:       hub.counts.Cut.Load(),
			Overflows: hub.counts.overflows.Load(),
		}
	}
	return figures
}
