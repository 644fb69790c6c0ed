package realtime

import "sync/atomic"

// Account counts what this process holds for the streams of one module, in bytes; see hostmemory.Account.
type Account interface {
	Reserve(n int) bool // false: n bytes more would be too many
	Add(n int)          // counts what is held already
	Release(n int)
}

// Option changes how a hub works.
type Option func(*Hub)

// Charge counts in the module's account what a hub holds: updates until their last reader has them, and
// snapshots. A publish that does not fit is refused with ErrHostOverloaded, a snapshot with ErrOverloaded.
func Charge(account Account) Option { return func(h *Hub) { h.account = account } }

const (
	// updateBytes is what an update or snapshot takes beside its data: itself, its event, its message.
	updateBytes = 512
)

// charge is what one update or snapshot takes of the account. All who hold the data share it; the last one
// that drops it gives the bytes back. A nil charge counts nothing. Safe for concurrent use.
type charge struct {
	account Account
	bytes   int
	holders atomic.Int64
}

// take charges data to one holder.
func (h *Hub) take(data []byte) (c *charge, fits bool) {
	if h.account == nil {
		return nil, true
	}
	if c = h.newCharge(data); !h.account.Reserve(c.bytes) {
		return nil, false
	}
	return c, true
}

// force charges data that is here whether it fits or not.
func (h *Hub) force(data []byte) *charge {
	if h.account == nil || data == nil {
		return nil
	}
	c := h.newCharge(data)
	h.account.Add(c.bytes)
	return c
}

func (h *Hub) newCharge(data []byte) *charge {
	c := &charge{account: h.account, bytes: cap(data) + updateBytes}
	c.holders.Store(1)
	return c
}

// keep adds a holder, who takes cost bytes of its own.
func (c *charge) keep(cost int) {
	if c != nil {
		c.holders.Add(1)
		c.account.Add(cost)
	}
}

// drop ends what take, force or keep began, at the same cost; that of the first two is 0.
func (c *charge) drop(cost int) {
	if c == nil {
		return
	}
	if c.holders.Add(-1) == 0 {
		cost += c.bytes
	}
	c.account.Release(cost)
}

// forget drops the publishes that wait for their turn, and starts at next.
func (o *reorderBuffer) forget(next uint64) {
	for _, p := range o.held {
		p.charge.drop(0)
	}
	*o = reorderBuffer{next: next}
}

// empty drops the snapshot that is shared, and the log.
func (c *snapshots) empty() {
	if c.shared != nil {
		c.shared.charge.drop(0)
	}
	for _, u := range c.log {
		u.charge.drop(0)
	}
	c.shared, c.log, c.bytes = nil, nil, 0
}
