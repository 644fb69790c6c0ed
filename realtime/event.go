package realtime

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/r3labs/sse/v2"
)

// compactJSON makes data one line of JSON, in place. Valid JSON without space between its tokens contains no
// line break and is never empty. So it cannot end or forge a field of the stream, nor end the response.
func compactJSON(data []byte, most int) ([]byte, error) {
	value := jsontext.Value(data)
	if err := value.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, ErrInvalid // without the cause, because it may quote the data
	}
	if len(value) > most {
		return nil, ErrTooLarge
	}
	if cap(value) > 2*len(value)+updateBytes { // otherwise the unused capacity would stay allocated
		return bytes.Clone(value), nil
	}
	return value, nil
}

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

// update is one published update, framed once for all readers.
type update struct {
	number uint64 // number in this process's module; 0: of another process
	id     uint64 // number in the hub
	key    string // only on a LatestChannel
	size   int    // size of its data in bytes
	frame  []byte // with id; nil if there was no reader
	charge *charge
}
