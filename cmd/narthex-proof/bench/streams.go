package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pulsePath   = "/api/v1/module-realtime/calls/pulse"
	publishPath = callsPath + "/publish/"
	// At full load, underWay updates are published at once; otherwise the rate is atRate deliveries a second.
	// Each system must be able to buffer twice underWay for a slow reader.
	underWay = 50
	atRate   = 10_000
	// settled is the time after which memory is assumed to be stable.
	settled = 4 * time.Second
	// rests is how long a server is left idle before its memory is read.
	rests = 6 * time.Second
	// arrives limits the time until an event arrives.
	arrives = 30 * time.Second
)

// streamRows are rows about the readers of a channel, compared with a loop that writes to each reader from a
// goroutine of its own.
func streamRows() (all []row) {
	for _, n := range []struct {
		readers               int
		deliveries, kilobytes float64
		peer                  bool
	}{{1_000, 1.3, 10, true}, {5_000, 1.5, 10, false}} {
		of := fmt.Sprintf("streams, %d readers, ", n.readers)
		full := row{work: of + "full load", unit: "deliveries/s", goal: toLimit(atLeast, n.deliveries),
			run:    delivered(n.readers, 0, rateOf, costOf),
			second: "processor time each (us)", secondGoal: toLimit(atMost, 0.55)}
		paced := row{work: of + "10,000/s, p99", unit: "us", goal: toLimit(atMost, 0.90),
			run:    delivered(n.readers, atRate, lateOf, costOf),
			second: "processor time each (us)", secondGoal: toLimit(atMost, 0.75)}
		beside := row{work: of + "10 updates/s, live beside, p99", unit: "us", goal: toLimit(atMost, 0.80),
			run: only(besideStreams(n.readers))}
		resting := row{work: of + "idle, memory each", unit: "KiB", goal: itself(atMost, n.kilobytes),
			run: only(memoryOfReader(n.readers))}
		if n.peer {
			full.peers, resting.peers = map[string]pair{mercure: full.run}, map[string]pair{mercure: resting.run}
		}
		all = append(all, full, paced, beside, resting)
	}
	return all
}

// channel is where a system's readers get their updates.
type channel struct {
	path    string
	begins  []byte // the first bytes that each reader gets
	publish func(ctx context.Context, client *http.Client, count int) error
}

// pulse returns the channel of the module, or the equivalent one of the bare server.
func (s *system) pulse() *channel {
	if s.channel != nil {
		return s.channel
	}
	return &channel{pulsePath, []byte("event: snapshot\n"), s.publish}
}

// audience are readers that read everything.
type audience struct {
	conns   []net.Conn
	reading sync.WaitGroup
	count   atomic.Int64 // of updates
	arrived chan struct{}
	mu      sync.Mutex
	took    []time.Duration
}

// attend opens n streams and returns when each has received its snapshot.
func attend(ctx context.Context, s *system, n int) (*audience, error) {
	a := &audience{arrived: make(chan struct{}, 1)}
	of := s.pulse()
	request := get(of.path, "")
	if len(s.cookies) > 0 {
		request = get(of.path, s.cookies[0])
	}
	opened := make(chan error, n)
	for range n {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
		if err != nil {
			a.leave()
			return nil, err
		}
		a.conns = append(a.conns, conn)
		a.reading.Go(func() { a.read(conn, request, of.begins, opened) })
	}
	for range n {
		if err := <-opened; err != nil {
			a.leave()
			return nil, err
		}
	}
	return a, nil
}

var (
	anUpdate = []byte("event: update\n")
	anAt     = []byte(`{"at":`)
)

func (a *audience) read(conn net.Conn, request, begins []byte, opened chan<- error) {
	_ = conn.SetReadDeadline(time.Now().Add(arrives))
	_, err := conn.Write(request)
	buffer, kept, began := make([]byte, 8<<10), 0, false
	for err == nil {
		var n int
		if n, err = conn.Read(buffer[kept:]); err != nil {
			break
		}
		chunk := buffer[:kept+n]
		if !began && bytes.Contains(chunk, begins) {
			began = true
			_ = conn.SetReadDeadline(time.Time{})
			opened <- nil
		}
		a.hear(chunk)
		rest := chunk[bytes.LastIndexByte(chunk, '\n')+1:] // a read may end in the middle of a line
		if kept = copy(buffer, rest); kept == len(buffer) {
			err = errors.New("a line without an end")
		}
	}
	if !began {
		opened <- err
	}
}

func (a *audience) hear(chunk []byte) {
	events := bytes.Count(chunk, anUpdate)
	if _, after, found := bytes.Cut(chunk, anAt); found {
		digits, _, whole := bytes.Cut(after, []byte(","))
		if at, err := strconv.ParseInt(string(digits), 10, 64); err == nil && whole {
			a.mu.Lock()
			a.took = append(a.took, time.Duration(time.Now().UnixNano()-at))
			a.mu.Unlock()
		}
	}
	if events > 0 {
		a.count.Add(int64(events))
		select {
		case a.arrived <- struct{}{}:
		default:
		}
	}
}

// heard waits until that many updates have arrived.
func (a *audience) heard(ctx context.Context, updates int64) error {
	patience := time.NewTimer(arrives)
	defer patience.Stop()
	for a.count.Load() < updates {
		select {
		case <-a.arrived:
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return fmt.Errorf("%d of %d updates arrived", a.count.Load(), updates)
		}
	}
	return nil
}

func (a *audience) leave() {
	for _, conn := range a.conns {
		_ = conn.Close()
	}
	a.reading.Wait()
}

// publish makes the server publish that many updates at once.
func (s *system) publish(ctx context.Context, client *http.Client, count int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.address+publishPath+strconv.Itoa(count), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Cookie", s.cookies[0][len("Cookie: "):])
	return succeed(client, request)
}

// succeed sends a request whose response must be a 200.
func succeed(client *http.Client, request *http.Request) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("a publish was answered with %s", response.Status)
	}
	_, unread := io.Copy(io.Discard, response.Body)
	return errors.Join(err, unread, response.Body.Close())
}

// fanOut publishes for a while: perSecond deliveries a second or, if it is 0, as fast as they arrive. The
// next updates are published while the previous ones arrive, so that the fan-out never waits for publishing.
func (a *audience) fanOut(ctx context.Context, s *system, perSecond int, length time.Duration) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: posting}}
	defer client.CloseIdleConnections()
	readers, updates, behind, pause := int64(len(a.conns)), underWay, underWay, time.Duration(0)
	if perSecond > 0 {
		updates, behind = 1, 0
		pause = time.Second * time.Duration(len(a.conns)) / time.Duration(perSecond)
	}
	published := 0
	for until := time.Now().Add(length); time.Now().Before(until); {
		began := time.Now()
		if err := s.pulse().publish(ctx, client, updates); err != nil {
			return err
		}
		published += updates
		if err := a.heard(ctx, readers*int64(published-behind)); err != nil {
			return err
		}
		if err := wait(ctx, pause-time.Since(began)); err != nil {
			return err
		}
	}
	return a.heard(ctx, readers*int64(published))
}

// result is the outcome of a fan-out of some length.
type result struct {
	deliveries int64
	took       []time.Duration
	length     time.Duration
	cpu        time.Duration
}

func rateOf(r result) float64 { return float64(r.deliveries) / r.length.Seconds() }
func costOf(r result) float64 { return float64(r.cpu.Microseconds()) / float64(r.deliveries) }
func lateOf(r result) float64 { return float64(percentile(r.took, 0.99).Microseconds()) }

// delivered returns two figures of a fan-out. With a rate the measurement takes twice as long, because 5,000
// readers then get only two updates a second.
func delivered(readers, perSecond int, of, and func(result) float64) pair {
	return func(ctx context.Context, s *system, length time.Duration) (first, second float64, err error) {
		if perSecond > 0 {
			length *= 2
		}
		a, err := attend(ctx, s, readers)
		if err != nil {
			return 0, 0, err
		}
		defer a.leave()
		began, used := time.Now(), s.cpu()
		if err := a.fanOut(ctx, s, perSecond, length); err != nil {
			return 0, 0, err
		}
		r := result{deliveries: a.count.Load(), length: time.Since(began), cpu: s.cpu() - used}
		a.mu.Lock()
		defer a.mu.Unlock()
		r.took = a.took
		return of(r), and(r), nil
	}
}

// besideStreams measures the p99 of another request while ten updates a second are sent to all readers. The
// requests are paced, because those of clients without pauses would mostly be between the updates.
func besideStreams(readers int) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		a, err := attend(ctx, s, readers)
		if err != nil {
			return 0, err
		}
		defer a.leave()
		fanned := make(chan error, 1)
		go func() { fanned <- a.fanOut(ctx, s, 10*readers, 2*length) }()
		took, err := p99(paced(anonymous(livePath, connections), visits))(ctx, s, 2*length)
		return took, errors.Join(err, <-fanned)
	}
}

// firstReaders is the number of readers that connect before the memory of further ones is measured, so that
// code and tables that streams need only once are not counted.
const firstReaders = 300

// memoryOfReader is in KiB. It is measured on a new server, because one that has had readers keeps their
// memory.
func memoryOfReader(readers int) figure {
	return func(ctx context.Context, s *system, _ time.Duration) (each float64, err error) {
		b, err := begin(s, 1)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, b.end()) }()
		if err := b.awaitAnswer(ctx); err != nil {
			return 0, err
		}
		if s.announces {
			if err := b.awaitReady(); err != nil {
				return 0, err
			}
		}
		first, err := attend(ctx, b.system, firstReaders)
		if err != nil {
			return 0, err
		}
		defer first.leave()
		before, err := b.restingMemory(ctx)
		if err != nil {
			return 0, err
		}
		a, err := attend(ctx, b.system, readers)
		if err != nil {
			return 0, err
		}
		defer a.leave()
		after, err := b.restingMemory(ctx)
		return float64(after-before) / 1024 / float64(readers), err
	}
}

// restingMemory is the lowest memory within rests, once it has settled.
func (s *system) restingMemory(ctx context.Context) (lowest int64, err error) {
	if err := wait(ctx, settled); err != nil {
		return 0, err
	}
	for until := time.Now().Add(rests); time.Now().Before(until); {
		bytes, err := s.memory()
		if err != nil {
			return 0, err
		}
		if lowest == 0 || bytes < lowest {
			lowest = bytes
		}
		if err := wait(ctx, rests/12); err != nil {
			return 0, err
		}
	}
	return lowest, nil
}
