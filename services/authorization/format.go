package authorization

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

// parseID accepts the only format in which the platform writes a UUID: lowercase, with hyphens.
func parseID(text string) (id uuid.UUID, ok bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && id.String() == text
}

// timeLayout is the format of a time in JSON.
const timeLayout = "2006-01-02T15:04:05.000Z"

// instant is a stored time with milliseconds in its JSON form.
type instant time.Time

// Scan implements sql.Scanner.
func (i *instant) Scan(stored any) error {
	at, ok := stored.(time.Time)
	if !ok {
		return fmt.Errorf("authorization: %T is not a time", stored)
	}
	*i = instant(at)
	return nil
}

// MarshalText truncates the time to milliseconds.
func (i instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, timeLayout), nil
}
