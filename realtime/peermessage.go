package realtime

import "encoding/binary"

// parcel is what hubs of one channel tell each other between processes.
//
//	version 1 | kind 1 | origin 16 | count 8, big-endian | length of the key 1 | key | data
//
// Key and data, one line of JSON, are those of a passed update, and empty in the other kinds.
type parcel struct {
	kind   parcelKind
	origin originID
	count  uint64
	key    string // of a channel of newest values; "" on others
	data   []byte
}

type parcelKind byte

const (
	passed   = parcelKind(1) // an update
	lost     = parcelKind(2) // an update that nobody has: readers begin anew
	counted  = parcelKind(3) // how far the count is
	farewell = parcelKind(4) // the same, for the last time
	asked    = parcelKind(5) // how far are the others?
)

const (
	parcelVersion = 2
	parcelHead    = 1 + 1 + len(originID{}) + 8 + 1
)

func (p parcel) encode() []byte {
	b := make([]byte, 0, p.size())
	b = append(b, parcelVersion, byte(p.kind))
	b = append(b, p.origin[:]...)
	b = binary.BigEndian.AppendUint64(b, p.count)
	b = append(b, byte(len(p.key)))
	b = append(b, p.key...)
	return append(b, p.data...)
}

func (p parcel) size() int { return parcelHead + len(p.key) + len(p.data) }

// readParcel trusts nothing, not even a signature: nothing that is read can forge a stream's fields. b is used up.
func readParcel(b []byte) (p parcel, ok bool) {
	if len(b) < parcelHead || b[0] != parcelVersion {
		return parcel{}, false
	}
	p.kind = parcelKind(b[1])
	copy(p.origin[:], b[2:])
	p.count = binary.BigEndian.Uint64(b[parcelHead-9:])
	rest := b[parcelHead:]
	length := int(b[parcelHead-1])
	switch {
	case p.kind == passed && length <= min(len(rest), MaxKey):
		data, err := line(rest[length:], MaxUpdate)
		p.key, p.data = string(rest[:length]), data
		return p, err == nil && p.count > 0
	case p.kind == lost:
		return p, p.count > 0 && length+len(rest) == 0
	case p.kind == counted, p.kind == farewell, p.kind == asked:
		return p, length+len(rest) == 0
	}
	return parcel{}, false
}
