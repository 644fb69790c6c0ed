package link

import (
	"context"
	"slices"
	"sync"
)

const (
	// parkedCalls and parkedBytes bound the calls that are read while all handlers are busy. They are parked, so
	// that the cancels and pings behind them are still read. When either bound is exceeded, reading pauses.
	parkedCalls = 1024
	parkedBytes = 2 * MaxMessage
	// keptIdle is how many goroutines wait for the next call. Their stacks have grown already. A new goroutine
	// for each call would have to grow its own, which takes a large part of the time of a small call.
	keptIdle = 64
)

// dispatcher holds the calls in service, the parked calls that wait for a free handler, and the goroutines
// that run the handlers.
type dispatcher struct {
	ctx      context.Context // of all handlers
	run      func(ctx context.Context, c *Call)
	limit    int
	memory   Memory
	workers  sync.WaitGroup
	payloads sync.Pool

	mu         sync.Mutex
	ended      bool
	calls      map[uint32]*Call // in service or parked
	running    int
	idle       int
	work       chan *Call // to idle workers; never blocks, because idle counts them
	parked     []*Call
	parkedSize int           // bytes of parked
	room       chan struct{} // not nil while the reader pauses; closed when a parked call is removed
}

func newDispatcher(
	ctx context.Context, run func(context.Context, *Call), limit int, memory Memory,
) *dispatcher {
	s := &dispatcher{ctx: ctx, run: run, limit: max(limit, 1), memory: memory, calls: map[uint32]*Call{},
		work: make(chan *Call, keptIdle)}
	s.payloads.New = func() any { return new([]byte) }
	return s
}

// accept starts the call, which dispatch then runs, or parks it if all handlers are busy. It refuses
// an id that is in use (it returns nil), and a call for which there is no memory (refused).
func (s *dispatcher) accept(f frame) (c *Call, runs bool) {
	if s.has(f.id) {
		return nil, false
	}
	c = &Call{Method: f.method, dispatcher: s, id: f.id}
	if !c.held.reserve(s.memory, sizeOf(s.memory, f.payload)) {
		return &Call{refused: true}, false
	}
	c.payload = s.payloads.Get().(*[]byte)
	*c.payload = append((*c.payload)[:0], f.payload...)
	c.Payload = *c.payload
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[f.id] = c // only accept adds calls, so the id is still free
	if s.running < s.limit {
		s.start(c)
		return c, true
	}
	s.parked = append(s.parked, c)
	s.parkedSize += len(f.payload)
	return c, false
}

func (s *dispatcher) has(id uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[id] != nil
}

// remove must be called with the lock held, for a call that is served or dropped.
func (s *dispatcher) remove(c *Call) {
	c.held.release()
	delete(s.calls, c.id)
}

// start must be called with the lock held.
func (s *dispatcher) start(c *Call) {
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	s.running++
}

// dispatch serves a started call in another goroutine.
func (s *dispatcher) dispatch(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatchLocked(c)
}

func (s *dispatcher) dispatchLocked(c *Call) {
	if s.idle > 0 {
		s.idle--
		s.work <- c
		return
	}
	s.workers.Go(func() {
		for next := true; next; c, next = <-s.work {
			if !s.serve(c) {
				return
			}
		}
	})
}

// serve runs the handler of a started call. It reports whether its goroutine should wait for another call.
func (s *dispatcher) serve(c *Call) (stay bool) {
	ended := true // the handler called runtime.Goexit, unless it returns or panics
	defer func() {
		if recover() != nil { // the value may contain anything, so it is dropped; the caller gets the code
			ended = false
		}
		stay = s.finish(c, !ended)
	}()
	s.run(s.ctx, c)
	ended = false
	return
}

// finish ends a call and starts the parked call that has waited longest.
func (s *dispatcher) finish(c *Call, willing bool) (stay bool) {
	c.cancel()
	if cap(*c.payload) <= keptBuffer {
		s.payloads.Put(c.payload)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
	s.running--
	if s.ended {
		return false
	}
	if stay = willing && s.idle < keptIdle; stay {
		s.idle++
	}
	if len(s.parked) > 0 {
		next := s.unpark(0)
		s.start(next)
		s.dispatchLocked(next)
	}
	return stay
}

// pause blocks the reader while too many calls, or too many bytes, are parked.
func (s *dispatcher) pause(gone <-chan struct{}) error {
	for {
		s.mu.Lock()
		if len(s.parked) <= parkedCalls && s.parkedSize <= parkedBytes {
			s.mu.Unlock()
			return nil
		}
		room := make(chan struct{})
		s.room = room
		s.mu.Unlock()
		select {
		case <-room:
		case <-gone:
			return ErrLost
		}
	}
}

// cancel ends the context of a call in service, or drops a parked one and returns true. If the id is unknown,
// the call's response and the cancel were sent at the same time.
func (s *dispatcher) cancel(id uint32) (dropped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[id]
	switch {
	case c == nil:
		return false
	case c.cancel != nil:
		c.cancel()
		return false
	}
	s.unpark(slices.Index(s.parked, c))
	s.remove(c)
	return true
}

// unpark must be called with the lock held.
func (s *dispatcher) unpark(at int) *Call {
	c := s.parked[at]
	s.parked = slices.Delete(s.parked, at, at+1)
	s.parkedSize -= len(*c.payload)
	if s.room != nil {
		close(s.room)
		s.room = nil
	}
	return c
}

// end drops the parked calls and waits for every handler. It is called after the last accept.
func (s *dispatcher) end() {
	s.mu.Lock()
	s.ended = true
	close(s.work)
	for _, c := range s.parked {
		s.remove(c)
	}
	s.mu.Unlock()
	s.workers.Wait()
}
