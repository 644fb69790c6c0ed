package realtime

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/r3labs/sse/v2"
)

// compactJSON makes data one line of JSON, in place. What is valid JSON holds no raw line break once the
// space between its tokens is gone, and is never empty: nothing in it can end a field of the stream, forge
// one, or end the response.
func compactJSON(data []byte, most int) ([]byte, error) {
	value := jsontext.Value(data)
	if err := value.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, ErrInvalid // without the cause, which may quote the data
	}
	if len(value) > most {
		return nil, ErrTooLarge
	}
	if cap(value) > 2*len(value)+updateBytes { // the space that is gone would be held with it
		return bytes.Clone(value), nil
	}
	return value, nil
}

// eventName is an event's name on the wire; the slices are shared and never changed.
type eventName = []byte

var (
	snapshotEvent  = eventName("snapshot")
	updateEvent    = eventName("update")
	heartbeatEvent = eventName("heartbeat")
	reconnectEvent = eventName("reconnect")
	nothing        = []byte("{}")
)

// retryAfter is when a reader whose stream has ended comes back, in milliseconds: readers that left together
// do not return together.
func retryAfter() []byte { return strconv.AppendInt(nil, 2_000+rand.Int64N(2_001), 10) }

func newEvent(id uint64, event eventName, data []byte) *sse.Event {
	return &sse.Event{ID: strconv.AppendUint(nil, id, 10), Event: event, Data: data}
}

// heartbeat tells the time.
func heartbeat(id uint64, now time.Time) *sse.Event {
	data := append([]byte(nil), `{"serverTime":"`...)
	data = now.UTC().AppendFormat(data, "2006-01-02T15:04:05.000Z")
	return newEvent(id, heartbeatEvent, append(data, `"}`...))
}

// update is one publish, framed once for all readers.
type update struct {
	number uint64 // in the numbering of this process's module; 0: of another process
	id     uint64 // in the hub's own
	key    string // of a channel of newest values
	size   int    // of its data, in bytes
	frame  []byte // with id; nil when there was nobody to tell
	charge *charge
}
