package stream

import (
	"bytes"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// Sockets are the shared resources of all streams that were taken from net/http: one watch, and the shards'
// goroutines. Both start with the first such stream.
type Sockets struct {
	mu    sync.Mutex
	open  bool
	watch *watch // nil until the first stream
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

// End waits until the streams have ended, at most for their grace.
func (s *Sockets) End() {
	s.mu.Lock()
	s.open = false
	watch := s.watch
	s.watch = nil
	s.mu.Unlock()
	s.group.Wait()
	if watch != nil {
		watch.close()
	}
}

// shard returns the shard for a new reader of a log; nil if streams cannot be taken from net/http. Only the
// hub calls it.
func (s *Sockets) shard(l *Log) *shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open {
		return nil
	}
	if s.watch == nil {
		watch, err := newWatch()
		if err != nil {
			return nil
		}
		s.watch = watch
	}
	return s.in(l)
}

func (s *Sockets) in(l *Log) (chosen *shard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.shards) < runtime.GOMAXPROCS(0) {
		fresh := &shard{log: l, watch: s.watch, wake: make(chan struct{}, 1), place: l.end,
			at: position{next: Unnumbered}}
		l.shards = append(l.shards, fresh)
		s.group.Go(fresh.run)
	}
	chosen = l.shards[l.handed%len(l.shards)]
	l.handed++
	chosen.coming++
	return chosen
}

// handOver takes the stream's connection from net/http. It returns false if that is impossible; then nothing
// is written.
func (r *Reader) handOver(w http.ResponseWriter, connection Connection) bool {
	shard := r.shard
	raw := connection.Socket()
	header := w.Header()
	head := streamHead(header)
	if err := raw.Control(func(fd uintptr) { r.fd = int32(fd) }); err != nil {
		shard.refused()
		return false
	}
	if _, _, err := http.NewResponseController(w).Hijack(); err != nil {
		shard.refused()
		return false
	}
	r.connection = connection
	shard.join(r, r.prelude.pieces(head))
	return true
}

// streamHead returns the response's head. It has no length: the stream ends with the connection.
func streamHead(header http.Header) []byte {
	own := header.Clone()
	streamHeader(own)
	own.Set("Connection", "close")
	own.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 200 OK\r\n")
	_ = own.Write(&head)
	head.WriteString("\r\n")
	return head.Bytes()
}
