package supervisor_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/supervisor"
)

// systemdSocket listens like systemd: each datagram is one message. It returns a function that reads the next
// message.
func systemdSocket(t *testing.T) func() string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func() string {
		t.Helper()
		message := make([]byte, 1024)
		if err := socket.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, err := socket.Read(message)
		if err != nil {
			t.Fatal(err)
		}
		return string(message[:n])
	}
}

func TestSystemdReceivesReadyWatchdogAndStopping(t *testing.T) {
	next := systemdSocket(t)
	t.Setenv("WATCHDOG_USEC", strconv.Itoa(int((50 * time.Millisecond).Microseconds())))
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))

	tree := supervisor.New(zap.NewNop())
	if err := tree.Start(t.Context(), supervisor.Child{Service: tree.Systemd()}); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "READY=1\nSTATUS=Ready" {
		t.Errorf("the first message is %q, want READY", got)
	}
	for range 3 {
		if got := next(); got != "WATCHDOG=1" {
			t.Errorf("a message after READY is %q, want WATCHDOG=1", got)
		}
	}
	if err := tree.Stop(); err != nil {
		t.Fatal(err)
	}
	last := next()
	for last == "WATCHDOG=1" {
		last = next()
	}
	// 10 s for the service and 5 s for the root
	if !strings.HasPrefix(last, "STOPPING=1\nSTATUS=Stopping\nEXTEND_TIMEOUT_USEC=15000000") {
		t.Errorf("the last message is %q, want STOPPING and 15 s", last)
	}
}

func TestWithoutSystemdNothingIsSent(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	tree := supervisor.New(zap.NewNop())
	if err := tree.Start(t.Context(), supervisor.Child{Service: tree.Systemd()}); err != nil {
		t.Fatal(err)
	}
	if err := tree.Stop(); err != nil {
		t.Fatal(err)
	}
}
