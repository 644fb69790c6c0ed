package httpserver

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// The errors of framing. A client cannot distinguish all of them (fault.go).
var (
	errHeadTooLarge     = errors.New("head too large")
	errPageHeadTooLarge = errors.New("head too large, of a browser that opens a page")
	errHead             = errors.New("faulty framing in a head")
	errChunk            = errors.New("malformed chunked body")
)

// framing parses the requests of one connection in the bytes that net/http reads: the size of each head, the
// framing of its body, and where the request ends. It refuses only what net/http would wrongly accept;
// net/http checks the rest of the grammar. Before a handler runs, conn.admit compares the framing with
// net/http's result. If they differ, the connection ends, so that no bytes of a body are read as a second
// request.
type framing struct {
	maxHead int // bytes, from the first of the request line to the last of the empty line
	stage   stage

	size     int // bytes so far of the current head, chunk line or trailers
	fields   bool
	get      bool        // the head being read is that of a GET
	html     bool        // its client accepts text/html
	piece    []byte      // the beginning of a line that arrives in several reads
	cr       bool        // the last byte read was the CR of an empty line
	reading  declaration // of the head being read
	declared declaration // of the last complete head
	heads    uint        // number of complete heads so far

	rest     uint64 // bytes left of a body of known length, or of a chunk
	overhead int64  // of a chunked body; see maxOverhead
}

// declaration is how a head frames its body. Without either header field there is no body.
type declaration struct {
	length    int64
	hasLength bool
	coded     bool // has Transfer-Encoding, for which net/http accepts only "chunked"
}

type stage uint8

const (
	between stage = iota // the next byte begins a request
	inHead
	inBody // with a known length
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

// follow processes the bytes read, at most to the end of one request, and returns how many it used. skipped
// is the length of empty lines before a request (RFC 9112 §2.2), which net/http would refuse.
func (f *framing) follow(p []byte) (skipped, used int, err error) {
	if f.stage == between {
		if skipped, err = f.emptyLines(p); err != nil || skipped == len(p) {
			return skipped, skipped, err
		}
		f.stage, f.size, f.fields, f.reading = inHead, 0, false, declaration{}
		f.get, f.html = false, false
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

// emptyLines returns how many bytes at the beginning of p belong to empty lines, which end like those of a
// head.
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

// head processes complete lines of a head. As in net/http, a line ends with a line feed, with or without a
// carriage return.
func (f *framing) head(p []byte) (used int, err error) {
	for used < len(p) && f.stage == inHead && err == nil {
		line, whole := p[used:], false
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line, whole = line[:end+1], true
		}
		used += len(line)
		if f.size += len(line); f.size > f.maxHead {
			if f.get && f.html {
				return used, errPageHeadTooLarge
			}
			return used, errHeadTooLarge
		}
		if !whole || len(f.piece) > 0 {
			f.piece = append(f.piece, line...) // at most as long as a head
			line = f.piece
		}
		if whole {
			err = f.line(withoutEnd(line))
			f.piece = nil
		}
	}
	return used, err
}

// withoutEnd returns a complete line without its line feed and the carriage return before it.
func withoutEnd(line []byte) []byte {
	end := len(line) - 1
	if end > 0 && line[end-1] == '\r' {
		end--
	}
	return line[:end]
}

// line processes one line of a head. It refuses a folded line, which RFC 9112 § 5.2 permits, because its
// content belongs to a field that was already checked.
func (f *framing) line(line []byte) error {
	switch {
	case !f.fields:
		f.fields = true // the request line
		f.get = bytes.HasPrefix(line, []byte("GET "))
		return nil
	case len(line) == 0:
		return f.endHead()
	}
	switch line[0] {
	case ' ', '\t':
		return errHead
	case 'a', 'A':
		if value, ok := field(line, "accept"); ok && bytes.Contains(value, []byte("text/html")) {
			f.html = true
		}
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

// contentLength stores the length. It accepts a second Content-Length, because net/http refuses one that
// differs.
func (f *framing) contentLength(value []byte) error {
	length, err := strconv.ParseUint(string(value), 10, 63)
	if err != nil {
		return errHead
	}
	f.reading.length, f.reading.hasLength = int64(length), true
	return nil
}

// endHead ends a head. It refuses a body with both kinds of framing, because a proxy in front may have used
// the other one.
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

// skip skips up to n bytes of a body or chunk.
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
