package httpserver

import "strings"

func (f *framing) beginChunk() { f.stage, f.rest, f.size = inChunkSize, 0, 0 }

// The limits of net/http for chunked bodies. A body that net/http refuses must be refused here too. Otherwise
// a handler would respond to it.
const (
	maxChunkDigits = 16
	maxChunkSize   = 1 << 62
	maxChunkLine   = 4<<10 - len("\r\n") // of net/http's buffer
	maxTrailers    = 4 << 10             // including the empty line after them
	maxOverhead    = 16 << 10            // bytes of chunk lines, minus 16 per chunk and two per byte of data
)

// chunked processes one byte of a chunked body that is not chunk data. Every line ends in CR LF.
func (f *framing) chunked(b byte) error {
	if f.stage >= inTrailers {
		return f.trailer(b)
	}
	switch f.stage {
	case inChunkSize, inChunkPadding, inChunkExtension:
		return f.chunkLine(b)
	case inChunkSizeEnd:
		return f.endChunkLine(b)
	case inChunkEnd:
		return f.expect(b == '\r', inChunkEndLine, false)
	case inChunkEndLine:
		f.beginChunk()
		return f.expect(b == '\n', inChunkSize, false)
	}
	return errChunk
}

// trailer processes one byte of the fields after the last chunk, each a name, a colon and a value (RFC 9112
// §7.1.2).
func (f *framing) trailer(b byte) error {
	if f.size++; f.size >= maxTrailers && f.stage != inTrailersEnd {
		return errChunk
	}
	switch f.stage {
	case inTrailers:
		if isTokenByte(b) {
			f.stage = inTrailerName
			return nil
		}
		return f.expect(b == '\r', inTrailersEnd, false)
	case inTrailerName:
		return f.expect(b == ':', inTrailerValue, isTokenByte(b))
	case inTrailerValue:
		return f.expect(b == '\r', inTrailerEnd, b == '\t' || b >= ' ' && b != 0x7f)
	case inTrailerEnd:
		return f.expect(b == '\n', inTrailers, false)
	case inTrailersEnd:
		return f.expect(b == '\n', between, false)
	}
	return errChunk
}

// isTokenByte reports whether b may be part of a token (RFC 9110 §5.6.2).
func isTokenByte(b byte) bool {
	switch {
	case '0' <= b && b <= '9', 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", b) >= 0
}

// expect continues with stage next when the byte is the awaited one. Otherwise it keeps the stage if stay is
// true, and returns an error if not.
func (f *framing) expect(awaited bool, next stage, stay bool) error {
	if awaited {
		f.stage = next
		return nil
	}
	if stay {
		return nil
	}
	return errChunk
}

// chunkLine processes a byte of "size [spaces] CR" or "size;extension CR".
func (f *framing) chunkLine(b byte) error {
	if b == '\r' && f.size > 0 {
		f.stage = inChunkSizeEnd
		return nil
	}
	if f.size++; f.size > maxChunkLine {
		return errChunk
	}
	switch digit, isDigit := hexDigit(b); {
	case f.stage == inChunkExtension && b != '\r' && b != '\n':
	case f.stage == inChunkSize && isDigit && f.size <= maxChunkDigits && f.rest < maxChunkSize>>4:
		f.rest = f.rest<<4 | uint64(digit)
	case f.stage == inChunkSize && b == ';' && f.size > 1:
		f.stage = inChunkExtension
	case f.stage != inChunkExtension && (b == ' ' || b == '\t') && f.size > 1:
		f.stage = inChunkPadding
	default:
		return errChunk
	}
	return nil
}

func (f *framing) endChunkLine(b byte) error {
	f.overhead = max(0, f.overhead+int64(f.size)+2-16-2*int64(f.rest))
	if b != '\n' || f.overhead > maxOverhead {
		return errChunk
	}
	if f.stage = inChunk; f.rest == 0 {
		f.stage, f.size = inTrailers, 0
	}
	return nil
}

func hexDigit(b byte) (byte, bool) {
	switch {
	case '0' <= b && b <= '9':
		return b - '0', true
	case 'a' <= b && b <= 'f':
		return b - 'a' + 10, true
	case 'A' <= b && b <= 'F':
		return b - 'A' + 10, true
	}
	return 0, false
}
