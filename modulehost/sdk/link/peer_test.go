package link_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
)

// The kinds of docs/link.md, repeated here: a test with the package's own constants would prove nothing.
const (
	kindCall = iota + 1
	kindResponse
	kindFailure
	kindCancel
	kindPing
	kindPong
	kindLend
	kindWant
)

type rawFrame struct {
	kind, method byte
	id           uint32
	payload      []byte
}

func (f rawFrame) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(6+len(f.payload)))
	b = append(b, f.kind, f.method)
	b = binary.LittleEndian.AppendUint32(b, f.id)
	return append(b, f.payload...)
}

// readFrame reads one frame as docs/link.md describes it.
func readFrame(r io.Reader) (rawFrame, error) {
	var head [10]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return rawFrame{}, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length < 6 || length > 6+1280<<10 {
		return rawFrame{}, errors.New("bad length")
	}
	f := rawFrame{kind: head[4], method: head[5], id: binary.LittleEndian.Uint32(head[6:])}
	f.payload = make([]byte, length-6)
	_, err := io.ReadFull(r, f.payload)
	return f, err
}

// expectFrame reads the next frame and checks its kind.
func expectFrame(t *testing.T, conn net.Conn, kind byte) rawFrame {
	t.Helper()
	f, err := readFrame(conn)
	if err != nil {
		t.Fatal(err)
	}
	if f.kind != kind {
		t.Fatalf("frame of kind %d, want %d", f.kind, kind)
	}
	return f
}

func write(t *testing.T, conn net.Conn, b []byte) {
	t.Helper()
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
}

func failurePayload(code string, detail []byte) []byte {
	b := binary.AppendUvarint(nil, uint64(len(code)))
	return append(append(b, code...), detail...)
}
