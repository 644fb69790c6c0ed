package update

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits in bytes.
const (
	MaxSnapshot = 1 << 20
	MaxData     = 64 << 10 // of an update
	MaxLatest   = 8 << 10  // of an update of a LatestChannel
	MaxKey      = 128
)

// Error is a stable code that callers may see; its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

const (
	// ErrTooLarge: the data is longer than its limit when compact.
	ErrTooLarge = Error("TOO_LARGE")
	// ErrInvalid: the data is not JSON.
	ErrInvalid = Error("DATA_INVALID")
)

// Compact makes data one line of JSON, in place. Valid JSON without space between its tokens contains no line
// break and is never empty. So it cannot end or forge a field of the stream, nor end the response.
func Compact(data []byte, most int) ([]byte, error) {
	value := jsontext.Value(data)
	if err := value.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, ErrInvalid // without the cause, because it may quote the data
	}
	if len(value) > most {
		return nil, ErrTooLarge
	}
	if cap(value) > 2*len(value)+overhead { // otherwise the unused capacity would stay allocated
		return bytes.Clone(value), nil
	}
	return value, nil
}
