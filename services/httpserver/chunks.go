package httpserver

func (f *framing) beginChunk() { f.stage, f.rest, f.digits = inChunkSize, 0, 0 }

// maxChunkDigits keeps a chunk's size within 64 bits.
const maxChunkDigits = 16

// chunked takes one byte of a chunked body outside its data. Every line ends in CR LF; net/http is as strict about sizes, and a
// trailer that it would read more generously is refused.
func (f *framing) chunked(b byte) error {
	switch f.stage {
	case inChunkSize:
		return f.chunkSize(b)
	case inChunkExtension:
		return f.expect(b == '\r', inChunkSizeEnd, b != '\n')
	case inChunkSizeEnd:
		if f.rest == 0 {
			return f.expect(b == '\n', inTrailers, false)
		}
		return f.expect(b == '\n', inChunk, false)
	case inChunkEnd:
		return f.expect(b == '\r', inChunkEndLine, false)
	case inChunkEndLine:
		f.beginChunk()
		return f.expect(b == '\n', inChunkSize, false)
	case inTrailers:
		if b != '\r' && b != '\n' {
			f.stage = inTrailer
			return nil
		}
		return f.expect(b == '\r', inTrailersEnd, false)
	case inTrailer:
		return f.expect(b == '\r', inTrailerEnd, b != '\n')
	case inTrailerEnd:
		return f.expect(b == '\n', inTrailers, false)
	case inTrailersEnd:
		return f.expect(b == '\n', between, false)
	}
	return errChunk
}

// expect goes on to next where the byte is the awaited one; another one is a fault unless the stage may stay.
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

func (f *framing) chunkSize(b byte) error {
	if digit, ok := hexDigit(b); ok {
		if f.digits++; f.digits > maxChunkDigits {
			return errChunk
		}
		f.rest = f.rest<<4 | uint64(digit)
		return nil
	}
	if f.digits == 0 {
		return errChunk
	}
	switch b {
	case '\r':
		f.stage = inChunkSizeEnd
	case ';', ' ', '\t':
		f.stage = inChunkExtension
	default:
		return errChunk
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
