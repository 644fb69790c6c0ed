package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
	// underWay is how many updates of full load are published before the next, and atRate how many deliveries a
	// second there are otherwise.
	underWay = 20
	atRate   = 10_000
	// settled is how long memory is given to come to rest.
	settled = 4 * time.Second
	// arrives is how long an event may take.
	arrives = 30 * time.Second
)

// streamRows are readers of a channel, beside a loop that writes to each from its own goroutine.
func streamRows() (all []row) {
	for _, n := range []struct {
		readers               int
		deliveries, kilobytes float64
	}{{1_000, 1.3, 10}, {5_000, 1.5, 6}} {
		of := fmt.Sprintf("streams, %d readers, ", n.readers)
		all = append(all,
			row{work: of + "full load", unit: "deliveries/s", goal: toLimit(atLeast, n.deliveries),
				run: delivered(n.readers, 0, rateOf)},
			row{work: of + "full load, processor time", unit: "us", goal: toLimit(atMost, 0.55),
				run: delivered(n.readers, 0, costOf)},
			row{work: of + "10,000/s, processor time", unit: "us", goal: toLimit(atMost, 0.75),
				run: delivered(n.readers, atRate, costOf)},
			row{work: of + "10,000/s, p99", unit: "us", goal: toLimit(atMost, 0.90),
				run: delivered(n.readers, atRate, lateOf)},
			row{work: of + "10,000/s, live beside it, p99", unit: "us", goal: toLimit(atMost, 0.50),
				run: besideStreams(n.readers)},
			row{work: of + "idle, memory each", unit: "KiB", goal: itself(atMost, n.kilobytes),
				run: memoryOfReader(n.readers)},
		)
	}
	return all
}

// audience are readers that read all they are sent.
type audience struct {
	conns   []net.Conn
	reading sync.WaitGroup
	count   atomic.Int64 // updates
	arrived chan struct{}
	mu      sync.Mutex
	took    []time.Duration
}

// attend opens n streams and returns when each has its snapshot.
func attend(ctx context.Context, s *system, n int) (*audience, error) {
	a := &audience{arrived: make(chan struct{}, 1)}
	request := get(pulsePath, s.cookies[0])
	begun := make(chan error, n)
	for range n {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
		if err != nil {
			a.leave()
			return nil, err
		}
		a.conns = append(a.conns, conn)
		a.reading.Go(func() { a.read(conn, request, begun) })
	}
	for range n {
		if err := <-begun; err != nil {
			a.leave()
			return nil, err
		}
	}
	return a, nil
}

var (
	aSnapshot = []byte("event: snapshot\n")
	anUpdate  = []byte("event: update\n")
	anAt      = []byte(`{"at":`)
)

func (a *audience) read(conn net.Conn, request []byte, begun chan<- error) {
	_ = conn.SetReadDeadline(time.Now().Add(arrives))
	_, err := conn.Write(request)
	buffer, kept, began := make([]byte, 8<<10), 0, false
	for err == nil {
		var n int
		if n, err = conn.Read(buffer[kept:]); err != nil {
			break
		}
		chunk := buffer[:kept+n]
		if !began && bytes.Contains(chunk, aSnapshot) {
			began = true
			_ = conn.SetReadDeadline(time.Time{})
			begun <- nil
		}
		a.hear(chunk)
		rest := chunk[bytes.LastIndexByte(chunk, '\n')+1:] // a line may be cut anywhere
		if kept = copy(buffer, rest); kept == len(buffer) {
			err = errors.New("a line without an end")
		}
	}
	if !began {
		begun <- err
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

// heard waits until so many updates have arrived.
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

// publish lets the server publish so many updates.
func publish(ctx context.Context, s *system, client *http.Client, count int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+s.address+publishPath+strconv.Itoa(count), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Cookie", s.cookies[0][len("Cookie: "):])
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("a publish was answered with %s", response.Status)
	}
	return errors.Join(err, response.Body.Close())
}

// fanOut publishes for a while: perSecond deliveries a second, or, when it is 0, as fast as they arrive.
func (a *audience) fanOut(ctx context.Context, s *system, perSecond int, length time.Duration) error {
	client := &http.Client{}
	defer client.CloseIdleConnections()
	readers, updates, pause := int64(len(a.conns)), underWay, time.Duration(0)
	if perSecond > 0 {
		updates, pause = 1, time.Second*time.Duration(len(a.conns))/time.Duration(perSecond)
	}
	for until := time.Now().Add(length); time.Now().Before(until); {
		began, before := time.Now(), a.count.Load()
		if err := publish(ctx, s, client, updates); err != nil {
			return err
		}
		if err := a.heard(ctx, before+readers*int64(updates)); err != nil {
			return err
		}
		if err := wait(ctx, pause-time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

// what a fan-out of some length gave.
type result struct {
	deliveries int64
	took       []time.Duration
	length     time.Duration
	cpu        time.Duration
}

func rateOf(r result) float64 { return float64(r.deliveries) / r.length.Seconds() }
func costOf(r result) float64 { return float64(r.cpu.Microseconds()) / float64(r.deliveries) }
func lateOf(r result) float64 { return float64(percentile(r.took, 0.99).Microseconds()) }

func delivered(readers, perSecond int, of func(result) float64) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		a, err := attend(ctx, s, readers)
		if err != nil {
			return 0, err
		}
		defer a.leave()
		began, used := time.Now(), s.cpu()
		if err := a.fanOut(ctx, s, perSecond, length); err != nil {
			return 0, err
		}
		r := result{deliveries: a.count.Load(), length: time.Since(began), cpu: s.cpu() - used}
		a.mu.Lock()
		defer a.mu.Unlock()
		r.took = a.took
		return of(r), nil
	}
}

// besideStreams is another request's p99 while updates go out.
func besideStreams(readers int) figure {
	return func(ctx context.Context, s *system, length time.Duration) (float64, error) {
		a, err := attend(ctx, s, readers)
		if err != nil {
			return 0, err
		}
		defer a.leave()
		fanned := make(chan error, 1)
		go func() { fanned <- a.fanOut(ctx, s, atRate, length) }()
		took, err := p99(anonymous(livePath, sharing))(ctx, s, length)
		return took, errors.Join(err, <-fanned)
	}
}

func memoryOfReader(readers int) figure {
	return func(ctx context.Context, s *system, _ time.Duration) (float64, error) {
		if err := wait(ctx, settled); err != nil {
			return 0, err
		}
		before, err := s.memory()
		if err != nil {
			return 0, err
		}
		a, err := attend(ctx, s, readers)
		if err != nil {
			return 0, err
		}
		defer a.leave()
		if err := wait(ctx, settled); err != nil {
			return 0, err
		}
		after, err := s.memory()
		return float64(after-before) / 1024 / float64(readers), err
	}
}
