package realtime

import (
	"bytes"
	"net/http"
	"runtime"
	"sync"
	"time"
)

// sockets are what all hubs of a set need for streams that were taken from net/http: one watch, and the
// shards' goroutines. Both begin with the first such stream.
type sockets struct {
	rush chan struct{} // has a value when many streams began

	mu    sync.Mutex
	open  bool
	watch *watch // nil: none yet
	began int    // streams, since the last rush was told
	group sync.WaitGroup
}

// rushOf is how many streams make a rush. Each that waited for its snapshot leaves some 16 KiB to the next
// collection of garbage, which may be minutes away.
const rushOf = 256

func newSockets() *sockets { return &sockets{rush: make(chan struct{}, 1)} }

func (s *sockets) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

// end waits for the streams, which end within their grace.
func (s *sockets) end() {
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

// shard returns the shard that a new reader of a log belongs to; nil when streams cannot be taken from
// net/http. It is the hub's.
func (s *sockets) shard(l *eventLog) *shard {
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
	if s.began++; s.began >= rushOf {
		s.began = 0
		signal(s.rush)
	}
	return s.in(l)
}

func (s *sockets) in(l *eventLog) (chosen *shard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.shards) < runtime.GOMAXPROCS(0) {
		fresh := &shard{log: l, watch: s.watch, wake: make(chan struct{}, 1), place: l.end,
			at: position{next: unnumbered}}
		l.shards = append(l.shards, fresh)
		s.group.Go(fresh.run)
	}
	chosen = l.shards[l.handed%len(l.shards)]
	l.handed++
	chosen.coming++
	return chosen
}

// handOver takes the stream's connection from net/http. False: that is not possible, and nothing is written.
func (r *reader) handOver(w http.ResponseWriter, connection Connection) bool {
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

// streamHead is the response's head. It has no length: the connection's end is the stream's.
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
