package mail_test

import (
	"io"
	"net"
	"testing"

	"github.com/narthex-platform/narthex/mail"
)

// TestConnStaysFailed checks that after an error nothing is read or written, even if the peer continues.
func TestConnStaysFailed(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(net.Conn) (int, error){
		"read":  func(line net.Conn) (int, error) { return line.Read(make([]byte, 1)) },
		"write": func(line net.Conn) (int, error) { return line.Write([]byte("x")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := net.Pipe()
			defer ours.Close()
			defer theirs.Close()
			line := mail.NewBoundedConn(ours, shortLimit, 10)
			_, first := fail(line) // there is no peer
			go func() { _, _ = theirs.Write([]byte("x")) }()
			go func() { _, _ = io.Copy(io.Discard, theirs) }()
			for range 2 {
				if n, err := line.Read(make([]byte, 1)); n != 0 || err == nil || err != first {
					t.Errorf("Read after a failure: %d bytes, want 0; error %v, want %v", n, err, first)
				}
				if n, err := line.Write([]byte("x")); n != 0 || err == nil || err != first {
					t.Errorf("Write after a failure: %d bytes, want 0; error %v, want %v", n, err, first)
				}
			}
		})
	}
}

// TestConnLimitsInput checks that reading stops at the exact byte with an error.
func TestConnLimitsInput(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	go func() { _, _ = theirs.Write(make([]byte, 20)) }()
	line := mail.NewBoundedConn(ours, patience, 10)
	if read, err := io.ReadAll(line); len(read) != 10 || err == nil || err == io.ErrNoProgress {
		t.Errorf("ReadAll of a connection bounded to 10 bytes: %d bytes, error %v; want 10 and an error",
			len(read),
			err)
	}
}
