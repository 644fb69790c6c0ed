package backplane

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

// PeerID is the random id of a sender of messages.
type PeerID [16]byte

func newPeerID() (id PeerID) {
	_, _ = rand.Read(id[:]) // cannot fail
	return id
}

// Peers are the peers of one run of a hub, and the numbers of the messages to them. Only the hub uses it.
type Peers struct {
	link    *Link // nil: there are no other processes
	channel Channel
	own     PeerID
	sent    uint64
	known   map[PeerID]*peer
	linked  bool
}

const (
	// AnnounceInterval is how often a hub announces its number.
	AnnounceInterval = 5 * time.Second
	peerTimeout      = 3*AnnounceInterval + AnnounceInterval/2
	maxPeers         = 256 // further ones replace the oldest, which are registered again when they send
)

// NewPeers returns the peers of a run that knows none. link may be nil.
func NewPeers(link *Link, channel Channel) Peers {
	o := Peers{link: link, channel: channel, linked: true}
	if link != nil {
		o.own = newPeerID()
		o.known = make(map[PeerID]*peer)
	}
	return o
}

// Send sends an update to the other processes.
func (o *Peers) Send(key string, data []byte) {
	if o.link != nil {
		o.sent++
		o.link.send(o.channel, Message{Kind: KindUpdate, Origin: o.own, Count: o.sent, Key: key, Data: data})
	}
}

// Announce sends the other processes a message without data. KindLost uses a number, as an update does.
func (o *Peers) Announce(what Kind) {
	if o.link == nil {
		return
	}
	if what == KindLost {
		o.sent++
	}
	o.link.send(o.channel, Message{Kind: what, Origin: o.own, Count: o.sent})
}

// Linked records whether the backplane is connected.
func (o *Peers) Linked(up bool) {
	o.linked = up
	for _, from := range o.known {
		from.heard = time.Now()
	}
	if up {
		o.Announce(KindCount)
	}
}

// Follow returns whether p is new, and whether no message before it is missing. If there is nobody who could
// have missed one, the count of an unknown peer is accepted as it is.
func (o *Peers) Follow(p Message, nobody bool) (fresh, whole bool) {
	if p.Origin == o.own {
		return false, true
	}
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
