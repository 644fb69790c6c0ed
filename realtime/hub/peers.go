package hub

import (
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
)

// channel is a hub as the backplane sees it.
type channel struct{ hub *Hub }

func (c channel) Module() string { return c.hub.name.module }
func (c channel) Name() string   { return c.hub.name.channel }
func (c channel) Announce()      { c.hub.inbox.Put(announce{}) }
func (c channel) Linked(up bool) { c.hub.inbox.Put(linked(up)) }

func (c channel) Deliver(p backplane.Message) {
	m := fromPeer{p, update.Add(c.hub.account, p.Data)}
	if !c.hub.inbox.Deliver(m, p.Size()) {
		m.charge.Drop()
	}
}

func (announce) handle(h *hub) { h.peers.Announce(backplane.KindCount) }

func (m linked) handle(h *hub) { h.peers.Linked(bool(m)) }

func (m fromPeer) handle(h *hub) {
	nobody := h.events.Readers() == 0 && !h.snapshots.logging()
	fresh, whole := h.peers.Follow(m.Message, nobody)
	if !whole || fresh && m.Kind == backplane.KindLost {
		h.missed()
		return
	}
	if fresh && m.Kind == backplane.KindUpdate {
		if h.latest == nil {
			m.Key = "" // from a process with another version of the module
		}
		h.pass(&stream.Update{Key: m.Key, Charge: m.charge}, m.Data)
	}
}
