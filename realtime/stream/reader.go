package stream

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/narthex-platform/narthex/realtime/update"
)

// opening is the number of events at the beginning of a stream: the snapshot and a heartbeat.
const opening = 2

// lifetime returns the duration of a stream: 4 to 5 minutes, random, so that readers do not all reconnect
// together.
func lifetime() time.Duration { return 4*time.Minute + rand.N(time.Minute) }

// Reader is one live stream: a place in its hub's log, and a socket to which a shard writes.
type Reader struct {
	place int // its index in set
	set   *readerSet

	log       *Log
	joinedEnd int    // the log's count of ends when it joined
	from      uint64 // its snapshot contains publishes up to this number
	id        uint64 // of its snapshot, or of the last update in its prelude

	// Guarded by the log's lock while it is a member, then by its shard's.
	next  uint64    // its place in the log
	moved time.Time // when it took an entry the last time
	stops time.Time // when its stream must end
	beats time.Time // when its next heartbeat is due

	prelude *Prelude // until it is written
	shard   *shard

	// Guarded by the shard's lock.
	connection Connection
	socket     Socket
	rest       [][]byte       // bytes to write before the log: those that its socket has not accepted
	held       *update.Charge // the charge of rest after the prelude
	ending     bool           // the stream's last event is written or in rest
	gone       bool           // closed; the next sweep removes it
}

// Serve takes the stream's connection from net/http. The stream continues without the handler. It returns
// false if the connection cannot be taken; then nothing is written.
func (r *Reader) Serve(w http.ResponseWriter, connection Connection) bool {
	r.log.counts.Readers.Add(1)
	head, socket := streamHead(w.Header()), connection.Socket()
	if _, _, err := http.NewResponseController(w).Hijack(); err != nil {
		r.log.counts.Readers.Add(-1)
		r.shard.refuse(r)
		return false
	}
	r.connection, r.socket = connection, socket
	r.shard.join(r, r.prelude.pieces(head))
	return true
}

// streamHead returns the response's head. It has no length: the stream ends with the connection.
func streamHead(header http.Header) []byte {
	own := header.Clone()
	own.Set("Content-Type", "text/event-stream")
	own.Set("Cache-Control", "no-store")
	own.Set("X-Accel-Buffering", "no")
	own.Set("Connection", "close")
	own.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	_ = own.Write(&head)
	head.WriteString("\r\n")
	return head.Bytes()
}

// Ready is called when the socket has room again, or its client has disconnected (left).
func (r *Reader) Ready(left bool) { r.shard.ready(r, left) }

// release releases the stream's beginning.
func (r *Reader) release() {
	if r.prelude != nil {
		r.prelude.drop()
		r.prelude = nil
	}
}
