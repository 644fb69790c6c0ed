package realtime

import "encoding/binary"

// parcel is what hubs of one channel tell each other between processes.
//
//	version 1 | kind 1 | origin 16 | count 8, big-endian | data of a passed update: one line of JSON
type parcel struct {
	kind   parcelKind
	origin originID
	count  uint64
	data   []byte
}

type parcelKind byte

const (
	passed   = parcelKind(1) // an update
	lost     = parcelKind(2) // an update that nobody has: readers begin anew
	counted  = parcelKind(3) // how far the count is
	farewell = parcelKind(4) // the same, for the last time
)

const (
	parcelVersion = 1
	parcelHead    = 1 + 1 + len(originID{}) + 8
)

func (p parcel) encode() []byte {
	b := make([]byte, 0, parcelHead+len(p.data))
	b = append(b, parcelVersion, byte(p.kind))
	b = append(b, p.origin[:]...)
	b = binary.BigEndian.AppendUint64(b, p.count)
	return append(b, p.data...)
}

// readParcel trusts nothing: whoever may write to the backplane must still not be able to forge a stream's fields. b is used up.
func readParcel(b []byte) (p parcel, ok bool) {
	if len(b) < parcelHead || b[0] != parcelVersion {
		return parcel{}, false
	}
	p.kind = parcelKind(b[1])
	copy(p.origin[:], b[2:])
	p.count = binary.BigEndian.Uint64(b[parcelHead-8:])
	switch p.kind {
	case passed:
		data, err := line(b[parcelHead:], MaxUpdate)
		p.data = data
		return p, err == nil && p.count > 0
	case lost:
		return p, p.count > 0 && len(b) == parcelHead
	case counted, farewell:
		return p, len(b) == parcelHead
	}
	return parcel{}, false
}
