package httpserver

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// Why the bytes of a request are refused. Nobody outside sees which one it was (fault.go).
var (
	errHeadTooLarge = errors.New("head too large")
	errHead         = errors.New("faulty framing in a head")
	errChunk        = errors.New("malformed chunked body")
)

// framing follows the requests of one connection through the bytes that net/http reads: how large each head
// is, how its body is framed and where it ends. It judges only what net/http would let pass; the rest of
// the grammar stays net/http's. What both must agree on is compared before a handler runs (conn.admit), so
// that bytes which the two read differently end a connection and are never a second request.
type framing struct {
	maxHead int // bytes, from the request line's first to the empty line's last
	stage   stage

	size     int // bytes so far of this head, of a chunk's line, or of the trailers
	fields   bool
	piece    []byte      // the beginning of a line that comes in pieces
	cr       bool        // the last byte of an empty line that comes in pieces
	reading  declaration // of the head under way
	declared declaration // of the last whole head
	heads    uint        // whole ones so far

	rest     uint64 // bytes left of a body of known length, or of a chunk
	overhead int64  // of a chunked body
}

// declaration is how a head frames its body. Without either field there is none.
type declaration struct {
	length    int64
	hasLength bool
	coded     bool // Transfer-Encoding, of which net/http lets only "chunked" pass
}

type stage uint8

const (
	between stage = iota // the next byte begins a request
	inHead
	inBody // of known length
	inChunkSize
	inChunkPadding
	inChunkExtension
	inChunkSizeEnd
	inChunk
	inChunkEnd
	inChunkEndLine
	inTrailers
	inTrailerName
	inTrailerValue
	inTrailerEnd
	inTrailersEnd
)

// follow takes what was read, at most to the end of one request, and returns where that is. What it skips
// at the beginning are empty lines before a request (RFC 9112 §2.2), which net/http would refuse.
func (f *framing) follow(p []byte) (skipped, used int, err error) {
	if f.stage == between {
		if skipped, err = f.emptyLines(p); err != nil || skipped == len(p) {
			return skipped, skipped, err
		}
		f.stage, f.size, f.fields, f.reading = inHead, 0, false, declaration{}
	}
	for used = skipped; used < len(p) && err == nil && f.stage != between; {
		switch left := p[used:]; f.stage {
		case inHead:
			var n int
			n, err = f.head(left)
			used += n
		case inBody, inChunk:
			used += f.skip(len(left))
		default:
			err = f.chunked(left[0])
			used++
		}
	}
	return skipped, used, err
}

// emptyLines returns how many bytes belong to empty lines, ended as those of a head are.
func (f *framing) emptyLines(p []byte) (int, error) {
	for i, b := range p {
		switch {
		case b == '\n':
			f.cr = false
		case f.cr:
			return i, errHead
		case b == '\r':
			f.cr = true
		default:
			return i, nil
		}
	}
	return len(p), nil
}

// head takes whole lines while there are any, ended as net/http allows: by a line feed, with or without a
// carriage return.
func (f *framing) head(p []byte) (used int, err error) {
	for used < len(p) && f.stage == inHead && err == nil {
		line, whole := p[used:], false
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, whole = line[:end+1], true
		}
		used += len(line)
		if f.size += len(line); f.size > f.maxHead {
			return used, errHeadTooLarge
		}
		if !whole || len(f.piece) > 0 {
			f.piece = append(f.piece, line...) // at most a head
			line = f.piece
		}
		if whole {
			err = f.line(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'}))
			f.piece = nil
		}
	}
	return used, err
}

// line refuses a folded line (RFC 9112 § 5.2 leaves the choice): what is in it belongs to a field that was
// judged already.
func (f *framing) line(line []byte) error {
	switch {
	case !f.fields:
		f.fields = true // the request line
		return nil
	case len(line) == 0:
		return f.endHead()
	}
	switch line[0] {
	case ' ', '\t':
		return errHead
	case 'c', 'C':
		if value, ok := field(line, "content-length"); ok {
			return f.contentLength(value)
		}
	case 't', 'T':
		if _, ok := field(line, "transfer-encoding"); ok {
			f.reading.coded = true
		}
	}
	return nil
}

func field(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !strings.EqualFold(string(line[:len(name)]), name) {
		return nil, false
	}
	return bytes.Trim(line[len(name)+1:], " \t"), true
}

// contentLength takes a second length, for net/http refuses one that differs.
func (f *framing) contentLength(value []byte) error {
	length, err := strconv.ParseUint(string(value), 10, 63)
	if err != nil {
		return errHead
	}
	f.reading.length, f.reading.hasLength = int64(length), true
	return nil
}

// endHead refuses a body that is framed twice: a proxy in front may have used the other framing.
func (f *framing) endHead() error {
	if f.reading.coded && f.reading.hasLength {
		return errHead
	}
	f.declared = f.reading
	f.heads++
	switch {
	case f.declared.coded:
		f.overhead = 0
		f.beginChunk()
	case f.declared.length > 0:
		f.stage, f.rest = inBody, uint64(f.declared.length)
	default:
		f.stage = between
	}
	return nil
}

// skip passes over bytes that mean nothing here.
func (f *framing) skip(n int) int {
	if uint64(n) < f.rest {
		f.rest -= uint64(n)
		return n
	}
	n = int(f.rest)
	if f.rest = 0; f.stage == inBody {
		f.stage = between
	} else {
		f.stage = inChunkEnd
	}
	return n
}
