package link

import "encoding/binary"

// The payload of a failure: uvarint length of the code, the code, and the rest is the detail.

func appendFailure(b []byte, f *Failure) []byte {
	b = binary.AppendUvarint(b, uint64(len(f.CodeText)))
	b = append(b, f.CodeText...)
	return append(b, f.Detail...)
}

// parseFailure copies what it keeps.
func parseFailure(payload []byte) (*Failure, bool) {
	length, n := binary.Uvarint(payload)
	if n <= 0 || length > maxCode || uint64(len(payload)-n) < length {
		return nil, false
	}
	code, detail := payload[n:n+int(length)], payload[n+int(length):]
	failure := &Failure{CodeText: string(code)}
	if len(detail) > 0 {
		failure.Detail = append([]byte(nil), detail...)
	}
	return failure, validCode(failure.CodeText)
}
