package store

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// Cursor is the position of a page's last row in the form that a client sends back: base64url of a version
// and the position's bytes. It is not signed, because an invented one shows nothing that the listing would
// not show. A listing changes its version when it sorts differently.
func Cursor(version byte, position []byte) string {
	return base64.RawURLEncoding.EncodeToString(append([]byte{version}, position...))
}

// ParseCursor returns the position of a cursor. ok is false unless Cursor made it with the same version.
func ParseCursor(version byte, cursor string) (position []byte, ok bool) {
	binaryForm, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(binaryForm) == 0 {
		return nil, false
	}
	// The comparison checks the version, spare bits, and the line breaks that the decoder skips.
	return binaryForm[1:], Cursor(version, binaryForm[1:]) == cursor
}

// Place is the position of a row in a listing by time and id. The next page begins directly after it.
type Place struct {
	At time.Time // with microseconds, like the database's value
	ID uuid.UUID
}

// Cursor returns the place's cursor.
func (p Place) Cursor(version byte) string {
	return Cursor(version, append(binary.BigEndian.AppendUint64(nil, uint64(p.At.UnixMicro())), p.ID[:]...))
}

// ParsePlace returns the place of a cursor. ok is false unless Place.Cursor made it, from a time that
// PostgreSQL and JSON can represent.
func ParsePlace(version byte, cursor string) (p Place, ok bool) {
	position, ok := ParseCursor(version, cursor)
	if !ok || len(position) != 8+len(p.ID) {
		return Place{}, false
	}
	p.At = time.UnixMicro(int64(binary.BigEndian.Uint64(position))).UTC()
	p.ID = uuid.UUID(position[8:])
	return p, p.At.Year() >= 1 && p.At.Year() <= 9999
}
