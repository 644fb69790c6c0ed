// Command calls is the module that the benchmark calls: its handlers compute nothing.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

type calls struct {
	id   string
	host *sdk.Host
}

// The copies for a start with many modules differ only in the name of their program.
func main() { sdk.Serve(&calls{id: filepath.Base(os.Args[0])}) }

// Register declares the same routes as host.go.
func (c *calls) Register(r *sdk.Registry) error {
	may := c.id + ".use"
	r.Handle("GET /small", may, sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"plain":true}`)
	})
	piece := make([]byte, 32<<10)
	r.Handle("GET /plain/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", r.PathValue("count"))
		left, _ := strconv.Atoi(r.PathValue("count"))
		for ; left > 0; left -= len(piece) {
			_, _ = w.Write(piece[:min(left, len(piece))])
		}
	})
	count := func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	}
	r.Handle("POST /count", may, sdk.Buffered(1<<20), count)
	r.Handle("POST /stream", may, sdk.Streamed(32<<20), count)
	r.Channel("pulse", may, func(context.Context) (any, error) { return struct{}{}, nil })
	r.Handle("GET /publish/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		count, _ := strconv.Atoi(r.PathValue("count"))
		var all sync.WaitGroup // in parallel, so that none waits for a fan-out
		for range count {
			all.Go(func() { _ = c.host.Realtime.Publish("pulse", pulse{time.Now().UnixNano(), padding}) })
		}
		all.Wait()
	})
	return nil
}

// pulse is an update of 200 bytes, with its time.
type pulse struct {
	At      int64  `json:"at"`
	Padding string `json:"padding"`
}

var padding = strings.Repeat("x", 200)

// Start keeps the host, which publishes.
func (c *calls) Start(_ context.Context, host *sdk.Host) error {
	c.host = host
	return nil
}

// Stop does nothing.
func (*calls) Stop(context.Context) error { return nil }
