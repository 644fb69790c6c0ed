package hub_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/hub"
)

func streaming(t testing.TB, channel *hub.Hub) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := channel.Stream(w, r); err != nil && r.Context().Err() == nil {
			w.WriteHeader(http.StatusInternalServerError)
			t.Errorf("Stream: error %v, want none while the reader stays", err)
		}
	}
}

// socket is a client that reads a stream line by line.
type socket struct {
	net.Conn
	raw  *bufio.Reader
	body *bufio.Reader // nil until the headers are read; it removes the chunks' borders
}

func connect(address string) (*socket, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	return &socket{Conn: c, raw: bufio.NewReaderSize(c, 4096)}, err
}

func (s *socket) begin() error {
	chunked := false
	for s.body == nil {
		line, err := s.raw.ReadString('\n')
		if err != nil {
			return err
		}
		chunked = chunked || line == "Transfer-Encoding: chunked\r\n"
		switch {
		case line == "\r\n" && chunked:
			s.body = bufio.NewReaderSize(httputil.NewChunkedReader(s.raw), 512)
		case line == "\r\n":
			s.body = s.raw // this stream was taken from net/http
		}
	}
	return nil
}

// next returns the data of the next event of that name. It waits up to 2 minutes, because a machine may be
// busy.
func (s *socket) next(name string) (data string, err error) {
	if err := s.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		return "", err
	}
	if err := s.begin(); err != nil {
		return "", err
	}
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			return "", err
		}
		if after, found := strings.CutPrefix(line, "data: "); found {
			data = strings.TrimSpace(after)
		}
		if event, found := strings.CutPrefix(line, "event: "); found && strings.TrimSpace(event) == name {
			return data, nil
		}
	}
}

// crowd opens n streams, at most a hundred at a time, and passes each to then when it has its snapshot.
func crowd(t testing.TB, address string, n int, then func(i int, s *socket)) *sync.WaitGroup {
	t.Helper()
	var all sync.WaitGroup
	var there sync.WaitGroup
	places := make(chan struct{}, 100)
	there.Add(n)
	for i := range n {
		all.Go(func() {
			places <- struct{}{}
			s, err := connect(address)
			<-places
			if err == nil {
				_, err = s.next("snapshot")
			}
			there.Done()
			if err != nil {
				t.Errorf("reader %d: error %v, want a snapshot", i, err)
				return
			}
			then(i, s)
			_ = s.Close()
		})
	}
	there.Wait()
	return &all
}

// 50 of 5,000 readers do not read. All others receive every event, while the mailboxes of the 50 fill up and
// they are disconnected.
func TestFiveThousandReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("5,000 sockets")
	}
	const readers, deaf, burst, most = many, many / 100, 50, 1_500
	hubs, channel, stop := serve(t, newModule().snapshot, nil)
	cut := func() int64 { return hubs.Figures()[0].Cut }
	address, _ := lending(t, streaming(t, channel))
	heard, over := make(chan struct{}, readers), make(chan struct{})
	all := crowd(t, address, readers, func(i int, s *socket) {
		if i%(readers/deaf) == 0 {
			<-over
			return
		}
		for n := 0; ; n++ {
			data, err := s.next("update")
			if want := fmt.Sprintf(`[%d,`, n); err != nil || !strings.HasPrefix(data, want) {
				select {
				case <-over: // the stop
				default:
					t.Errorf("reader %d: %.20s, %v, want %s", i, data, err, want)
				}
				return
			}
			if n%burst == burst-1 {
				heard <- struct{}{}
			}
		}
	})
	padding := strings.Repeat("x", 1_200)
	events := 0
	for ; cut() < deaf && events < most; events++ {
		if err := channel.Publish(1, uint64(events+1), fmt.Appendf(nil, `[%d,%q]`, events, padding)); err != nil {
			t.Fatal(err)
		}
		for i := 0; events%burst == burst-1 && i < readers-deaf; i++ { // as fast as those that read
			select {
			case <-heard:
			case <-time.After(2 * time.Minute):
				t.Error("an event did not come")
				close(over)
				stop()
				all.Wait()
				return
			}
		}
	}
	until(t, "the last ones are cut", func() bool { return cut() >= deaf })
	if n := cut(); n != deaf {
		t.Errorf("%d readers were cut after %d events, want %d", n, events, deaf)
	}
	close(over)
	stop()
	all.Wait()
}

// 5,000 readers that reconnect at once, three times, cause one snapshot each time. It is shared for ever
// here, because a slow machine needs more than two seconds for so many.
func TestReconnectingAtOnceTakesOneSnapshot(t *testing.T) {
	readers := many
	if testing.Short() {
		readers = 500
	}
	m := newModule()
	hubs := hub.New(zap.NewNop(), nil)
	hubs.ShareForEver()
	_, channel, stop := open(t, hubs, m.snapshot)
	address, _ := lending(t, streaming(t, channel))
	for range 3 {
		before := m.asked.Load()
		all := crowd(t, address, readers, func(i int, s *socket) {
			if _, err := s.next("reconnect"); err != nil {
				t.Errorf("reader %d: error %v, want reconnect", i, err)
			}
		})
		if asked := m.asked.Load() - before; asked != 1 {
			t.Errorf("%d snapshots for %d readers, want 1", asked, readers)
		}
		hubs.Ended("board", m.restart())
		all.Wait()
	}
	stop()
}

// Connections that end in any way leave no goroutine; TestMain checks that.
func TestEndedConnectionsLeaveNoGoroutine(t *testing.T) {
	m := newModule()
	hubs, channel, stop := serve(t, m.snapshot, nil)
	address, _ := lending(t, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
	var all sync.WaitGroup
	places := make(chan struct{}, 50)
	for i := range 1_000 {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			s, err := connect(address)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			switch i % 5 {
			case 0: // before its snapshot
			case 1:
				_, _ = s.next("snapshot")
			case 2: // its process ends
				_, _ = s.next("snapshot")
				hubs.Ended("board", m.restart())
				_, _ = s.next("reconnect")
			case 3: // half closed
				_, _ = s.next("snapshot")
				_ = s.Conn.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, s.body)
			case 4: // reset while an event is being sent
				_, _ = s.next("snapshot")
				_ = publish(channel, m.next())
				_ = s.Conn.(*net.TCPConn).SetLinger(0)
			}
		})
	}
	all.Wait()
	stop()
}
