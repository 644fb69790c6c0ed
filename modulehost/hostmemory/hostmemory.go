// Package hostmemory counts what the platform's own memory holds for one module: messages of its link,
// bodies, rows, connections, pieces of objects, and what its channels hold for readers. The memory of a
// module's process has a limit of its own; this one keeps a module from filling the platform's memory
// instead.
package hostmemory

import "sync/atomic"

// Limit is the most that the platform holds for one module, in bytes.
const Limit = 64 << 20

// Account counts bytes in use. It outlives the module's processes, because memory held for a dead process is
// freed later. A nil *Account counts nothing and refuses nothing. Safe for concurrent use.
type Account struct {
	limit int64
	used  atomic.Int64
}

// New returns an account of limit bytes.
func New(limit int64) *Account { return &Account{limit: limit} }

// Reserve adds n bytes and reports whether they fit into the limit. If not, nothing was added. Give returns
// them.
func (a *Account) Reserve(n int) bool { return a.reserve(n, 0) }

func (a *Account) reserve(n int, spare int64) bool {
	if a == nil {
		return true
	}
	if a.used.Add(int64(n)) > a.limit-spare {
		a.used.Add(int64(-n))
		return false
	}
	return true
}

// Share is an account whose last bytes are kept for others.
type Share struct {
	*Account
	kept int64
}

// Sharing is the account for a purpose that must leave n bytes of it to others.
func (a *Account) Sharing(n int) Share { return Share{a, int64(n)} }

// Reserve is Account.Take, as if the limit were lower.
func (p Share) Reserve(n int) bool { return p.reserve(n, p.kept) }

// Add adds n bytes that are already in memory, even past the limit. Take then refuses until enough is
// given back.
func (a *Account) Add(n int) {
	if a != nil {
		a.used.Add(int64(n))
	}
}

// Release subtracts n bytes that Take or Force added.
func (a *Account) Release(n int) {
	if a != nil {
		a.used.Add(int64(-n))
	}
}

// Bytes returns how much is in use and how much may be.
func (a *Account) Bytes() (used, limit int64) {
	if a == nil {
		return 0, 0
	}
	return a.used.Load(), a.limit
}
