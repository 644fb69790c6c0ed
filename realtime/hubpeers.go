package realtime

import "time"

// sendUpdate sends an update to the other processes.
func (h *hub) sendUpdate(key string, data []byte, charged *charge) {
	if h.link != nil {
		h.peers.sent++
		p := Message{Kind: KindUpdate, Origin: h.peers.own, Count: h.peers.sent, Key: key, Data: data}
		h.link.send(h.name, p, charged)
	}
}

// announceKind sends the other processes a message without data. KindLost uses a number, as an update does.
func (h *hub) announceKind(what Kind) {
	if h.link == nil {
		return
	}
	if what == KindLost {
		h.peers.sent++
	}
	h.link.send(h.name, Message{Kind: what, Origin: h.peers.own, Count: h.peers.sent}, nil)
}

func (announce) handle(h *hub) { h.announceKind(KindCount) }

func (m linked) handle(h *hub) {
	h.peers.linked = bool(m)
	for _, o := range h.peers.known {
		o.heard = time.Now()
	}
	if m {
		h.announceKind(KindCount)
	}
}

func (m fromPeer) handle(h *hub) {
	defer m.charge.drop(0)
	if m.Origin == h.peers.own {
		return
	}
	nobody := h.events.readers() == 0 && !h.snapshots.logging()
	fresh, whole := h.peers.Follow(m.Message, nobody)
	if !whole || fresh && m.Kind == KindLost {
		h.missed()
		return
	}
	if fresh && m.Kind == KindUpdate {
		if h.latest == nil {
			m.Key = "" // from a process with another version of the module
		}
		h.pass(&update{key: m.Key, charge: m.charge}, m.Data)
	}
}

// deliver passes a message of another process to the hub.
func (h *Hub) deliver(p Message) {
	m := fromPeer{p, h.chargeUnconditionally(p.Data)}
	if !h.inbox.deliver(m, p.Size()) {
		m.charge.drop(0)
	}
}
