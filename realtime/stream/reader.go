package stream

import (
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/realtime/update"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

const (
	// heartbeats is the interval of heartbeats.
	heartbeats = deadlines.Heartbeat
	// stallLimit is how long a socket may accept nothing although there is something to write.
	stallLimit = deadlines.Reader
	// opening is the number of events at the beginning of a stream: the snapshot and a heartbeat.
	opening = 2
	// grace is how long the end of a stream may take before its reader is disconnected.
	grace = deadlines.Hubs
)

// lifetime returns the duration of a stream: 4 to 5 minutes, random, so that readers do not all reconnect
// together.
func lifetime() time.Duration { return 4*time.Minute + rand.N(time.Minute) }

// Reader is one live stream: a place in its hub's log, and either a socket to which a shard writes or a
// response that the stream's own goroutine writes.
type Reader struct {
	place int // its index in set
	set   *readerSet

	log       *Log
	joinedEnd int    // the log's count of ends when it joined
	from      uint64 // its snapshot contains publishes up to this number
	id        uint64 // of its snapshot, or of the last update in its prelude

	// Guarded by the log's lock while it is a member, then by its shard's.
	next    uint64    // its place in the log
	moved   time.Time // when it took an entry the last time
	stops   time.Time // when its stream must end
	beats   time.Time // when its next heartbeat is due
	idle    bool      // it has taken everything and has not checked since
	opening int       // events of the stream's beginning that are not written yet
	cut     bool      // its mailbox was full

	prelude  *Prelude  // until it is written
	response *response // nil: a shard writes

	// Only for a shard's reader, guarded by the shard's lock.
	shard      *shard
	connection Connection
	fd         int32
	serial     int32          // distinguishes it from a later reader with the same descriptor
	rest       [][]byte       // bytes to write before the log: those that its socket has not accepted
	held       *update.Charge // the charge of rest after the prelude
	ending     bool           // the stream's last event is written or in rest
	gone       bool           // closed; the next sweep removes it
}

// Serve writes the stream. It returns when the stream has ended, or when it has taken the connection from
// net/http; then the stream continues without the handler.
func (r *Reader) Serve(w http.ResponseWriter, request *http.Request) {
	counts := r.log.counts
	counts.Readers.Add(1)
	if r.shard != nil && r.handOver(w, ConnectionOf(request.Context())) {
		return
	}
	defer counts.Readers.Add(-1)
	r.respond(w, request)
}

// release releases the stream's beginning.
func (r *Reader) release() {
	if r.prelude != nil {
		r.prelude.drop()
		r.prelude = nil
	}
}
