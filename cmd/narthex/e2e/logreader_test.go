package e2e

import (
	"bufio"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestReaderThatGoesAway: the platform survives the end of its log's reader. By default a write to a closed
// standard error ends a process with SIGPIPE.
func TestReaderThatGoesAway(t *testing.T) {
	t.Parallel()
	i := install(t, "base")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	daemon := newCommand(t, i.environment, "api:start")
	daemon.Stderr = write
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = daemon.Process.Kill() })
	_ = write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && !strings.Contains(lines.Text(), `"msg":"ready"`) {
	}
	_ = read.Close()

	owner := i.signIn(t, ownerAddress, ownerPassword)
	for range 20 { // each writes a line to the log
		if got := owner.do("GET", "/api/v1/modules/base/panic", nil); got.status != 500 {
			t.Fatalf("GET /api/v1/modules/base/panic: status %v, want %v; body %.200s",
				got.status, 500, got.body)
		}
	}
	if err := daemon.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon ended with %v", err)
	}
}
