package authorization

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// parseID accepts the one spelling of a UUID that the platform knows: lowercase, with hyphens.
func parseID(text string) (id uuid.UUID, ok bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}

// timeLayout is how JSON spells a time (contract.md §1).
const timeLayout = "2006-01-02T15:04:05.000Z"

// parseTime accepts exactly what a time's own JSON would be, in the years that four digits can tell. The
// comparison refuses what time.Parse lets pass, such as a comma before the milliseconds.
func parseTime(text string) (at time.Time, ok bool) {
	at, err := time.Parse(timeLayout, text)
	return at, err == nil && at.Format(timeLayout) == text && representable(at)
}

// representable keeps a position in the database's range as well.
func representable(at time.Time) bool { return at.Year() >= 1 && at.Year() <= 9999 }

// instant is a stored time that JSON shows in milliseconds.
type instant time.Time

// Scan takes a time from the database.
func (i *instant) Scan(stored any) error {
	at, ok := stored.(time.Time)
	if !ok {
		return fmt.Errorf("authorization: %T is not a time", stored)
	}
	*i = instant(at)
	return nil
}

// MarshalText drops what is below the millisecond.
func (i instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, timeLayout), nil
}
