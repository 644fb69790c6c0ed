package link_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// A peer that breaks the rules loses the link, for calls in flight and for later calls.

var brokenHeads = map[string][]byte{
	"length below the head": {5, 0, 0, 0, kindResponse, 0, 1, 0, 0, 0},
	"length over the limit": append(binary.LittleEndian.AppendUint32(nil, 6+1280<<10+1),
		kindResponse, 0, 1, 0, 0, 0),
	"length of four billion": {255, 255, 255, 255, kindResponse, 0, 1, 0, 0, 0},
	"kind 0":                 rawFrame{kind: 0, id: 1}.bytes(),
	"kind 9":                 rawFrame{kind: 9, id: 1}.bytes(),
	"half a head":            {6, 0, 0},
	"half a payload":         rawFrame{kind: kindResponse, id: 1, payload: make([]byte, 100)}.bytes()[:50],
}

func TestClientLosesALinkWhosePeerBreaksTheRules(t *testing.T) {
	rows := map[string][]byte{
		"answer never asked":     rawFrame{kind: kindResponse, id: 77}.bytes(),
		"failure never asked":    rawFrame{kind: kindFailure, id: 77, payload: failurePayload("NO", nil)}.bytes(),
		"pong never asked":       rawFrame{kind: kindPong, id: 77}.bytes(),
		"pong for a call":        rawFrame{kind: kindPong, id: 1}.bytes(),
		"answer for a ping":      rawFrame{kind: kindResponse, id: 2}.bytes(),
		"pong with a payload":    rawFrame{kind: kindPong, id: 2, payload: []byte{1}}.bytes(),
		"call to a client":       rawFrame{kind: kindCall, id: 1}.bytes(),
		"cancel to a client":     rawFrame{kind: kindCancel, id: 1}.bytes(),
		"ping to a client":       rawFrame{kind: kindPing, id: 1}.bytes(),
		"lend to a client":       rawFrame{kind: kindLend, method: 5, id: 1}.bytes(),
		"want of no body":        rawFrame{kind: kindWant, id: 1}.bytes(),
		"want of no call":        rawFrame{kind: kindWant, id: 77}.bytes(),
		"want with a payload":    rawFrame{kind: kindWant, id: 1, payload: []byte{1}}.bytes(),
		"body of a plain call":   rawFrame{kind: kindResponse, method: 1, id: 1}.bytes(),
		"answer is no message":   rawFrame{kind: kindResponse, id: 1, payload: []byte{0xff}}.bytes(),
		"failure without a code": rawFrame{kind: kindFailure, id: 1, payload: failurePayload("", nil)}.bytes(),
		"failure with a text": rawFrame{kind: kindFailure, id: 1,
			payload: failurePayload("no such", nil)}.bytes(),
		"failure shorter than it": rawFrame{kind: kindFailure, id: 1, payload: []byte{9, 'A'}}.bytes(),
		"failure of endless code": rawFrame{kind: kindFailure, id: 1,
			payload: bytes.Repeat([]byte{0xff}, 12)}.bytes(),
		"answer twice": append(rawFrame{kind: kindResponse, id: 1}.bytes(),
			rawFrame{kind: kindResponse, id: 1}.bytes()...),
		"nothing: end of stream":   nil,
		"failure without anything": rawFrame{kind: kindFailure, id: 1}.bytes(),
	}
	for name, b := range brokenHeads {
		rows[name] = b
	}
	for name, b := range rows {
		t.Run(name, func(t *testing.T) {
			near, far := socketpair(t)
			c := client(t, near)
			results := make(chan error, 2)
			go func() { results <- c.Call(testContext(t), 1, nil, &wrapperspb.StringValue{}) }()
			expectFrame(t, far, kindCall)
			go func() { results <- c.Ping(testContext(t)) }()
			expectFrame(t, far, kindPing)
			write(t, far, b)
			_ = far.Close()
			lost := 0
			for range 2 {
				if errors.Is(<-results, link.ErrLost) {
					lost++
				}
			}
			if want := 2; lost != want && !(name == "answer twice" && lost == 1) {
				t.Fatalf("%d calls in flight were lost, want 2", lost)
			}
			<-c.Done()
			if err := c.Call(testContext(t), 1, nil, nil); !errors.Is(err, link.ErrLost) ||
				!errors.Is(c.Err(), link.ErrLost) {
				t.Fatal("later:", err, c.Err())
			}
			if b != nil && errors.Is(c.Err(), io.EOF) {
				t.Fatal("found only at the end of the stream:", c.Err())
			}
		})
	}
}

func TestServerLosesALinkWhosePeerBreaksTheRules(t *testing.T) {
	rows := map[string][]byte{
		"answer to a server":    rawFrame{kind: kindResponse, id: 1}.bytes(),
		"failure to a server":   rawFrame{kind: kindFailure, id: 1, payload: failurePayload("NO", nil)}.bytes(),
		"pong to a server":      rawFrame{kind: kindPong, id: 1}.bytes(),
		"cancel with a payload": rawFrame{kind: kindCancel, id: 1, payload: []byte{1}}.bytes(),
		"ping with a payload":   rawFrame{kind: kindPing, id: 1, payload: []byte{1}}.bytes(),
		"want to a server":      rawFrame{kind: kindWant, id: 9}.bytes(),
		"lend of descriptor 0":  rawFrame{kind: kindLend, id: 9}.bytes(),
		"lend with a payload":   rawFrame{kind: kindLend, method: 5, id: 9, payload: []byte{1}}.bytes(),
		"lend twice": append(rawFrame{kind: kindLend, method: 5, id: 9}.bytes(),
			rawFrame{kind: kindLend, method: 6, id: 9}.bytes()...),
		"id in service":          rawFrame{kind: kindCall, id: 9}.bytes(),
		"nothing: end of stream": nil,
	}
	for name, b := range brokenHeads {
		rows[name] = b
	}
	for name, b := range rows {
		t.Run(name, func(t *testing.T) {
			near, far := socketpair(t)
			g := newBlockingHandler()
			served := serve(t, far, 3, g.handle)
			write(t, near, rawFrame{kind: kindCall, id: 9}.bytes())
			g.waitInside(1)
			write(t, near, rawFrame{kind: kindCancel, id: 4711}.bytes()) // no offence: its call has ended
			write(t, near, b)
			if b == nil || name == "half a head" || name == "half a payload" {
				_ = near.Close()
			}
			err := <-served
			if !errors.Is(err, link.ErrLost) {
				t.Fatal(err)
			}
			if (b == nil) != errors.Is(err, io.EOF) {
				t.Fatal("an end between two frames is told from one within:", err)
			}
		})
	}
}

func TestCloseEndsCallsInFlight(t *testing.T) {
	near, _ := socketpair(t)
	c := client(t, near)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if err := c.Call(testContext(t), 1, nil, nil); !errors.Is(err, link.ErrLost) {
				t.Errorf("Call: error %v, want %v", err, link.ErrLost)
			}
		})
	}
	if c.Err() != nil {
		t.Error("an error before the end")
	}
	var closers sync.WaitGroup
	for range 3 {
		closers.Go(func() { _ = c.Close() })
	}
	closers.Wait()
	callers.Wait()
	<-c.Done()
}

func TestServeEndsWithItsContext(t *testing.T) {
	_, far := socketpair(t)
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	if err := link.Serve(ctx, far, echo, 1); !errors.Is(err, context.Canceled) {
		t.Fatalf("link.Serve: error %v, want %v", err, context.Canceled)
	}
}

// TestPeerThatNeverRespondsIsLost uses a peer that reads calls and cancels and never responds.
func TestPeerThatNeverRespondsIsLost(t *testing.T) {
	near, far := socketpair(t)
	c := client(t, near)
	go func() { _, _ = io.Copy(io.Discard, far) }()
	// in steps of 5,000, because the race detector supports at most 8,128 goroutines
	for patience := testContext(t); c.Err() == nil; {
		if patience.Err() != nil {
			t.Fatal("whatever it owes, it is not lost")
		}
		ctx, cancel := context.WithCancel(testContext(t))
		var callers sync.WaitGroup
		for range 5000 {
			callers.Go(func() { _ = c.Call(ctx, 1, nil, nil) })
		}
		if err := waitQueued(c, testContext(t)); err != nil && !errors.Is(err, context.DeadlineExceeded) &&
			!errors.Is(err, link.ErrLost) {
			t.Fatal(err)
		}
		cancel()
		callers.Wait()
	}
	<-c.Done()
	if number, _, _ := strings.Cut(link.Rule(c.Err()), " "); number != "7.9" {
		t.Errorf("the link was lost by %v, want rule 7.9 of docs/link.md", c.Err())
	}
}

// waitQueued sends one more call and cancels it, so that most of the earlier calls have been sent.
func waitQueued(c *link.Client, parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, 100_000_000)
	defer cancel()
	return c.Call(ctx, 1, nil, nil)
}
