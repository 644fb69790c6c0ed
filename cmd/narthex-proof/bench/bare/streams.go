package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

// streams is the simplest fan-out to readers: a goroutine and a bounded channel for each, without guarantees.
type streams struct {
	mu      sync.Mutex
	readers map[chan []byte]struct{}
}

func serveStreams(engine *gin.Engine) {
	s := &streams{readers: make(map[chan []byte]struct{})}
	engine.GET("/api/v1/module-realtime/calls/pulse", func(c *gin.Context) { s.serve(c.Writer, c.Request) })
	engine.GET("/api/v1/modules/calls/publish/:count", func(c *gin.Context) {
		count, _ := strconv.Atoi(c.Param("count"))
		for range count {
			s.publish()
		}
		c.Header("Content-Length", "0")
	})
}

func (s *streams) serve(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	events := make(chan []byte, 256)
	w.Header().Set("Content-Type", "text/event-stream")
	s.mu.Lock()
	s.readers[events] = struct{}{}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.readers, events)
	}()
	_, _ = io.WriteString(w, "event: snapshot\ndata: {}\n\n")
	for control.Flush() == nil {
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
		case <-r.Context().Done():
			return
		}
	}
}

var padding = strings.Repeat("x", 200)

func (s *streams) publish() {
	e := fmt.Appendf(nil, "id: 1\ndata: {\"at\":%d,\"padding\":%q}\nevent: update\n\n", time.Now().UnixNano(),
		padding)
	s.mu.Lock()
	defer s.mu.Unlock()
	for events := range s.readers {
		events <- e
	}
}
