// Package hostmemory counts the platform's own memory that is used for one module, where its amount depends
// on the module: messages that were read from its link (modulehost/sdk/link, memory.go), long bodies of its
// requests and responses (modulehost/gateway, body.go), and what its channels keep for readers
// (realtime/update, charge.go). The module's process has a separate memory limit; this one prevents a module
// from filling the platform's memory instead.
package hostmemory

import "sync/atomic"

// Limit is the most memory of the platform that one module may use, in bytes.
const Limit = 64 << 20

// Fixed is the part of Limit that is not counted, because other limits bound it: four connections with a row
// and the next one of 1 MiB (12 MiB), eight open objects (4 MiB), the buffers of both links (8 MiB), and its
// part of the one export of a person's data that is made at a time (8 MiB).
const Fixed = 32 << 20

// Counted is the limit of a module's account.
const Counted = Limit - Fixed

// Account counts bytes in use. It outlives the module's processes, because memory that was used for a dead
// process is freed later. A nil *Account counts nothing and refuses nothing. Safe for concurrent use.
type Account struct {
	limit int64
	used  atomic.Int64
}

// New returns an account of limit bytes.
func New(limit int64) *Account { return &Account{limit: limit} }

// Reserve adds n bytes and reports whether they fit into the limit. If not, nothing is added. Release
// subtracts them.
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

// Share is an account of which a part is kept for other purposes.
type Share struct {
	*Account
	kept int64
}

// Sharing returns the account for a purpose that must leave n bytes for others.
func (a *Account) Sharing(n int) Share { return Share{a, int64(n)} }

// Reserve is Account.Reserve with a limit that is lower by the kept part.
func (p Share) Reserve(n int) bool { return p.reserve(n, p.kept) }

// Add adds n bytes that are already in memory, even beyond the limit. Reserve then fails until enough is
// released.
func (a *Account) Add(n int) {
	if a != nil {
		a.used.Add(int64(n))
	}
}

// Release subtracts n bytes that Reserve or Add added.
func (a *Account) Release(n int) {
	if a != nil {
		a.used.Add(int64(-n))
	}
}

// Bytes returns how many bytes are in use, and the limit.
func (a *Account) Bytes() (used, limit int64) {
	if a == nil {
		return 0, 0
	}
	return a.used.Load(), a.limit
}
