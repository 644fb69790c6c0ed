package realtime

import "sync"

// Limits of a channel of newest values.
const (
	MaxLatest = 8 << 10 // bytes of a value
	MaxKeys   = 128     // in the run of a module's process
	MaxKey    = 128     // bytes
)

// latest is what waits for the hub of a channel of newest values: for each key one update, which a newer
// one replaces. A nil latest is that of every other channel.
type latest struct {
	mu      sync.Mutex
	process uint64              // the run that keys are of
	keys    map[string]struct{} // all that it has published
	waiting map[slot]numbered
}

// slot is where one update may wait; it is the hub's message that one does.
type slot struct {
	process uint64
	key     string
}

func newLatest() *latest {
	return &latest{keys: make(map[string]struct{}), waiting: make(map[slot]numbered)}
}

// admit tells whether a key may be used in the run of a module's process.
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

// PublishLatest is Publish for a channel of newest values: a reader that has not been sent the value of
// this key before gets the new one in its place, after all others that wait. data is at most 8 KiB. ErrKey,
// ErrTooLarge, ErrInvalid or ErrHostOverloaded: nobody gets it.
func (h *Hub) PublishLatest(process, number uint64, key string, data []byte) error {
	if h.latest == nil || key == "" || len(key) > MaxKey {
		return h.refuse(process, number, ErrKey)
	}
	data, err := compactJSON(data, MaxLatest)
	switch {
	case err != nil:
		return err
	case !h.latest.admit(process, key):
		return ErrKey
	}
	charged, fits := h.take(data)
	if !fits {
		return ErrHostOverloaded
	}
	h.latest.put(h.inbox, slot{process, key}, numbered{number, data, charged})
	return nil
}

// put leaves an update for the hub, unless a newer one waits. The hub is told once for all that take the
// same slot meanwhile.
func (l *latest) put(inbox *boundedQueue[message], at slot, update numbered) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, waits := l.waiting[at]
	if waits && before.number > update.number || !waits && !inbox.put(at) {
		update.charge.drop(0)
		return
	}
	before.charge.drop(0)
	l.waiting[at] = update
}

func (l *latest) take(at slot) numbered {
	l.mu.Lock()
	defer l.mu.Unlock()
	update := l.waiting[at]
	delete(l.waiting, at)
	return update
}

// forget drops what waits for a run of the hub that is over.
func (l *latest) forget() {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, update := range l.waiting {
			update.charge.drop(0)
		}
		clear(l.waiting)
	}
}

func (m slot) handle(h *hub) {
	taken := h.latest.take(m)
	defer taken.charge.drop(0)
	if m.process < h.floor || m.process < h.process {
		return
	}
	h.adopt(m.process)
	if taken.number <= h.newest[m.key] { // its call was overtaken by that of a newer value
		return
	}
	h.newest[m.key] = taken.number
	h.pass(&update{number: taken.number, key: m.key, charge: taken.charge}, taken.data)
	h.sendUpdate(m.key, taken.data, taken.charge)
}
