package hub_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/stream"
	"github.com/narthex-platform/narthex/services/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// module is a module that numbers its updates as the SDK does and returns its number as its state.
type module struct {
	mu              sync.Mutex
	process, number uint64
	asked           atomic.Int32
	pause           func() // called before and after reading the number
}

type position struct {
	Process uint64 `json:"p"`
	Number  uint64 `json:"n"`
}

func (p position) json() []byte { return fmt.Appendf(nil, `{"p":%d,"n":%d}`, p.Process, p.Number) }

func newModule() *module { return &module{process: 1, pause: func() {}} }

func (m *module) snapshot(context.Context) (hub.State, error) {
	m.asked.Add(1)
	m.pause()
	at := m.at()
	m.pause()
	return hub.State{Data: at.json(), Number: at.Number, Process: at.Process}, nil
}

func (m *module) at() position {
	m.mu.Lock()
	defer m.mu.Unlock()
	return position{m.process, m.number}
}

func (m *module) next() position {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.number++
	return position{m.process, m.number}
}

func (m *module) restart() (ended uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process, m.number = m.process+1, 0
	return m.process - 1
}

func publish(channel *hub.Hub, at position) error {
	return channel.Publish(at.Process, at.Number, at.json())
}

// serve runs Hubs with one hub; stop ends it.
func serve(
	t testing.TB, snapshot hub.Snapshot, link *backplane.Link,
) (hubs *hub.Hubs, channel *hub.Hub, stop func()) {
	t.Helper()
	return open(t, hub.New(zap.NewNop(), link), snapshot)
}

// open runs hubs with one open hub; stop ends it.
func open(
	t testing.TB, hubs *hub.Hubs, snapshot hub.Snapshot,
) (_ *hub.Hubs, channel *hub.Hub, stop func()) {
	t.Helper()
	channel, err := hubs.Open(t.Context(), "board", "main", snapshot, counted(t))
	if err != nil {
		t.Fatal(err)
	}
	return hubs, channel, run(t, hubs)
}

// counted makes a hub count its memory in an account, which must be empty at the end of the test.
func counted(t testing.TB) hub.Option {
	t.Helper()
	account := hostmemory.New(1 << 40)
	t.Cleanup(func() { empties(t, account) })
	return hub.Charge(account)
}

// empties waits until the account is empty.
func empties(t testing.TB, account *hostmemory.Account) {
	t.Helper()
	until(t, "no byte is counted, because nobody holds any", func() bool {
		used, _ := account.Bytes()
		return used == 0
	})
}

// run runs a service until stop is called or the test ends.
func run(t testing.TB, service interface {
	Serve(context.Context) error
	Ready() <-chan struct{}
}) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Serve(ctx) }()
	<-service.Ready()
	stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("Serve: error %v, want %v", err, context.Canceled)
			}
		case <-time.After(time.Minute):
			t.Error("Serve did not return")
		}
	})
	t.Cleanup(stop)
	return stop
}

// event is one block of a stream.
type event struct{ id, name, data, retry string }

// field returns where a field's value is stored; nil for a field that a hub never writes.
func (e *event) field(name string) *string {
	switch name {
	case "id":
		return &e.id
	case "event":
		return &e.name
	case "data":
		return &e.data
	case "retry":
		return &e.retry
	}
	return nil
}

// parse reads a stream as EventSource would, but fails for anything that a hub never writes.
func parse(t testing.TB, stream string) (events []event) {
	t.Helper()
	for stream != "" {
		block, rest, whole := strings.Cut(stream, "\n\n")
		if !whole {
			t.Errorf("the stream ends with %.80q, want a whole event", block)
			return events
		}
		stream = rest
		var e event
		for field := range strings.SplitSeq(block, "\n") {
			name, value, _ := strings.Cut(field, ": ")
			to := e.field(name)
			if to == nil || *to != "" || strings.ContainsAny(value, "\r") {
				t.Errorf("the event %.80q has the field %.80q, want each known field once", block, field)
				return events
			}
			*to = value
		}
		if !json.Valid([]byte(e.data)) {
			t.Errorf("data %.80q of the event %.80q, want JSON", e.data, block)
		}
		events = append(events, e)
	}
	return events
}

// client is a reader whose socket is in memory, so that its clock may be fake. It records what it gets, and
// can stop accepting bytes.
type client struct {
	header http.Header
	cancel context.CancelFunc
	ended  chan error    // gets the error of Stream, or nil when the stream has ended
	closed chan struct{} // closed when the stream has ended

	mu      sync.Mutex
	sent    bytes.Buffer  // after the head of the response
	head    string        // of the response
	stalled chan struct{} // not nil: no byte is accepted until it is closed
	parsed  int           // number of parsed bytes, because a test may call events often
	known   []event       // of the parsed bytes
	reader  *stream.Reader
}

// dial opens a stream, which cancel ends.
func dial(t testing.TB, channel *hub.Hub) *client {
	t.Helper()
	return dialing(t, channel, nil)
}

func dialing(t testing.TB, channel *hub.Hub, stalled chan struct{}) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{header: make(http.Header), cancel: cancel, ended: make(chan error, 1), stalled: stalled,
		closed: make(chan struct{})}
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(stream.WithConnection(ctx, c), http.MethodGet, "/?stream=other",
		http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Last-Event-ID", "none of a number")
	go func() {
		err := channel.Stream(c, request)
		if err == nil {
			c.follow(ctx)
		}
		c.ended <- err
	}()
	return c
}

// gone reports, once, whether the stream has ended or was refused.
func (c *client) gone() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// follow notifies the stream when the client leaves or accepts bytes again, until the stream has ended.
func (c *client) follow(ctx context.Context) {
	stalled := c.stalled
	for {
		left := false
		select {
		case <-c.closed:
			return
		case <-ctx.Done():
			left = true
		case <-stalled:
			stalled = nil
		}
		c.mu.Lock()
		r := c.reader
		c.mu.Unlock()
		if r != nil {
			r.Ready(left)
		}
		if left {
			<-c.closed
			return
		}
	}
}

func (c *client) BeginStream() bool     { return true }
func (c *client) Socket() stream.Socket { return (*memorySocket)(c) }
func (c *client) EndStream(stream.End)  { close(c.closed) }

func (c *client) Header() http.Header         { return c.header }
func (c *client) WriteHeader(int)             { panic("net/http writes no part of a stream") }
func (c *client) Write(p []byte) (int, error) { panic("net/http writes no part of a stream") }

func (c *client) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, nil }

// memorySocket is the client as the socket of its stream.
type memorySocket client

func (s *memorySocket) Write(p []byte) int {
	if s.stalled != nil {
		select {
		case <-s.stalled:
		default:
			return 0
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	if s.head == "" {
		head, rest, _ := bytes.Cut(p, []byte("\r\n\r\n"))
		s.head, p = string(head), rest
	}
	s.sent.Write(p)
	return n
}

func (s *memorySocket) Watch(_ *stream.Watch, r *stream.Reader) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader = r
	return true
}

func (s *memorySocket) Unwatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader = nil
}

// events returns the events that have been sent.
func (c *client) events(t testing.TB) []event {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parsed < c.sent.Len() {
		c.known = append(c.known, parse(t, string(c.sent.Bytes()[c.parsed:]))...)
		c.parsed = c.sent.Len()
	}
	return slices.Clip(c.known)
}

// named returns the events with this name.
func named(events []event, name string) []event {
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return e.name != name })
}
