package e2e

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestUnderSystemd acts as systemd: it passes a bound socket to the platform and receives its notifications.
func TestUnderSystemd(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	listener, socket := heldSocket(t)
	path := filepath.Join(t.TempDir(), "notify")
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer notify.Close()
	hears := func() string {
		message := make([]byte, 1024)
		if err := notify.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		n, err := notify.Read(message)
		if err != nil {
			t.Fatal(err)
		}
		return string(message[:n])
	}

	i.environment["NOTIFY_SOCKET"] = path
	i.environment["LISTEN_FDS"] = "1"
	daemon := newCommand(t, i.environment, "api:start")
	daemon.Args = append([]string{"sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, daemon.Path}, daemon.Args[1:]...)
	if daemon.Path, err = exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	daemon.ExtraFiles = []*os.File{socket}
	var log transcript
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	if got := hears(); got != "READY=1\nSTATUS=Ready" {
		t.Fatalf("first notification %q, want READY=1 and STATUS=Ready", got)
	}
	i.address = "http://localhost:" + strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	if got := i.visitor(t).do("GET", "/api/v1/health/ready", nil); got.status != http.StatusOK {
		t.Errorf("GET over the inherited socket: status %d, want 200", got.status)
	}

	module := modulePID(t, &invocation{command: daemon}, "base")
	descriptors, err := filepath.Glob("/proc/" + strconv.Itoa(module) + "/fd/*")
	if err != nil || len(descriptors) == 0 {
		t.Fatalf("filepath.Glob: error %v, want none; number of descriptors %v, want another",
			err, len(descriptors))
	}
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil && target == inode(t, socket) {
			t.Errorf("the module has the listening socket as %s", descriptor)
		}
	}
	variables, err := os.ReadFile("/proc/" + strconv.Itoa(module) + "/environ")
	if err != nil || strings.Contains(string(variables), "NOTIFY_SOCKET") ||
		strings.Contains(string(variables), "LISTEN_") {
		t.Errorf("the module's environment is %q, %v", variables, err)
	}

	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := hears(); !strings.HasPrefix(got, "STOPPING=1\n") ||
		!strings.Contains(got, "EXTEND_TIMEOUT_USEC=") {
		t.Errorf("notification after SIGTERM %q, want STOPPING=1 with EXTEND_TIMEOUT_USEC", got)
	}
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
}

// inode returns the name that /proc has for a socket.
func inode(t *testing.T, socket *os.File) string {
	t.Helper()
	info, err := socket.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return "socket:[" + strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10) + "]"
}

// heldSocket returns a socket that outlives the platform's processes, as that of a socket unit, and the file
// that they inherit. Both are closed at the end of the test.
func heldSocket(t *testing.T) (net.Listener, *os.File) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return listener, socket
}
