package modulelogs_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/modulelogs"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// silent is one module whose process has written nothing.
type silent struct{ journal process.Journal }

func (s *silent) Journal(moduleID string) *process.Journal {
	if moduleID != "silent" {
		return nil
	}
	return &s.journal
}

// folder returns a folder whose path is short enough for a socket's address.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// serve runs the service until the test ends and returns what it logs.
func serve(t *testing.T, folder string) *observer.ObservedLogs {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	service := modulelogs.New(folder, &silent{}, zap.New(core))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = service.Serve(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	<-service.Ready()
	return logs
}

func read(t *testing.T, folder, module string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	return modulelogs.Read(ctx, modulelogs.Options{Folder: folder, ModuleID: module},
		func([]byte) error { return nil }, func(modulelogs.End) error { return nil })
}

func TestOwnUserIsServed(t *testing.T) {
	dir := filepath.Join(folder(t), "narthex-3000")
	serve(t, dir)
	if err := read(t, dir, "silent"); err != nil {
		t.Errorf("reading a silent module: %v, want nothing", err)
	}
	if err := read(t, dir, "other"); !errors.Is(err, modulelogs.ErrNotRunning) {
		t.Errorf("reading a module that does not run: %v, want %v", err, modulelogs.ErrNotRunning)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder that was made has %v, %v; want mode 0700", info.Mode(), err)
	}
}

// TestModulesUserIsRefused connects as a module's user. The folder allows that here, so only the check of the
// caller's user refuses it.
func TestModulesUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir := folder(t)
	serve(t, dir)
	socket := filepath.Join(dir, "modules.sock")
	for path, mode := range map[string]os.FileMode{dir: 0o711, socket: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	const ofModule = 0x70000001
	for user, want := range map[int]string{ofModule: "", 0: "{}\n"} {
		got := make(chan string, 1)
		go func() {
			runtime.LockOSThread() // not unlocked, so the thread ends with the goroutine
			got <- ask(socket, user)
		}()
		if said := <-got; said != want {
			t.Errorf("user %d was answered %q, want %q", user, said, want)
		}
	}
}

// ask requests the silent module's output as another user: the kernel records the thread's user at the
// connect.
func ask(socket string, user int) string {
	id := uintptr(user)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, id, id, id); errno != 0 {
		return errno.Error()
	}
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err.Error()
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: socket}); err != nil {
		return err.Error()
	}
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = io.WriteString(conn, `{"module":"silent"}`+"\n")
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// TestOpenFolderIsRefused: neither side uses a folder that others can access.
func TestOpenFolderIsRefused(t *testing.T) {
	dir := folder(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	logs := serve(t, dir)
	const reason = "the folder is not a folder of mode 0700"
	if lines := logs.FilterField(zap.String("reason", reason)).Len(); lines != 1 {
		t.Errorf("%d lines in the log say %q, want 1", lines, reason)
	}
	if _, err := os.Stat(filepath.Join(dir, "modules.sock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket: %v, want none", err)
	}
	if err := read(t, dir, "silent"); !errors.Is(err, modulelogs.ErrUnavailable) {
		t.Errorf("reading: %v, want %v", err, modulelogs.ErrUnavailable)
	}
}

func TestSecondPlatformLeavesTheFirstAlone(t *testing.T) {
	dir := folder(t)
	serve(t, dir)
	if logs := serve(t, dir); logs.Len() != 1 {
		t.Errorf("the second platform logged %d lines, want 1", logs.Len())
	}
	if err := read(t, dir, "silent"); err != nil {
		t.Errorf("the first platform's socket: %v, want it served", err)
	}
}

func TestEscaper(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\nGrüße": "plain\ttext\nGrüße",
		"\x1b[2J\r\x07":      `\x1b[2J\r\a`,
		"a\u202eb\u200b":     `a\u202eb\u200b`,
		"\xff\xc3":           `\xff`,
	} {
		var got strings.Builder
		escaper := modulelogs.Escaper{To: &got}
		for _, b := range []byte(text) { // so characters are written in parts
			_, _ = escaper.Write([]byte{b})
		}
		if got.String() != want {
			t.Errorf("%q is shown as %q, want %q", text, got.String(), want)
		}
	}
}
