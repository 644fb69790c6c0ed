package realtime

import "sync/atomic"

// Figures are what a channel's hub has done since the process began, and how many read it now.
type Figures struct {
	Module, Channel string
	Readers         int64 // streams that are open
	Updates         int64 // passed on to readers
	Cut             int64 // readers that were too slow
	Overflows       int64 // times that more came than the hub could pass on
}

// counts are a hub's figures, for all runs of Serve.
type counts struct{ readers, updates, cut, overflows atomic.Int64 }

// Figures reads the figures of every hub, in no order.
func (h *Hubs) Figures() []Figures {
	hubs := h.all()
	figures := make([]Figures, len(hubs))
	for i, hub := range hubs {
		figures[i] = Figures{
			Module:    hub.name.module,
			Channel:   hub.name.channel,
			Readers:   hub.counts.readers.Load(),
			Updates:   hub.counts.updates.Load(),
			Cut:       hub.counts.cut.Load(),
			Overflows: hub.counts.overflows.Load(),
		}
	}
	return figures
}

// Connected tells whether the backplane is there now.
func (l *Link) Connected() bool { return l.up.Load() }
