// Package hostmemory counts what the platform's own memory holds for one module: messages of its link,
// bodies, rows, connections, pieces of objects, and what its channels hold for readers. The memory of a
// module's process has a limit of its own; this one keeps a module from filling the platform's memory
// instead.
package hostmemory

import "sync/atomic"

// Limit is the most that the platform holds for one module, in bytes.
const Limit = 64 << 20

// Account counts bytes in use. It lives longer than the module's processes, because what they left behind
// may. A nil *Account counts nothing and refuses nothing. Safe for concurrent use.
type Account struct {
	limit int64
	used  atomic.Int64
}

// New returns an account of limit bytes.
func New(limit int64) *Account { return &Account{limit: limit} }

// Take adds n bytes and reports whether they fit into the limit. If not, nothing was added. Give returns
// them.
func (a *Account) Take(n int) bool { return a.take(n, 0) }

func (a *Account) take(n int, spare int64) bool {
	if a == nil {
		return true
	}
	if a.used.Add(int64(n)) > a.limit-spare {
		a.used.Add(int64(-n))
		return false
	}
	return true
}

// Part is an account whose last bytes are kept for others.
type Part struct {
	*Account
	spare int64
}

// Sparing is the account for a purpose that must leave n bytes of it to others.
func (a *Account) Sparing(n int) Part { return Part{a, int64(n)} }

// Take is Account.Take, as if the limit were lower.
func (p Part) Take(n int) bool { return p.take(n, p.spare) }

// Force adds n bytes that are already in memory, even past the limit. Take then refuses until enough is
// given back.
func (a *Account) Force(n int) {
	if a != nil {
		a.used.Add(int64(n))
	}
}

// Give subtracts n bytes that Take or Force added.
func (a *Account) Give(n int) {
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
