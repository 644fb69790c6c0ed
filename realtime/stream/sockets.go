package stream

import (
	"runtime"
	"sync"
)

// Sockets are the shared resources of all streams: one watch, and the shards' goroutines. Both start with the
// first stream.
type Sockets struct {
	mu    sync.Mutex
	open  bool
	watch Watch
	group sync.WaitGroup
}

// NewSockets returns Sockets that accept no stream yet.
func NewSockets() *Sockets { return &Sockets{} }

// Begin allows streams to be taken from net/http.
func (s *Sockets) Begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

// End waits until the streams have ended, at most for deadlines.Hubs.
func (s *Sockets) End() {
	s.mu.Lock()
	s.open = false
	s.mu.Unlock()
	s.group.Wait()
	s.watch.close()
}

// shard returns the shard for a new reader of a log; nil if there is no run. Only the hub calls it.
func (s *Sockets) shard(l *Log) (chosen *shard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.shards) < runtime.GOMAXPROCS(0) {
		fresh := &shard{log: l, watch: &s.watch, wake: make(chan struct{}, 1), place: l.end,
			at: position{next: Unnumbered}}
		l.shards = append(l.shards, fresh)
		s.group.Go(fresh.run)
	}
	chosen = l.shards[l.handed%len(l.shards)]
	l.handed++
	chosen.coming++
	return chosen
}
