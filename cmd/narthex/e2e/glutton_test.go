package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processMemory returns the current and the maximum resident memory of a process, in KiB.
func processMemory(t *testing.T, pid int) (now, most int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &now)
		_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &most)
	}
	return now, most
}

// TestAModuleCannotFillThePlatformsMemory: whatever a module does with its database and its calls, the daemon
// grows by less than 64 MiB.
func TestAModuleCannotFillThePlatformsMemory(t *testing.T) {
	if raceDetector {
		t.Skip("its own memory is many times the program's")
	}
	if testing.Short() {
		t.Skip("a module makes gigabytes in five ways")
	}
	t.Parallel()
	const bound = 64 << 10 // KiB
	i := install(t, "glutton")
	for _, c := range []struct{ path, want string }{
		{"/row", "ROW_TOO_LARGE"}, {"/exception", "ROW_TOO_LARGE"}, {"/gossip", "<nil>"}, {"/statements", "<nil>"},
		{"/log", "<nil>"},
	} {
		daemon := i.start(t)
		owner := i.signIn(t, ownerAddress, ownerPassword)
		owner.do("GET", "/api/v1/modules/glutton/look", nil)
		before, _ := processMemory(t, daemon.command.Process.Pid)
		got := owner.do("GET", "/api/v1/modules/glutton"+c.path, nil)
		_, most := processMemory(t, daemon.command.Process.Pid)
		t.Logf("%s: the daemon grew by %d MiB from %d MiB", c.path, (most-before)>>10, before>>10)
		if got.status != http.StatusOK || !strings.Contains(got.body, c.want) {
			t.Errorf("GET %s of the module glutton: status %d, body %.200q; want 200 and %q in it", c.path,
				got.status, got.body, c.want)
		}
		if most-before > bound {
			t.Errorf("GET %s of the module glutton: the daemon grew by %d MiB, want at most %d", c.path,
				(most-before)>>10, bound>>10)
		}
		daemon.signal(t, syscall.SIGTERM)
		daemon.awaitExit(t)
	}
}

// TestAModuleCannotFillThePlatformsMemoryWithItsChannels: readers that do not read make the platform hold
// what a module publishes. Publishing is refused before the module's limit is exceeded, and works again after
// the readers have left.
func TestAModuleCannotFillThePlatformsMemoryWithItsChannels(t *testing.T) {
	t.Parallel()
	i := install(t, "glutton")
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	held := func() (bytes, limit int64) {
		var view struct{ HostMemoryBytes, HostMemoryLimitBytes int64 }
		got := owner.do("GET", "/api/v1/module-lifecycle/glutton/process", nil)
		if err := json.Unmarshal([]byte(got.body), &view); err != nil {
			t.Fatalf("GET the process of the module glutton: status %d, body %.200q; want JSON; error %v",
				got.status, got.body, err)
		}
		return view.HostMemoryBytes, view.HostMemoryLimitBytes
	}
	ctx, leave := context.WithCancel(t.Context())
	defer func() { leave() }()
	read := func(n int) {
		path := fmt.Sprintf("/api/v1/module-realtime/glutton/c.%c%c", 'a'+n/26, 'a'+n%26)
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, owner.address+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Cookie", owner.cookie)
		response, err := owner.client.Transport.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("reader %d: response %v, want 200; error %v", n, response, err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
	}
	began := time.Now()
	var got httpResponse
	for range 5 { // on a busy machine the readers may be disconnected before the memory is full
		leave()
		ctx, leave = context.WithCancel(t.Context())
		for n := range 60 {
			read(n)
		}
		got = owner.do("GET", "/api/v1/modules/glutton/tell", nil)
		if !strings.Contains(got.body, context.DeadlineExceeded.Error()) {
			break
		}
	}
	bytes, limit := held()
	t.Logf("refused after %v, %d of %d MiB are counted", time.Since(began), bytes>>20, limit>>20)
	if !strings.Contains(got.body, "HOST_OVERLOADED") || bytes > limit {
		t.Errorf("GET /tell with 60 readers that read nothing: status %d, body %.200q, %d bytes counted; want "+
			"HOST_OVERLOADED in the body and at most %d bytes", got.status, got.body, bytes, limit)
	}
	leave()
	eventually(t, "nothing is held once the readers have left", func() bool {
		bytes, _ := held()
		return bytes < 4<<20 // the link's own buffers
	})
}

// TestADeadProcessLeavesTheDatabaseAsItWas: the next process finds no lock of the old one, and the default
// search_path.
func TestADeadProcessLeavesTheDatabaseAsItWas(t *testing.T) {
	t.Parallel()
	i := install(t, "glutton")
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	const found = "true true module_glutton <nil>\n"
	if got := owner.do("GET", "/api/v1/modules/glutton/look", nil); got.body != found {
		t.Fatalf("GET /look of the first process: status %d, body %q; want %q", got.status, got.body, found)
	}
	pid := modulePID(t, daemon, "glutton")
	if got := owner.do("GET", "/api/v1/modules/glutton/leave",
		nil); got.status != http.StatusInternalServerError {
		t.Errorf("GET /leave, which ends its process: status %d, want 500; body %s", got.status, got.body)
	}
	eventually(t, "another process", func() bool {
		now := childNamed(t, "glutton", daemon.command.Process.Pid)
		return now != 0 && now != pid
	})
	// The first response of the next process is enough, because its sessions began after the old ones had
	// ended.
	var first httpResponse
	eventually(t, "the next process answers", func() bool {
		first = owner.do("GET", "/api/v1/modules/glutton/look", nil)
		return first.status != http.StatusServiceUnavailable
	})
	if first.body != found {
		t.Errorf("GET /look of the next process: status %d, body %q; want %q", first.status, first.body, found)
	}
}
