package realtime

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

const (
	// heartbeats come every 15 s.
	heartbeats = 15 * time.Second
	// stallLimit is how long a socket may take nothing of what there is for it.
	stallLimit = 20 * time.Second
	// opening is how many events begin a stream: the snapshot and a heartbeat.
	opening = 2
)

// lifetime is how long a stream lasts: 4 to 5 minutes, so that readers do not all reconnect together.
func lifetime() time.Duration { return 4*time.Minute + rand.N(time.Minute) }

// reader is one stream: a place in its hub's log, and a socket that a shard writes to or a response that the
// stream's own goroutine writes.
type reader struct {
	// The hub's own, until it is live.
	joined  uint64 // it was the n-th to join
	place   int    // in set
	set     *readerSet
	outcome chan error  // one value: nil when it is live
	decided atomic.Bool // it is live, or its client has left
	socket  bool        // its connection can be taken from net/http

	log       *eventLog
	joinedEnd int    // the log's count of ends
	from      uint64 // publishes up to this number are in its snapshot
	id        uint64 // of its snapshot, or of the last update that went with it

	// Under the log's lock while it is a member, under its shard's afterwards.
	next    uint64    // its place in the log
	moved   time.Time // when it took something the last time
	stops   time.Time // when its stream has lasted long enough
	beats   time.Time // when its next heartbeat is due
	idle    bool      // it had taken all, and has not looked since
	opening int       // events of the stream's beginning that it has not taken
	cut     bool      // its mailbox was full

	prelude  *prelude  // until it is written
	response *response // nil: a shard has it

	// Of a shard's reader, under its lock.
	shard      *shard
	connection Connection
	fd         int32
	serial     int32    // tells it from a later one with the same descriptor
	rest       [][]byte // goes before the log: what its socket has not taken
	held       *charge  // of rest, behind the prelude
	ending     bool     // the stream's last event is out, or in rest
	gone       bool     // closed, and the next sweep removes it
}

func newReader() *reader { return &reader{outcome: make(chan error, 1)} }

// refuse ends the wait of a reader that is not live.
func (r *reader) refuse(err error) { r.outcome <- err }

// await returns when the reader is live, or why it will not be.
func (r *reader) await(ctx context.Context) error {
	patience := time.NewTimer(snapshotTimeout)
	defer patience.Stop()
	err := ErrHandlerFailed
	select {
	case err := <-r.outcome:
		return err
	case <-patience.C:
		if !r.decided.Swap(true) {
			return err
		}
	case <-ctx.Done():
		if !r.decided.Swap(true) {
			return errors.Join(err, ctx.Err()) // the client has disconnected
		}
	}
	return <-r.outcome
}

// release drops the stream's beginning.
func (r *reader) release() {
	if r.prelude != nil {
		r.prelude.charges.drop()
		r.prelude = nil
	}
}

// charges are what somebody holds of the account.
type charges []*charge

func (c charges) keep() {
	for _, each := range c {
		each.keep(0)
	}
}

func (c charges) drop() {
	for _, each := range c {
		each.drop(0)
	}
}
