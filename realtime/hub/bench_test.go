package hub_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// bare is the smallest server that could do the job: net/http, one goroutine and one bounded channel for each
// reader, and no guarantees.
type bare struct {
	mu      sync.Mutex
	readers map[chan []byte]struct{}
}

func (b *bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	events := make(chan []byte, 256)
	w.Header().Set("Content-Type", "text/event-stream")
	b.mu.Lock()
	b.readers[events] = struct{}{} // before the snapshot, or an event would be missed
	b.mu.Unlock()
	_, _ = io.WriteString(w, "event: snapshot\ndata: {}\n\n")
	_ = control.Flush()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.readers, events)
	}()
	for {
		select {
		case e := <-events:
			_, _ = w.Write(e)
			for more := true; more; {
				select {
				case e = <-events:
					_, _ = w.Write(e)
				default:
					more = false
				}
			}
			if control.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

func (b *bare) publish(_ uint64, data []byte) {
	e := slices.Concat([]byte("event: update\ndata: "), data, []byte("\n\n"))
	b.mu.Lock()
	defer b.mu.Unlock()
	for events := range b.readers {
		events <- e
	}
}

// sides runs a benchmark for each of the compared servers. publish publishes on the server.
func sides(b *testing.B, run func(b *testing.B, address string, publish func(number uint64, data []byte))) {
	b.Run("bare", func(b *testing.B) {
		loop := &bare{readers: make(map[chan []byte]struct{})}
		address, _ := lending(b, loop.ServeHTTP)
		run(b, address, loop.publish)
	})
	b.Run("hub", func(b *testing.B) {
		_, channel, stop := serve(b, newModule().snapshot, nil)
		address, _ := lending(b, func(w http.ResponseWriter, r *http.Request) { _ = channel.Stream(w, r) })
		run(b, address, func(number uint64, data []byte) {
			if err := channel.Publish(1, number, data); err != nil {
				b.Error(err)
			}
		})
		stop()
	})
}

var updateLine = []byte("event: update\n")

// audience connects n readers whose streams have begun.
func audience(b *testing.B, address string, n int) []*socket {
	b.Helper()
	sockets := make([]*socket, n)
	for i := range sockets {
		s, err := connect(address)
		if err != nil {
			b.Fatal(err)
		}
		sockets[i] = s
	}
	for _, s := range sockets {
		if _, err := s.next("snapshot"); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		for _, s := range sockets {
			_ = s.Close()
		}
	})
	return sockets
}

// hear calls heard for each chunk, with its bytes and the number of its events.
func hear(s *socket, heard func(chunk []byte, events int)) {
	_ = s.SetReadDeadline(time.Time{})
	chunk := make([]byte, 8<<10)
	kept := 0
	for {
		n, err := s.body.Read(chunk[kept:])
		if err != nil {
			return
		}
		if events := bytes.Count(chunk[:kept+n], updateLine); events > 0 {
			heard(chunk[:kept+n], events)
		}
		last := bytes.LastIndexByte(chunk[:kept+n], '\n') + 1 // a chunk may end in the middle of a line
		kept = copy(chunk, chunk[last:kept+n])
	}
}

// BenchmarkDeliveries measures 1,000 readers under full load: updates of 200 bytes, 20 of them in flight.
func BenchmarkDeliveries(b *testing.B) {
	const readers, window = 1_000, 20
	sides(b, func(b *testing.B, address string, publish func(uint64, []byte)) {
		var all sync.WaitGroup
		arrived := make(chan int, readers)
		sockets := audience(b, address, readers)
		for _, s := range sockets {
			all.Go(func() { hear(s, func(_ []byte, events int) { arrived <- events }) })
		}
		data := []byte(`"` + strings.Repeat("x", 200) + `"`)
		number := uint64(0)
		began := time.Now()
		for b.Loop() {
			for range window {
				number++
				publish(number, bytes.Clone(data))
			}
			for missing := window * readers; missing > 0; {
				missing -= within(b, arrived)
			}
		}
		b.ReportMetric(float64(number*readers)/time.Since(began).Seconds(), "deliveries/s")
		b.ReportMetric(0, "ns/op")
		leave(sockets, &all)
	})
}

// BenchmarkLatency measures 10,000 deliveries a second to 5,000 readers.
func BenchmarkLatency(b *testing.B) {
	const readers = 5_000
	sides(b, func(b *testing.B, address string, publish func(uint64, []byte)) {
		var all sync.WaitGroup
		took := make(chan time.Duration, readers)
		sockets := audience(b, address, readers)
		for _, s := range sockets {
			all.Go(func() {
				hear(s, func(chunk []byte, _ int) {
					_, after, _ := bytes.Cut(chunk, []byte(`{"at":`))
					digits, _, _ := bytes.Cut(after, []byte("}"))
					at, _ := strconv.ParseInt(string(digits), 10, 64)
					took <- time.Duration(time.Now().UnixNano() - at)
				})
			})
		}
		var latencies []time.Duration
		number := uint64(0)
		for b.Loop() {
			began := time.Now()
			number++
			publish(number, fmt.Appendf(nil, `{"at":%d}`, time.Now().UnixNano()))
			for range readers {
				latencies = append(latencies, within(b, took))
			}
			time.Sleep(500*time.Millisecond - time.Since(began))
		}
		slices.Sort(latencies)
		b.ReportMetric(float64(latencies[len(latencies)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
		b.ReportMetric(0, "ns/op")
		leave(sockets, &all)
	})
}

// BenchmarkIdle measures the memory of a reader that gets no event. It includes about 1.5 KiB for the
// client's end.
func BenchmarkIdle(b *testing.B) {
	const readers = 2_000
	sides(b, func(b *testing.B, address string, _ func(uint64, []byte)) {
		for b.Loop() {
			before := inUse()
			sockets := audience(b, address, readers)
			b.ReportMetric(float64(inUse()-before)/readers/1024, "KiB/reader")
			leave(sockets, new(sync.WaitGroup))
		}
		b.ReportMetric(0, "ns/op")
	})
}

// within waits for a value and fails if it does not come.
func within[T any](b *testing.B, c <-chan T) T {
	b.Helper()
	select {
	case v := <-c:
		return v
	default:
	}
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		b.Fatal("an event did not come")
		panic("unreachable")
	}
}

func inUse() uint64 {
	time.Sleep(200 * time.Millisecond) // until goroutines have stopped
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

func leave(sockets []*socket, all *sync.WaitGroup) {
	for _, s := range sockets {
		_ = s.Conn.(*net.TCPConn).Close()
	}
	all.Wait()
}
