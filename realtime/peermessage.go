package realtime

import "encoding/binary"

// peerMessage is a message between the hubs of one channel in different processes.
//
//	version 1 | kind 1 | origin 16 | count 8, big-endian | length of the key 1 | key | data
//
// Key and data are those of an update; data is one line of JSON. Both are empty in the other kinds.
type peerMessage struct {
	kind   peerMessageKind
	origin peerID
	count  uint64
	key    string // only on a LatestChannel, else ""
	data   []byte
}

type peerMessageKind byte

const (
	kindUpdate  = peerMessageKind(1) // an update
	kindLost    = peerMessageKind(2) // a lost update: all readers reconnect
	kindCount   = peerMessageKind(3) // the current count
	kindGoodbye = peerMessageKind(4) // the same, for the last time
	kindQuery   = peerMessageKind(5) // requests the other hubs' counts
)

const (
	peerMessageVersion = 2
	peerMessageHead    = 1 + 1 + len(peerID{}) + 8 + 1
)

func (p peerMessage) encode() []byte {
	b := make([]byte, 0, p.size())
	b = append(b, peerMessageVersion, byte(p.kind))
	b = append(b, p.origin[:]...)
	b = binary.BigEndian.AppendUint64(b, p.count)
	b = append(b, byte(len(p.key)))
	b = append(b, p.key...)
	return append(b, p.data...)
}

func (p peerMessage) size() int { return peerMessageHead + len(p.key) + len(p.data) }

// readPeerMessage checks everything, even after a valid signature, so that no data can forge fields of a
// stream. It modifies b.
func readPeerMessage(b []byte) (p peerMessage, ok bool) {
	if len(b) < peerMessageHead || b[0] != peerMessageVersion {
		return peerMessage{}, false
	}
	p.kind = peerMessageKind(b[1])
	copy(p.origin[:], b[2:])
	p.count = binary.BigEndian.Uint64(b[peerMessageHead-9:])
	rest := b[peerMessageHead:]
	length := int(b[peerMessageHead-1])
	switch {
	case p.kind == kindUpdate && length <= min(len(rest), MaxKey):
		data, err := compactJSON(rest[length:], MaxUpdate)
		p.key, p.data = string(rest[:length]), data
		return p, err == nil && p.count > 0
	case p.kind == kindLost:
		return p, p.count > 0 && length+len(rest) == 0
	case p.kind == kindCount, p.kind == kindGoodbye, p.kind == kindQuery:
		return p, length+len(rest) == 0
	}
	return peerMessage{}, false
}
