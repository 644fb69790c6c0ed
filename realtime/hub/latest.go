package hub

import (
	"sync"

	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/realtime/update"
)

// MaxKeys is how many keys one run of a module's process may publish on a LatestChannel.
const MaxKeys = 128

// latest holds the updates that wait for the hub of a LatestChannel: one for each key, which a newer one
// replaces. It is nil for every other channel.
type latest struct {
	mu      sync.Mutex
	process uint64              // the run to which keys belong
	keys    map[string]struct{} // all keys that the run has published
	waiting map[slot]numbered
}

// slot is the place of one waiting update; as a message it tells the hub that an update waits there.
type slot struct {
	process uint64
	key     string
}

func newLatest() *latest {
	return &latest{keys: make(map[string]struct{}), waiting: make(map[slot]numbered)}
}

// admit reports whether a run of the module's process may use a key.
func (l *latest) admit(process uint64, key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if process > l.process {
		l.process = process
		clear(l.keys)
	}
	if _, known := l.keys[key]; !known && len(l.keys) >= MaxKeys {
		return false
	}
	l.keys[key] = struct{}{}
	return true
}

// PublishLatest is Publish for a LatestChannel. If a reader has not yet been sent an older value of this key,
// it gets only the new one, after everything else that waits. data is at most 8 KiB. After ErrKey,
// ErrTooLarge, ErrInvalid or ErrHostOverloaded no reader gets the update.
func (h *Hub) PublishLatest(process, number uint64, key string, data []byte) error {
	if h.latest == nil {
		h.inbox.PutUpdate(publish{process, numbered{number: number}}, 0) // so that the order has no gap
		return ErrKey
	}
	if key == "" || len(key) > update.MaxKey {
		return ErrKey
	}
	data, err := update.Compact(data, update.MaxLatest)
	switch {
	case err != nil:
		return err
	case !h.latest.admit(process, key):
		return ErrKey
	}
	charged, fits := update.Reserve(h.account, data)
	if !fits {
		return ErrHostOverloaded
	}
	h.latest.put(h.inbox, slot{process, key}, numbered{number, data, charged}).charge.Drop()
	return nil
}

// put stores an update for the hub, unless a newer one waits, and returns the one that the hub does not get.
// The hub gets one message for all updates that are stored in the same slot meanwhile.
func (l *latest) put(inbox *update.Queue[message], at slot, newer numbered) (older numbered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	older, waits := l.waiting[at]
	if waits && older.number > newer.number || !waits && !inbox.Put(at) {
		return newer
	}
	l.waiting[at] = newer
	return older
}

func (l *latest) take(at slot) numbered {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.waiting[at]
	delete(l.waiting, at)
	return taken
}

// forget drops the updates that wait for a run of the hub that has ended.
func (l *latest) forget() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, waits := range l.waiting {
			waits.charge.Drop()
		}
		clear(l.waiting)
	}
}

func (m slot) handle(h *hub) {
	taken := h.latest.take(m)
	defer taken.charge.Drop()
	if m.process < h.floor || m.process < h.process {
		return
	}
	h.adopt(m.process)
	if taken.number <= h.newest[m.key] { // the call of a newer value has overtaken it
		return
	}
	h.newest[m.key] = taken.number
	h.pass(&stream.Update{Number: taken.number, Key: m.key, Charge: taken.charge}, taken.data)
	h.peers.Send(m.key, taken.data)
}
