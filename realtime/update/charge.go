package update

import "sync/atomic"

// Account counts the memory that this process uses for the streams of one module, in bytes; see
// hostmemory.Account.
type Account interface {
	Reserve(n int) bool // returns false, and adds nothing, if n more bytes exceed the limit
	Add(n int)          // adds bytes that are in memory already
	Release(n int)
}

// overhead is the memory of an update or snapshot besides its data: its structs and its message.
const overhead = 512

// Charge is the memory of one update or snapshot in the account. All holders of the data share it, and the
// last one that drops it releases the bytes. A nil Charge counts nothing. Safe for concurrent use.
type Charge struct {
	account Account
	bytes   int
	holders atomic.Int64
}

// Reserve charges data, with one holder, if it fits into the account. A nil account counts nothing.
func Reserve(account Account, data []byte) (c *Charge, fits bool) {
	if account == nil {
		return nil, true
	}
	if c = newCharge(account, data); !account.Reserve(c.bytes) {
		return nil, false
	}
	return c, true
}

// Add charges data that is already allocated, even beyond the limit.
func Add(account Account, data []byte) *Charge {
	if account == nil || data == nil {
		return nil
	}
	c := newCharge(account, data)
	account.Add(c.bytes)
	return c
}

func newCharge(account Account, data []byte) *Charge {
	c := &Charge{account: account, bytes: cap(data) + overhead}
	c.holders.Store(1)
	return c
}

// Keep adds a holder.
func (c *Charge) Keep() {
	if c != nil {
		c.holders.Add(1)
	}
}

// Drop removes a holder that Reserve, Add or Keep has added.
func (c *Charge) Drop() {
	if c != nil && c.holders.Add(-1) == 0 {
		c.account.Release(c.bytes)
	}
}
