package backplane

import (
	"encoding/binary"

	"github.com/narthex-platform/narthex/realtime/update"
)

// Message is a message between the hubs of one channel in different processes.
//
//	version | kind | origin | count | length of the key | key | data
//
// The fields before the key have 1, 1, 16, 8 (big-endian) and 1 bytes; the version is messageVersion. Key and
// data are those of an update; data is one line of JSON. Both are empty in the other kinds.
type Message struct {
	Kind Kind
	Key  string // only on a LatestChannel, else ""
	Data []byte

	Origin PeerID
	Count  uint64
}

// Kind is what a message says.
type Kind byte

const (
	KindUpdate  = Kind(1) // an update
	KindLost    = Kind(2) // a lost update: all readers reconnect
	KindCount   = Kind(3) // the current count
	KindGoodbye = Kind(4) // the same, for the last time
	kindQuery   = Kind(5) // requests the other hubs' counts
)

const (
	messageVersion = 2
	messageHead    = 1 + 1 + len(PeerID{}) + 8 + 1
)

func (p Message) encode() []byte {
	b := make([]byte, 0, p.Size())
	b = append(b, messageVersion, byte(p.Kind))
	b = append(b, p.Origin[:]...)
	b = binary.BigEndian.AppendUint64(b, p.Count)
	b = append(b, byte(len(p.Key)))
	b = append(b, p.Key...)
	return append(b, p.Data...)
}

// Size is the length of the encoded message.
func (p Message) Size() int { return messageHead + len(p.Key) + len(p.Data) }

// readMessage checks everything, even after a valid signature, so that no data can forge fields of a
// stream. It modifies b.
func readMessage(b []byte) (p Message, ok bool) {
	if len(b) < messageHead || b[0] != messageVersion {
		return Message{}, false
	}
	p.Kind = Kind(b[1])
	copy(p.Origin[:], b[2:])
	p.Count = binary.BigEndian.Uint64(b[messageHead-9:])
	rest := b[messageHead:]
	length := int(b[messageHead-1])
	switch {
	case p.Kind == KindUpdate && length <= min(len(rest), update.MaxKey):
		data, err := update.Compact(rest[length:], update.MaxData)
		p.Key, p.Data = string(rest[:length]), data
		return p, err == nil && p.Count > 0
	case p.Kind == KindLost:
		return p, p.Count > 0 && length+len(rest) == 0
	case p.Kind == KindCount, p.Kind == KindGoodbye, p.Kind == kindQuery:
		return p, length+len(rest) == 0
	}
	return Message{}, false
}
