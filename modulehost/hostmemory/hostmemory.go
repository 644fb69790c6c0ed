// Package hostmemory owns the account of what the host's own memory holds for one module: messages of its
// link, bodies, rows, connections and pieces of objects. A module's process has its own limit; this one keeps
// a module from filling the platform instead.
package hostmemory

import "sync/atomic"

// Limit is the most that the host holds for one module, in bytes.
const Limit = 64 << 20

// Account counts bytes in use. It outlives the module's processes, as what they left behind may. A nil
// *Account counts nothing and refuses nothing. Safe for concurrent use.
type Account struct {
	limit int64
	used  atomic.Int64
}

// New makes an account of limit bytes.
func New(limit int64) *Account { return &Account{limit: limit} }

// Take adds n bytes, to be given back with Give, and reports whether they fit; if not, nothing was added.
func (a *Account) Take(n int) bool {
	if a == nil {
		return true
	}
	if a.used.Add(int64(n)) > a.limit {
		a.used.Add(int64(-n))
		return false
	}
	return true
}

// Force adds n bytes that are held already, also past the limit: calls to come are refused in their place.
func (a *Account) Force(n int) {
	if a != nil {
		a.used.Add(int64(n))
	}
}

// Give takes back n bytes that Take or Force added.
func (a *Account) Give(n int) {
	if a != nil {
		a.used.Add(int64(-n))
	}
}

// Bytes tells how much is in use, and how much may be.
func (a *Account) Bytes() (used, limit int64) {
	if a == nil {
		return 0, 0
	}
	return a.used.Load(), a.limit
}
