package realtime

import "sync/atomic"

// Account counts the memory that this process uses for the streams of one module, in bytes; see
// hostmemory.Account.
type Account interface {
	Reserve(n int) bool // returns false, and adds nothing, if n more bytes exceed the limit
	Add(n int)          // adds bytes that are in memory already
	Release(n int)
}

const (
	// updateBytes is the memory of an update or snapshot besides its data: its structs and its message.
	updateBytes = 512
)

// charge is the memory of one update or snapshot in the account. All holders of the data share it, and the
// last one that drops it releases the bytes. A nil charge counts nothing. Safe for concurrent use.
type charge struct {
	account Account
	bytes   int
	holders atomic.Int64
}

// take reserves memory for data, with one holder.
func (h *Hub) take(data []byte) (c *charge, fits bool) {
	if h.account == nil {
		return nil, true
	}
	if c = h.newCharge(data); !h.account.Reserve(c.bytes) {
		return nil, false
	}
	return c, true
}

// chargeUnconditionally adds the memory of data that is already allocated, even beyond the limit.
func (h *Hub) chargeUnconditionally(data []byte) *charge {
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

// keep adds a holder, which itself needs cost more bytes.
func (c *charge) keep(cost int) {
	if c != nil {
		c.holders.Add(1)
		c.account.Add(cost)
	}
}

// drop removes a holder that take, chargeUnconditionally or keep has added, with the same cost; that of the
// first two is 0.
func (c *charge) drop(cost int) {
	if c == nil {
		return
	}
	if c.holders.Add(-1) == 0 {
		cost += c.bytes
	}
	c.account.Release(cost)
}
