package link

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Memory counts what the host holds for one module; see hostmemory.Account.
type Memory interface {
	Reserve(n int) bool // false: n bytes more would be too many
	Add(n int)          // counts what is held already
	Release(n int)
}

// Option changes how an end of a link works.
type Option func(*options)

type options struct{ memory Memory }

// Charge counts what this end holds for the other one. A call or answer that would take too much is refused:
// a call with HOST_OVERLOADED, a response with ErrOverloaded at its caller.
func Charge(memory Memory) Option { return func(o *options) { o.memory = memory } }

func collect(list []Option) options {
	o := options{memory: unlimited{}}
	for _, option := range list {
		option(&o)
	}
	return o
}

// unlimited is the Memory of an end that counts nothing.
type unlimited struct{}

func (unlimited) Reserve(int) bool { return true }
func (unlimited) Add(int)          {}
func (unlimited) Release(int)      {}

const (
	// fieldBytes is what a field without bytes of its own takes when it is decoded (an empty message: a
	// pointer and a struct).
	fieldBytes = 96
	// scanFrom is the shortest payload whose fields are counted: a shorter one takes little, whatever is in
	// it.
	scanFrom = 4 << 10
	// scanDepth is how deep messages within messages are counted; those of abi.proto go no deeper.
	scanDepth = 3
)

// decodedBytes estimates what a payload takes in memory with the message that is decoded from it: a megabyte
// of empty fields becomes fifty. Text that happens to look like fields counts for more than it takes.
func decodedBytes(payload []byte) int {
	if len(payload) < scanFrom {
		return len(payload)
	}
	fields, _ := countFields(payload, scanDepth)
	return len(payload) + fieldBytes*fields
}

// countFields reports false for what is no message.
func countFields(b []byte, depth int) (fields int, ok bool) {
	for len(b) > 0 {
		_, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, false
		}
		b = b[n:]
		fields++
		if kind == protowire.BytesType {
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return 0, false
			}
			if depth > 1 {
				if within, is := countFields(b[n:n+int(length)], depth-1); is {
					fields += within
				}
			}
			b = b[n+int(length):]
			continue
		}
		if n = protowire.ConsumeFieldValue(1, kind, b); n < 0 {
			return 0, false
		}
		b = b[n:]
	}
	return fields, true
}
