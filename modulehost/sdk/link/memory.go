package link

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Memory counts the host's memory that one module uses; see hostmemory.Account.
type Memory interface {
	Reserve(n int) bool // returns false, and adds nothing, if n more bytes exceed the limit
	Add(n int)          // adds bytes that are in memory already
	Release(n int)
}

// Option changes how an end of a link works.
type Option func(*options)

type options struct{ memory Memory }

// Charge counts the messages that this end has read, as long as it uses them. Beyond the limit a call is
// refused with HOST_OVERLOADED, and the caller of a response gets ErrOverloaded. The buffers of a link are
// not counted: they have room for one message each (hostmemory.Fixed).
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

// held is what one message that was read, or the rest of one that was not written, occupies.
type held struct {
	memory Memory
	bytes  int
}

// reserve counts bytes more. It returns false, and counts nothing, if there is no room.
func (h *held) reserve(memory Memory, bytes int) bool {
	if !memory.Reserve(bytes) {
		return false
	}
	h.memory, h.bytes = memory, h.bytes+bytes
	return true
}

// add counts bytes that are in memory already.
func (h *held) add(memory Memory, bytes int) {
	memory.Add(bytes)
	h.memory, h.bytes = memory, h.bytes+bytes
}

// release may be called again.
func (h *held) release() {
	if h.bytes > 0 {
		h.memory.Release(h.bytes)
		h.bytes = 0
	}
}

// sizeOf returns what a message is counted for; 0 if nothing is counted.
func sizeOf(memory Memory, payload []byte) int {
	if memory == (unlimited{}) {
		return 0
	}
	return decodedBytes(payload)
}

const (
	// fieldBytes is the memory of a decoded field without bytes of its own (an empty message: a pointer and a
	// struct).
	fieldBytes = 96
	// numberBytes is the memory of a decoded number, in a slice that has grown.
	numberBytes = 16
	// scanFrom is the shortest payload whose fields are counted. A shorter one needs little memory, whatever it
	// contains.
	scanFrom = 4 << 10
	// scanDepth is up to which depth nested messages are counted; those of abi.proto are not deeper.
	scanDepth = 3
)

// decodedBytes estimates the memory of a payload together with the message that is decoded from it: a
// megabyte of empty fields becomes fifty. Text that looks like fields is counted as more than it needs.
func decodedBytes(payload []byte) int {
	if len(payload) < scanFrom {
		return len(payload)
	}
	fields, _ := bytesOfFields(payload, scanDepth)
	return len(payload) + fields
}

// bytesOfFields returns false if b is not a message.
func bytesOfFields(b []byte, depth int) (bytes int, ok bool) {
	for len(b) > 0 {
		_, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, false
		}
		b = b[n:]
		if kind == protowire.BytesType {
			bytes += fieldBytes
			length, n := binary.Uvarint(b)
			if n <= 0 || length > uint64(len(b)-n) {
				return 0, false
			}
			if depth > 1 {
				if within, is := bytesOfFields(b[n:n+int(length)], depth-1); is {
					bytes += within
				}
			}
			b = b[n+int(length):]
			continue
		}
		bytes += numberBytes
		if n = protowire.ConsumeFieldValue(1, kind, b); n < 0 {
			return 0, false
		}
		b = b[n:]
	}
	return bytes, true
}
