package realtime

import (
	"crypto/rand"
	"time"
)

// peer is one run of a hub of the same channel in another process. Every hub numbers the messages to its
// peers. NATS delivers at most once and in order, so a gap in a peer's numbers is a lost update, and every
// reader here is disconnected to fetch a new snapshot. A loss at the end of the sequence is noticed by the
// number that each hub announces every 5 s, when it connects, and when a peer asks for it. A peer that
// becomes silent without a goodbye may have died between a commit and its publish. That is treated as a lost
// update, too.
type peer struct {
	position uint64
	heard    time.Time
}

// peerID is a random id.
type peerID [16]byte

func newPeerID() (id peerID) {
	_, _ = rand.Read(id[:]) // cannot fail
	return id
}

type peers struct {
	own    peerID
	sent   uint64
	known  map[peerID]*peer
	linked bool
}

const (
	announceInterval = 5 * time.Second
	peerTimeout      = 3*announceInterval + announceInterval/2
	maxPeers         = 256 // further ones replace the oldest, which are registered again when they send
)

func newPeers(link *Link) peers {
	o := peers{linked: true}
	if link != nil {
		o.own = newPeerID()
		o.known = make(map[peerID]*peer)
	}
	return o
}

// sendUpdate sends an update to the other processes.
func (h *hub) sendUpdate(key string, data []byte, charged *charge) {
	if h.link != nil {
		h.peers.sent++
		p := peerMessage{kind: kindUpdate, origin: h.peers.own, count: h.peers.sent, key: key, data: data}
		h.link.send(h.name, p, charged)
	}
}

// announceKind sends the other processes a message without data. kindLost uses a number, as an update does.
func (h *hub) announceKind(what peerMessageKind) {
	if h.link == nil {
		return
	}
	if what == kindLost {
		h.peers.sent++
	}
	h.link.send(h.name, peerMessage{kind: what, origin: h.peers.own, count: h.peers.sent}, nil)
}

func (announce) handle(h *hub) { h.announceKind(kindCount) }

func (m linked) handle(h *hub) {
	h.peers.linked = bool(m)
	for _, o := range h.peers.known {
		o.heard = time.Now()
	}
	if m {
		h.announceKind(kindCount)
	}
}

func (m fromPeer) handle(h *hub) {
	defer m.charge.drop(0)
	if m.origin == h.peers.own {
		return
	}
	nobody := h.events.readers() == 0 && !h.snapshots.logging()
	fresh, whole := h.peers.follow(m.peerMessage, nobody)
	if !whole || fresh && m.kind == kindLost {
		h.missed()
		return
	}
	if fresh && m.kind == kindUpdate {
		if h.latest == nil {
			m.key = "" // from a process with another version of the module
		}
		h.pass(&update{key: m.key, charge: m.charge}, m.data)
	}
}

// deliver passes a message of another process to the hub.
func (h *Hub) deliver(p peerMessage) {
	m := fromPeer{p, h.chargeUnconditionally(p.data)}
	if !h.inbox.deliver(m, p.size()) {
		m.charge.drop(0)
	}
}

// follow returns whether p is new, and whether no message before it is missing. If there is nobody who could
// have missed one, the count of an unknown peer is accepted as it is.
func (o *peers) follow(p peerMessage, nobody bool) (fresh, whole bool) {
	before := p.count // the count before this message
	if p.kind == kindUpdate || p.kind == kindLost {
		before--
	}
	from := o.known[p.origin]
	if from == nil {
		from = &peer{}
		if nobody {
			from.position = before
		}
		o.register(p.origin, from)
	}
	from.heard = time.Now()
	fresh, whole = p.count > from.position, before <= from.position
	from.position = max(from.position, p.count)
	if p.kind == kindGoodbye {
		delete(o.known, p.origin)
	}
	return fresh, whole
}

func (o *peers) register(id peerID, from *peer) {
	for len(o.known) >= maxPeers {
		var oldest peerID
		var heard time.Time
		for other, origin := range o.known {
			if heard.IsZero() || origin.heard.Before(heard) {
				oldest, heard = other, origin.heard
			}
		}
		delete(o.known, oldest)
	}
	o.known[id] = from
}

// silent removes peers that have sent nothing for too long, and reports whether there was one.
func (o *peers) silent(now time.Time) (found bool) {
	if !o.linked {
		return false
	}
	for id, from := range o.known {
		if now.Sub(from.heard) > peerTimeout {
			delete(o.known, id)
			found = true
		}
	}
	return found
}
