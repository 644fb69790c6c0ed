package hub_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/stream"
)

// readers returns how many streams of the only hub are open, and how many readers were too slow.
func readers(hubs *hub.Hubs) (open, cut int64) {
	f := hubs.Figures()[0]
	return f.Readers, f.Cut
}

// A stream is taken from net/http: its handler returns, and the response has all headers and no length. It
// ends with the connection.
func TestStreamTakesItsConnection(t *testing.T) {
	m := newModule()
	hubs, channel, stop := serve(t, m.snapshot, nil)
	returned := make(chan error, 1)
	address, ends := lending(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "7")
		returned <- channel.Stream(w, r)
	})
	_ = publish(channel, m.next())
	c, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := <-returned; err != nil {
		t.Error(err)
	}
	until(t, "a reader", func() bool { open, _ := readers(hubs); return open == 1 })
	_ = publish(channel, m.next())
	stop()
	all, err := io.ReadAll(c.raw)
	if err != nil {
		t.Error(err)
	}
	head, body, _ := strings.Cut(string(all), "\r\n\r\n")
	for _, want := range []string{"HTTP/1.1 200 OK\r\n", "\r\nCache-Control: no-store",
		"\r\nX-Accel-Buffering: no", "\r\nContent-Type: text/event-stream", "\r\nConnection: close",
		"\r\nX-Request-Id: 7", "\r\nDate: "} {
		if !strings.Contains(head, want) {
			t.Errorf("the head is %q, want %q in it", head, want)
		}
	}
	if strings.Contains(head, "Transfer-Encoding") || strings.Contains(head, "Content-Length") {
		t.Errorf("the head is %q, want no length", head)
	}
	events := parse(t, body)
	names := ""
	for _, e := range events {
		names += e.name + e.id + " "
	}
	if names != "snapshot1 heartbeat1 update2 reconnect2 " || events[0].retry == "" {
		t.Errorf("events %v", events)
	}
	if open, _ := readers(hubs); open != 0 || ends[stream.Finished].Load() != 1 {
		t.Errorf("%d streams are open, want none, ended as told", open)
	}
}

// A connection that cannot be taken from net/http gets no stream, and its reader is not counted.
func TestConnectionThatCannotBeTaken(t *testing.T) {
	hubs, channel, stop := serve(t, newModule().snapshot, nil)
	refused := make(chan error, 2)
	address, ends := lending(t, func(w http.ResponseWriter, r *http.Request) {
		refused <- channel.Stream(struct{ http.ResponseWriter }{w}, r)
		refused <- channel.Stream(w, r.WithContext(t.Context()))
	})
	c, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range cap(refused) {
		if err := <-refused; !errors.Is(err, hub.ErrUnavailable) {
			t.Errorf("Stream: error %v, want %v", err, hub.ErrUnavailable)
		}
	}
	if open, _ := readers(hubs); open != 0 {
		t.Errorf("%d streams are open, want none", open)
	}
	stop()
	for how := range ends {
		if ends[how].Load() != 0 {
			t.Error("the connection was told of an end, want net/http to end it")
		}
	}
}

// One of 100 readers does not read. Only that one is disconnected, and the log never uses more memory than a
// mailbox.
func TestStalledAmongMany(t *testing.T) {
	const all, size = 100, 60_000
	account := hostmemory.New(1 << 40)
	hubs := hub.New(zap.NewNop(), nil)
	channel, err := hubs.Open(t.Context(), "board", "main", newModule().snapshot, hub.Charge(account))
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, hubs)
	address, ends := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	var heard [all]atomic.Int64
	over := make(chan struct{})
	streams := crowd(t, address, all, func(i int, s *socket) {
		if i == 0 {
			<-over
			return
		}
		for n := 0; ; n++ {
			data, err := s.next("update")
			if err != nil {
				return
			}
			if !strings.HasPrefix(data, fmt.Sprintf("[%d,", n)) {
				t.Errorf("reader %d: %.20s, want %d", i, data, n)
				return
			}
			heard[i].Store(int64(n + 1))
		}
	})
	padding := strings.Repeat("x", size)
	most := int64(0)
	published := 0
	for cut := int64(0); cut == 0 && published < 2_000; published++ {
		data := fmt.Appendf(nil, "[%d,%q]", published, padding)
		if err := channel.Publish(1, uint64(published+1), data); err != nil {
			t.Fatal(err)
		}
		used, _ := account.Bytes()
		most = max(most, used)
		until(t, "all that read have all but some", func() bool {
			for i := 1; i < all; i++ {
				if heard[i].Load()+4 < int64(published) {
					return false
				}
			}
			return true
		})
		_, cut = readers(hubs)
	}
	// the log, the inbox, and the updates that readers of a shared snapshot get for 2 s
	if limit := int64(2<<20 + 8*size); most > limit {
		t.Errorf("%d bytes were held at most, want %d", most, limit)
	}
	t.Logf("cut after %d updates of %d bytes, %d bytes held at most", published, size, most)
	// as stalled, if the machine is so busy that the updates take 20 s
	ended := func() int32 { return ends[stream.Cut].Load() + ends[stream.Stalled].Load() }
	until(t, "the reader that was cut is gone", func() bool {
		open, _ := readers(hubs)
		return open < all && ended() > 0
	})
	if open, cut := readers(hubs); open != all-1 || cut != 1 || ended() != 1 {
		t.Errorf("%d readers are left and %d were cut, want %d and 1", open, cut, all-1)
	}
	close(over)
	stop()
	streams.Wait()
	empties(t, account)
}

// Readers connect and disconnect, and some are slow, while four goroutines publish. No reader misses an
// update or gets one out of order.
func TestReadersComeAndGoDuringUpdates(t *testing.T) {
	m := newModule()
	hubs, channel, stop := serve(t, m.snapshot, nil)
	address, _ := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	stopped := make(chan struct{})
	var publishers, clients sync.WaitGroup
	for range 4 {
		publishers.Go(func() {
			pace := time.NewTicker(2 * time.Millisecond)
			defer pace.Stop()
			for {
				select {
				case <-stopped:
					return
				case <-pace.C:
					_ = publish(channel, m.next())
				}
			}
		})
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	var visits, updates atomic.Int64
	for i := range 40 {
		clients.Go(func() {
			for round := range rounds {
				n := follow(t, address, func(n, _ int) bool {
					if i%4 == 0 {
						time.Sleep(3 * time.Millisecond) // slower than the updates
					}
					return n < 50*(1+(i+round)%5)
				})
				updates.Add(int64(n))
				visits.Add(1)
			}
		})
	}
	clients.Wait()
	close(stopped)
	publishers.Wait()
	t.Logf("%d visits, %d updates", visits.Load(), updates.Load())
	until(t, "all have left", func() bool { open, _ := readers(hubs); return open == 0 })
	stop()
}

// follow reads a stream until stay returns false, and checks that numbers and ids have no gaps.
func follow(t *testing.T, address string, stay func(updates, heartbeats int) bool) (updates int) {
	t.Helper()
	s, err := connect(address)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer s.Close()
	_ = s.SetReadDeadline(time.Now().Add(time.Minute))
	if err := s.begin(); err != nil {
		t.Errorf("no stream: %v", err)
		return 0
	}
	var block bytes.Buffer
	at, known, heartbeats := position{}, false, 0
	for stay(updates, heartbeats) {
		block.Reset()
		for !bytes.HasSuffix(block.Bytes(), []byte("\n\n")) {
			line, err := s.body.ReadBytes('\n')
			if err != nil {
				return updates // too slow, or the end of the test
			}
			block.Write(line)
		}
		e := parse(t, block.String())[0]
		switch e.name {
		case "snapshot":
			at, known = read(t, e), true
		case "update":
			at.Number++
			if got := read(t, e); !known || got != at {
				t.Errorf("got %v, want %v", got, at)
				return updates
			}
			updates++
		case "heartbeat":
			heartbeats++
		case "reconnect":
			return updates
		}
		if e.id != strconv.FormatUint(at.Number, 10) {
			t.Errorf("%s has the id %s, want %d", e.name, e.id, at.Number)
		}
	}
	return updates
}

// A client that closes, half-closes or resets its connection is noticed even if nothing is sent to it.
func TestDisconnectedClientsAreNoticed(t *testing.T) {
	for name, leave := range map[string]func(c *net.TCPConn) error{
		"closed":      func(c *net.TCPConn) error { return c.Close() },
		"half closed": func(c *net.TCPConn) error { return c.CloseWrite() },
		"reset":       func(c *net.TCPConn) error { return errors.Join(c.SetLinger(0), c.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			hubs, channel, stop := serve(t, newModule().snapshot, nil)
			address, ends := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
			var clients []*socket
			for range 20 {
				c, err := connect(address)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if _, err := c.next("heartbeat"); err != nil {
					t.Fatal(err)
				}
				clients = append(clients, c)
			}
			for _, c := range clients[:15] {
				if err := leave(c.Conn.(*net.TCPConn)); err != nil {
					t.Fatal(err)
				}
			}
			until(t, "15 of 20 are counted out", func() bool { open, _ := readers(hubs); return open == 5 })
			if left := ends[stream.Left].Load(); left != 15 {
				t.Errorf("%d streams ended as left, want 15", left)
			}
			stop()
		})
	}
}

// Drain makes every reader reconnect, and ends its connection. A reader that does not read is disconnected
// after the grace.
func TestDrainEndsRealConnections(t *testing.T) {
	hubs, channel, stop := serve(t, newModule().snapshot, nil)
	address, ends := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	var told atomic.Int32
	over := make(chan struct{})
	all := crowd(t, address, 60, func(i int, s *socket) {
		if i == 0 {
			<-over
			return
		}
		if _, err := s.next("reconnect"); err != nil {
			t.Errorf("reader %d: %v, want reconnect", i, err)
			return
		}
		if rest, err := io.ReadAll(s.body); err != nil || strings.Count(string(rest), "\n") > 1 {
			t.Errorf("reader %d: %q, %v behind reconnect, want the end", i, rest, err)
		}
		told.Add(1)
	})
	padding := strings.Repeat("x", 60_000)
	for n := range 12 { // more than the blocked socket accepts, and less than a mailbox
		_ = channel.Publish(1, uint64(n+1), fmt.Appendf(nil, "%q", padding))
	}
	began := time.Now()
	hubs.Drain()
	until(t, "all have ended", func() bool { open, _ := readers(hubs); return open == 0 })
	t.Logf("%v", time.Since(began))
	close(over)
	all.Wait()
	if told.Load() != 59 || ends[stream.Finished].Load()+ends[stream.Cut].Load() != 60 {
		t.Errorf("%d readers were told, want 59", told.Load())
	}
	stop()
}

// A reader that is behind by less than a mailbox gets all updates when it reads again, however often the log
// was settled meanwhile.
func TestLogKeepsWhatIsNeeded(t *testing.T) {
	const updates = 200
	hubs, channel, stop := serve(t, newModule().snapshot, nil)
	address, _ := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	slow, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	_ = slow.Conn.(*net.TCPConn).SetReadBuffer(64 << 10)
	if _, err := slow.next("snapshot"); err != nil {
		t.Fatal(err)
	}
	quick, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer quick.Close()
	if _, err := quick.next("snapshot"); err != nil {
		t.Fatal(err)
	}
	padding := strings.Repeat("x", 4_800)
	for n := range updates {
		_ = channel.Publish(1, uint64(n+1), fmt.Appendf(nil, "[%d,%q]", n, padding))
		if _, err := quick.next("update"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		channel.Settle()
	}
	for n := range updates {
		if data, err := slow.next("update"); err != nil || !strings.HasPrefix(data, fmt.Sprintf("[%d,", n)) {
			t.Fatalf("%.20s, %v, want update %d", data, err, n)
		}
	}
	if _, cut := readers(hubs); cut != 0 {
		t.Errorf("%d were cut, want none", cut)
	}
	stop()
}

// A heartbeat has the id of the last update that its reader got, even while updates are published.
func TestHeartbeatIDsDuringUpdates(t *testing.T) {
	if testing.Short() {
		t.Skip("two heartbeats")
	}
	t.Parallel()
	m := newModule()
	_, channel, stop := serve(t, m.snapshot, nil)
	address, _ := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	stopped := make(chan struct{})
	var publisher, clients sync.WaitGroup
	publisher.Go(func() {
		pace := time.NewTicker(5 * time.Millisecond) // so slow that no busy machine fills a mailbox
		defer pace.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-pace.C:
				_ = publish(channel, m.next())
			}
		}
	})
	for range 50 {
		clients.Go(func() {
			heard := 0
			updates := follow(t, address, func(_, heartbeats int) bool { heard = heartbeats; return heard < 2 })
			if updates == 0 || heard < 2 {
				t.Errorf("%d updates and %d heartbeats, want some and 2", updates, heard)
			}
		})
	}
	clients.Wait()
	close(stopped)
	publisher.Wait()
	stop()
}
