package gateway_test

import (
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

// slowly begins to send a body of 1 MiB. It sends the second half when rest is closed.
func (p *platform) slowly(ctx context.Context, rest <-chan struct{}) <-chan result {
	body := pattern(1 << 20)
	read, write := io.Pipe()
	request := p.request(ctx, "POST", "/echo", read)
	request.ContentLength = int64(len(body))
	go func() {
		_, _ = io.WriteString(write, body[:len(body)/2])
		select {
		case <-rest:
			_, _ = io.WriteString(write, body[len(body)/2:])
			_ = write.Close()
		case <-ctx.Done():
			_ = write.CloseWithError(ctx.Err())
		}
	}()
	responses := make(chan result, 1)
	go func() {
		response, err := p.client.Do(request)
		if err != nil {
			responses <- result{err: err}
			return
		}
		defer response.Body.Close()
		got, err := io.ReadAll(response.Body)
		responses <- result{response, string(got), err}
	}()
	return responses
}

func (p *platform) echo(t *testing.T, size int) {
	t.Helper()
	body := pattern(size)
	got := p.do("POST", "/echo", strings.NewReader(body))
	if got.StatusCode != http.StatusOK || got.body != body {
		t.Errorf("POST /echo of %d bytes: status %d, want 200; %d bytes, the first %.80s", size, got.StatusCode,
			len(got.body), got.body)
	}
}

// TestResponseWhileABodyIsPassedOn checks that a response does not overwrite the request's body, whose memory
// in the lane the handler is still passing on.
func TestResponseWhileABodyIsPassedOn(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for _, size := range []int{1 << 20, 256 << 10, 64 << 10} { // the first has the same slot in both directions
		body := pattern(size)
		sum := sha256.Sum256([]byte(body))
		got := p.do("POST", "/summed", strings.NewReader(body))
		if got.StatusCode != http.StatusOK || got.body != body+string(sum[:]) {
			t.Errorf("POST /summed of %d bytes: status %d, want 200; %d bytes, another sum or body",
				size, got.StatusCode, len(got.body))
		}
	}
}

// TestBufferedBodiesInLanes sends bodies of all sizes from more clients than there are lanes, and responses
// that use the same ones.
func TestBufferedBodiesInLanes(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	sizes := []int{100, 64 << 10, 128<<10 + 1, 256 << 10, 256<<10 + 1, 512 << 10, 512<<10 + 1, 768 << 10,
		1 << 20}
	for _, size := range sizes {
		p.echo(t, size)
	}
	var clients sync.WaitGroup
	for range 12 {
		clients.Go(func() {
			for range 10 {
				size := sizes[rand.IntN(len(sizes))]
				body := pattern(size)
				if got := p.do("POST", "/ignored", strings.NewReader(body)); got.body != strconv.Itoa(size) {
					t.Errorf("POST /ignored of %d bytes: %s", size, got.body)
				}
				if got := p.do("POST", "/upload", strings.NewReader(body)); got.StatusCode != 200 {
					t.Errorf("POST /upload of %d bytes: status %d", size, got.StatusCode)
				}
				p.echo(t, sizes[rand.IntN(len(sizes))])
			}
		})
	}
	clients.Wait()
	if p.lent.taken.Load() == 0 {
		t.Error("no lane was lent")
	}
	p.awaitFreeSockets(t)
}

// awaitLanes waits until a body of 1 MiB uses a lane again.
func (p *platform) awaitLanes(t *testing.T) {
	t.Helper()
	p.eventually("a lane is lent", func() bool {
		before := p.lent.taken.Load()
		p.echo(t, 1<<20)
		return p.lent.taken.Load() > before
	})
}

// TestSlowSendersOfBodies: bodies that arrive slowly occupy at most half of the lanes. Clients that
// disconnect give theirs back.
func TestSlowSendersOfBodies(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for range 3 {
		var taken int64
		var disconnect func()
		p.eventually("four of six slow bodies have a lane", func() bool { // those before may still have some
			taken = p.lent.taken.Load()
			disconnect = p.sixSlow(t)
			if p.lent.taken.Load()-taken == 4 {
				return true
			}
			disconnect()
			return false
		})
		p.echo(t, 1<<20)
		if p.lent.taken.Load()-taken != 4 {
			t.Error("a fifth lane was lent")
		}
		disconnect()
	}
	p.awaitLanes(t)
}

// sixSlow sends half of six bodies, and returns when each of them has a lane or has none. disconnect ends
// them.
func (p *platform) sixSlow(t *testing.T) (disconnect func()) {
	t.Helper()
	lent := func() int64 { return p.lent.taken.Load() + p.lent.refused.Load() }
	before := lent()
	ctx, cancel := context.WithCancel(t.Context())
	var slow []<-chan result
	for range 6 {
		slow = append(slow, p.slowly(ctx, nil))
	}
	p.eventually("six bodies have begun", func() bool { return lent()-before == 6 })
	return func() {
		cancel()
		for _, each := range slow {
			if got := <-each; got.err == nil {
				t.Errorf("a response to half a body: %s", got.body)
			}
		}
	}
}

// TestRefusedBodiesLeaveTheirLanes sends bodies for which the queue has no slot.
func TestRefusedBodiesLeaveTheirLanes(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{InFlight: 1, Waiting: 8, Queue: 10 * time.Millisecond})
	events, err := p.client.Do(p.request(t.Context(), "GET", "/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		got := p.do("POST", "/echo", strings.NewReader(pattern(1<<20)))
		if got.body != `{"code":"MODULE_OVERLOADED"}` {
			t.Errorf("status %d, body %.80s; want MODULE_OVERLOADED", got.StatusCode, got.body)
		}
	}
	if p.lent.taken.Load() != 9 {
		t.Errorf("%d bodies of 9 had a lane", p.lent.taken.Load())
	}
	_ = events.Body.Close()
	p.eventually("the slot is free", func() bool { return p.do("GET", "/bytes/1", nil).StatusCode == 200 })
	p.awaitLanes(t)
}

// TestKilledBeforeACallInALane: a body whose lane is that of an earlier process is refused.
func TestKilledBeforeACallInALane(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for range 3 {
		pid, taken, rest := p.pid(t), p.lent.taken.Load(), make(chan struct{})
		slow := p.slowly(t.Context(), rest)
		p.eventually("the body has begun", func() bool { return p.lent.taken.Load() > taken })
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		p.eventually("another process runs", func() bool {
			got := p.do("GET", "/pid", nil)
			return got.StatusCode == 200 && got.body != strconv.Itoa(pid)
		})
		close(rest)
		if got := <-slow; got.err != nil || got.body != `{"code":"MODULE_UNAVAILABLE"}` {
			t.Errorf("%v, %.80s; want MODULE_UNAVAILABLE", got.err, got.body)
		}
		p.awaitLanes(t)
	}
}
