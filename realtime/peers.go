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

// PeerID is a random id.
type PeerID [16]byte

func newPeerID() (id PeerID) {
	_, _ = rand.Read(id[:]) // cannot fail
	return id
}

type Peers struct {
	own    PeerID
	sent   uint64
	known  map[PeerID]*peer
	linked bool
}

const (
	AnnounceInterval = 5 * time.Second
	peerTimeout      = 3*AnnounceInterval + AnnounceInterval/2
	maxPeers         = 256 // further ones replace the oldest, which are registered again when they send
)

func NewPeers(link *Link) Peers {
	o := Peers{linked: true}
	if link != nil {
		o.own = newPeerID()
		o.known = make(map[PeerID]*peer)
	}
	return o
}

// Follow returns whether p is new, and whether no message before it is missing. If there is nobody who could
// have missed one, the count of an unknown peer is accepted as it is.
func (o *Peers) Follow(p Message, nobody bool) (fresh, whole bool) {
	before := p.Count // the count before this message
	if p.Kind == KindUpdate || p.Kind == KindLost {
		before--
	}
	from := o.known[p.Origin]
	if from == nil {
		from = &peer{}
		if nobody {
			from.position = before
		}
		o.register(p.Origin, from)
	}
	from.heard = time.Now()
	fresh, whole = p.Count > from.position, before <= from.position
	from.position = max(from.position, p.Count)
	if p.Kind == KindGoodbye {
		delete(o.known, p.Origin)
	}
	return fresh, whole
}

func (o *Peers) register(id PeerID, from *peer) {
	for len(o.known) >= maxPeers {
		var oldest PeerID
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

// Silent removes peers that have sent nothing for too long, and reports whether there was one.
func (o *Peers) Silent(now time.Time) (found bool) {
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
