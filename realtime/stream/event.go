package stream

import (
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/r3labs/sse/v2"

	"github.com/narthex-platform/narthex/realtime/update"
)

// eventName is the name of an event; the slices are shared and must not be modified.
type eventName = []byte

var (
	snapshotEvent  = eventName("snapshot")
	updateEvent    = eventName("update")
	heartbeatEvent = eventName("heartbeat")
	reconnectEvent = eventName("reconnect")
	nothing        = []byte("{}")
)

// retryAfter returns after how many milliseconds a reader reconnects. It is random, so that readers that were
// disconnected together do not reconnect together.
func retryAfter() []byte { return strconv.AppendInt(nil, 2_000+rand.Int64N(2_001), 10) }

func newEvent(id uint64, event eventName, data []byte) *sse.Event {
	return &sse.Event{ID: strconv.AppendUint(nil, id, 10), Event: event, Data: data}
}

// heartbeat returns an event with the current time.
func heartbeat(id uint64, now time.Time) *sse.Event {
	data := append([]byte(nil), `{"serverTime":"`...)
	data = now.UTC().AppendFormat(data, "2006-01-02T15:04:05.000Z")
	return newEvent(id, heartbeatEvent, append(data, `"}`...))
}

// Update is one published update, framed once for all readers.
type Update struct {
	Number uint64 // number in this process's module; 0: of another process
	ID     uint64 // number in the hub
	Key    string // only on a LatestChannel
	Size   int    // size of its data in bytes
	Frame  []byte // with ID; nil if there was no reader
	Charge *update.Charge
}

// reconnect returns the last event of a stream.
func reconnect(id uint64) *sse.Event { return newEvent(id, reconnectEvent, nothing) }
