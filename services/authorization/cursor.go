package authorization

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// position is a place in the listing's order. The next page begins directly after it.
type position struct {
	createdAt time.Time // with microseconds, like the database's value
	id        uuid.UUID
}

// top is above every grant, and the database can still represent it.
func top() position { return position{time.UnixMicro(math.MaxInt64), uuid.Max} }

// A cursor is a version, the microseconds since 1970 and the id.
const (
	cursorVersion = 1
	cursorLength  = 1 + 8 + 16
)

func (p position) cursor() string {
	binaryForm := make([]byte, 0, cursorLength)
	binaryForm = append(binaryForm, cursorVersion)
	binaryForm = binary.BigEndian.AppendUint64(binaryForm, uint64(p.createdAt.UnixMicro()))
	binaryForm = append(binaryForm, p.id[:]...)
	return base64.RawURLEncoding.EncodeToString(binaryForm)
}

// parseCursor accepts only what cursor made; any other text is REQUEST_INVALID. Cursors are not signed,
// because an invented one shows nothing that the listing would not show.
func parseCursor(text string) (position, error) {
	binaryForm, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(binaryForm) != cursorLength {
		return position{}, httpapi.ErrRequest
	}
	p := position{
		createdAt: time.UnixMicro(int64(binary.BigEndian.Uint64(binaryForm[1:]))).UTC(),
		id:        uuid.UUID(binaryForm[1+8:]),
	}
	// The comparison also checks the version, spare bits, and the line breaks that the decoder skips.
	if !representable(p.createdAt) || p.cursor() != text {
		return position{}, httpapi.ErrRequest
	}
	return p, nil
}
