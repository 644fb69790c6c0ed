package realtime

import (
	"crypto/rand"
	"time"
)

// A hub counts what it sends to the hubs of its channel in other processes, and these follow the count: origin is one run of such
// a hub. NATS delivers at most once and in order, so a missing count is a lost update, and every reader here begins anew. What is
// lost last shows in the count that each hub tells every 5 s, when it connects, and when another one asks. A hub that falls
// silent without its farewell may have died between a commit and its publish: then too.
type origin struct {
	position uint64
	heard    time.Time
}

// originID is random.
type originID [16]byte

func newOriginID() (id originID) {
	_, _ = rand.Read(id[:]) // cannot fail
	return id
}

type origins struct {
	own    originID
	sent   uint64
	known  map[originID]*origin
	linked bool
}

const (
	beat      = 5 * time.Second
	silence   = 3*beat + beat/2
	processes = 256 // more than that are forgotten, and noticed again
)

func newOrigins(link *Link) origins {
	o := origins{linked: true}
	if link != nil {
		o.own = newOriginID()
		o.known = make(map[originID]*origin)
	}
	return o
}

// send passes an update on to the other processes.
func (h *hub) send(key string, data []byte, charged *charge) {
	if h.link != nil {
		h.origins.sent++
		p := parcel{kind: passed, origin: h.origins.own, count: h.origins.sent, key: key, data: data}
		h.link.send(h.name, p, charged)
	}
}

// say tells the other processes something without data. lost is counted as an update is.
func (h *hub) say(what parcelKind) {
	if h.link == nil {
		return
	}
	if what == lost {
		h.origins.sent++
	}
	h.link.send(h.name, parcel{kind: what, origin: h.origins.own, count: h.origins.sent}, nil)
}

func (announce) handle(h *hub) { h.say(counted) }

func (m linked) handle(h *hub) {
	h.origins.linked = bool(m)
	for _, o := range h.origins.known {
		o.heard = time.Now()
	}
	if m {
		h.say(counted)
	}
}

func (m foreign) handle(h *hub) {
	defer m.charge.drop(0)
	if m.origin == h.origins.own {
		return
	}
	nobody := len(h.live.readers) == 0 && !h.calls.logging()
	fresh, whole := h.origins.follow(m.parcel, nobody)
	if !whole || fresh && m.kind == lost {
		h.missed()
		return
	}
	if fresh && m.kind == passed {
		if h.latest == nil {
			m.key = "" // of a process that runs another version of the module
		}
		h.pass(&update{key: m.key, data: m.data, charge: m.charge})
	}
}

// deliver hands on what came from another process.
func (h *Hub) deliver(p parcel) {
	m := foreign{p, h.force(p.data)}
	if !h.inbox.deliver(m, p.size()) {
		m.charge.drop(0)
	}
}

// follow tells whether p is news, and whether nothing is missing before it. Where nobody could have missed it, a count not heard of
// before is simply taken over.
func (o *origins) follow(p parcel, nobody bool) (fresh, whole bool) {
	before := p.count // what must have come
	if p.kind == passed || p.kind == lost {
		before--
	}
	from := o.known[p.origin]
	if from == nil {
		from = &origin{}
		if nobody {
			from.position = before
		}
		o.register(p.origin, from)
	}
	from.heard = time.Now()
	fresh, whole = p.count > from.position, before <= from.position
	from.position = max(from.position, p.count)
	if p.kind == farewell {
		delete(o.known, p.origin)
	}
	return fresh, whole
}

func (o *origins) register(id originID, from *origin) {
	for len(o.known) >= processes {
		var oldest originID
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

// silent forgets who has not been heard of for too long, and tells whether there was one.
func (o *origins) silent(now time.Time) (found bool) {
	if !o.linked {
		return false
	}
	for id, from := range o.known {
		if now.Sub(from.heard) > silence {
			delete(o.known, id)
			found = true
		}
	}
	return found
}
