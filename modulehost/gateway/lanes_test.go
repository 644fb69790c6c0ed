package gateway_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/waittest"
)

// TestModuleWithoutLanes uses a module whose SDK supports only body sockets: bodies of every size are sent in
// both directions.
func TestModuleWithoutLanes(t *testing.T) {
	t.Parallel()
	p := startProgram(t, withoutLanes(t))
	if p.lanes(t) != 0 {
		t.Error("the module uses lanes, and should not")
	}
	for _, size := range []int{64<<10 + 1, 1 << 20, 5 << 20} {
		body := pattern(size)
		for _, path := range []string{"/bytes/", "/known/"} {
			if got := p.do("GET", path+strconv.Itoa(size), nil); got.StatusCode != 200 || got.body != body {
				t.Errorf("GET %s%d: status %d, want 200; %d bytes; error %v", path, size, got.StatusCode, len(got.body),
					got.err)
			}
		}
		want := fmt.Sprintf("%d %d %x", size, size, sha256.Sum256([]byte(body)))
		if got := p.do("POST", "/large", strings.NewReader(body)); got.body != want {
			t.Errorf("POST /large of %d bytes: status %d; body %s, want %s", size, got.StatusCode, got.body, want)
		}
	}
	p.echo(t, 1<<20)
	if p.lent.taken.Load() != 0 {
		t.Error("a lane was lent")
	}
}

// withoutLanes returns the path of the test module under the name with which it behaves like an older SDK.
func withoutLanes(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "gateway-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	older := filepath.Join(folder, "without-lanes")
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(older, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return older
}

// lanes returns how many bytes of lanes the module has mapped.
func (p *platform) lanes(t *testing.T) (bytes int) {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.pid(t)))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var from, to int
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && strings.Contains(line, "/memfd:") {
			bytes += to - from
		}
	}
	return bytes
}

// TestModuleThatScribblesOverItsLanes: a module that writes into its lanes while bodies are sent corrupts
// only those bodies. They keep their lengths, and another module's bodies are not affected.
func TestModuleThatScribblesOverItsLanes(t *testing.T) {
	if testing.Short() {
		t.Skip("sends many long bodies through lanes under attack")
	}
	t.Parallel()
	hostile, other := start(t, gateway.Limits{}), start(t, gateway.Limits{})
	if hostile.lanes(t) != 8<<20 {
		t.Errorf("%d bytes of lanes, want 8 MiB", hostile.lanes(t))
	}
	if got := hostile.do("GET", "/scribble", nil); got.StatusCode != 200 {
		t.Fatalf("GET /scribble: status %d, want 200; body %s", got.StatusCode, got.body)
	}
	const size = 5 << 20
	want, spoilt := pattern(size), atomic.Bool{}
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for range 5 {
				got := hostile.do("GET", "/known/"+strconv.Itoa(size), nil)
				if got.StatusCode != 200 || len(got.body) != size || got.err != nil {
					t.Errorf("a scribbled response: status %d, want 200; %d bytes, want %d; error %v", got.StatusCode,
						len(got.body), size, got.err)
				}
				if got.body != want {
					spoilt.Store(true)
				}
				if got := hostile.do("POST", "/large", strings.NewReader(want)); !strings.HasPrefix(got.body,
					fmt.Sprintf("%d %d ", size, size)) {
					t.Errorf("a scribbled request: status %d; body %s", got.StatusCode, got.body)
				}
			}
		})
		clients.Go(func() {
			for range 5 {
				if got := other.do("GET", "/known/"+strconv.Itoa(size), nil); got.body != want {
					t.Errorf("another module's response: status %d, %d bytes, not as it was sent", got.StatusCode,
						len(got.body))
				}
			}
		})
	}
	clients.Wait()
	if !spoilt.Load() {
		t.Error("no response was spoilt: nothing was scribbled on")
	}
}

// TestKilledInTheMiddleOfBodies kills the module's process at any point while bodies are sent in both
// directions. Each client gets one of the documented responses, or a response that is cut off, and the next
// process serves as the first did.
func TestKilledInTheMiddleOfBodies(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	const size = 8 << 20
	body := pattern(size)
	sum := fmt.Sprintf("%d %d %x", size, size, sha256.Sum256([]byte(body)))
	for round := range 8 {
		pid := p.pid(t)
		random := rand.New(rand.NewPCG(uint64(round), 1))
		var clients sync.WaitGroup
		var passed atomic.Int64
		at := random.Int64N(6 * size)
		kill := sync.OnceFunc(func() { _ = unix.Kill(pid, unix.SIGKILL) })
		count := func(n int) {
			if passed.Add(int64(n)) >= at {
				kill()
			}
		}
		for range 3 {
			clients.Go(func() {
				response, err := p.client.Do(p.request(t.Context(), "GET", "/known/"+strconv.Itoa(size), nil))
				if err != nil {
					return // cut off before its head
				}
				defer response.Body.Close()
				got, err := io.ReadAll(countingReader{response.Body, count})
				if response.StatusCode == 200 {
					if string(got) != body[:len(got)] || (err == nil) != (len(got) == size) {
						t.Errorf("a cut response: %d bytes, error %v", len(got), err)
					}
				} else {
					assertOutage(t, response, string(got))
				}
			})
			clients.Go(func() {
				request := p.request(t.Context(), "POST", "/large", countingReader{strings.NewReader(body), count})
				request.ContentLength = size
				response, err := p.client.Do(request)
				if err != nil {
					return // the platform closes the connection of a request that it does not read
				}
				defer response.Body.Close()
				got, _ := io.ReadAll(response.Body)
				if response.StatusCode != 200 {
					assertOutage(t, response, string(got))
				} else if string(got) != sum {
					t.Errorf("POST /large: %s, want %s", got, sum)
				}
			})
		}
		clients.Wait()
		kill()
		p.eventually("another process runs", func() bool {
			got := p.do("GET", "/pid", nil)
			return got.StatusCode == 200 && got.body != strconv.Itoa(pid)
		})
	}
	if got := p.do("GET", "/known/"+strconv.Itoa(size), nil); got.body != body {
		t.Errorf("after all: status %d, %d bytes", got.StatusCode, len(got.body))
	}
}

func assertOutage(t *testing.T, response *http.Response, body string) {
	t.Helper()
	switch got := strconv.Itoa(response.StatusCode) + " " + body; got {
	case `500 {"code":"MODULE_HANDLER_FAILED"}`, `503 {"code":"MODULE_UNAVAILABLE"}`:
	default:
		t.Errorf("got %s, want the code of a module that died or is down", got)
	}
}

type countingReader struct {
	io.Reader
	count func(n int)
}

func (c countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.count(n)
	return n, err
}

// TestLanesOfAnIdleModule: the memory of lanes is released 10 s after the last body that used one.
func TestLanesOfAnIdleModule(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until a module is idle, 10 s")
	}
	t.Parallel()
	p := start(t, gateway.Limits{})
	p.do("GET", "/known/5242880", nil) // lends a lane
	resident := p.laneMemory(t)
	var inUse int
	waittest.Until(t, "a lane is in use", func() bool { // on a machine that stands still it may be emptied again
		p.do("GET", "/known/5242880", nil)
		inUse = resident()
		return inUse > 0
	})
	if inUse < 1024 {
		t.Errorf("%d KiB of lanes in use, want a lane's 1,024", inUse)
	}
	p.eventually("the lanes are empty", func() bool { return resident() == 0 })
}

// laneMemory returns a function that measures the KiB of lanes that the module has touched.
func (p *platform) laneMemory(t *testing.T) (resident func() (kib int)) {
	t.Helper()
	pid := p.pid(t)
	return func() (kib int) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, lanes, _ := strings.Cut(string(text), "/memfd:")
		_, rss, _ := strings.Cut(lanes, "Rss:")
		_, _ = fmt.Sscan(rss, &kib)
		return kib
	}
}

// TestShortBodiesInALane: from a route's second response on, one of 48 KiB uses a lane, whether its handler
// declares the length or not, and a shorter one does not.
func TestShortBodiesInALane(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/known/", "/bytes/"} {
		p := start(t, gateway.Limits{})
		resident := p.laneMemory(t)
		for _, r := range []struct{ size, kib int }{{48<<10 - 1, 0}, {48 << 10, 48}} {
			inUse := func() (kib int) {
				for range 3 { // the host lends what the route's last response needed
					got := p.do("GET", path+strconv.Itoa(r.size), nil)
					if got.StatusCode != 200 || got.body != pattern(r.size) {
						t.Errorf("GET %s%d: status %d, want 200; %d bytes; error %v", path, r.size, got.StatusCode,
							len(got.body), got.err)
					}
				}
				return resident()
			}
			if got := inUse(); r.kib == 0 && got > 0 {
				t.Errorf("GET %s%d: %d KiB of lanes in use, want none", path, r.size, got)
			}
			// Repeated, because on a machine that stands still for 10 s the lanes are empty again.
			p.eventually(fmt.Sprintf("%s%d uses %d KiB of lanes", path, r.size, r.kib),
				func() bool { return inUse() >= r.kib })
		}
	}
}
