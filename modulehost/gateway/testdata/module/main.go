// Command module is a module for tests of the gateway. It reads and writes bodies of every kind, and logs
// what happened to them.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

type module struct{ host *sdk.Host }

var plain = make([]byte, 32<<10)

func main() {
	if filepath.Base(os.Args[0]) == "without-lanes" {
		_ = sdk.ServeOn(&module{}, descriptor(3), descriptor(4), func(n int) link.Stream {
			return descriptor(uintptr(n))
		})
		return
	}
	sdk.Serve(&module{})
}

func descriptor(fd uintptr) net.Conn {
	file := os.NewFile(fd, "link")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		os.Exit(5)
	}
	return conn
}

func (m *module) Register(r *sdk.Registry) error {
	const may = "sample.use"
	r.Handle("GET /bytes/{count}", may, sdk.NoBody, pattern)
	r.Handle("GET /known/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", r.PathValue("count"))
		pattern(w, r)
	})
	r.Handle("GET /plain/{count}", may, sdk.NoBody,
		func(w http.ResponseWriter, r *http.Request) { // nothing to compute
			w.Header().Set("Content-Length", r.PathValue("count"))
			count, _ := strconv.Atoi(r.PathValue("count"))
			for ; count > 0; count -= len(plain) {
				_, _ = w.Write(plain[:min(count, len(plain))])
			}
		})
	r.Handle("POST /headers/{status}/{count}", may, sdk.Buffered(256<<10),
		func(w http.ResponseWriter, r *http.Request) {
			var set http.Header // sets headers with exactly the given names
			status, _ := strconv.Atoi(r.PathValue("status"))
			if err := json.NewDecoder(r.Body).Decode(&set); err != nil {
				status = http.StatusBadRequest
			}
			maps.Copy(w.Header(), set)
			w.WriteHeader(status)
			pattern(w, r)
		})
	r.Handle("GET /raw/{value}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q %q", r.PathValue("value"), r.URL.RawQuery, r.UserAgent())
		m.host.Log.Info("raw", "agent", r.UserAgent())
		w.Header()["X-Module-Agent"] = []string{r.UserAgent()}
		w.Header()["X-Module-\xfc"] = []string{"dropped"}
	})
	r.Handle("POST /echo", may, sdk.Buffered(1<<20),
		func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	r.Handle("POST /summed", may, sdk.Buffered(1<<20), func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.New()
		_, _ = io.Copy(io.MultiWriter(w, sum), r.Body)
		_, _ = w.Write(sum.Sum(nil))
	})
	r.Handle("POST /ignored", may, sdk.Buffered(1<<20),
		func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.ContentLength) })
	r.Handle("POST /upload", may, sdk.Streamed(1<<20), m.upload)
	r.Handle("POST /large", may, sdk.Streamed(32<<20), m.upload)
	r.Handle("POST /unread", may, sdk.Streamed(1<<20),
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "unread") })
	r.Handle("POST /part", may, sdk.Streamed(32<<20), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 10))
		fmt.Fprint(w, "part")
	})
	r.Handle("POST /swallow", may, sdk.Streamed(1000), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		write(w, 300<<10)
	})
	r.Handle("POST /glance", may, sdk.Streamed(1<<20), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadFull(r.Body, make([]byte, 10))
		write(w, 300<<10)
	})
	r.Handle("POST /must", may, sdk.Streamed(1<<20), func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			panic("hunter2")
		}
	})
	r.Handle("POST /both", may, sdk.Streamed(1<<20), func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(make([]byte, 200<<10))
		_, err := r.Body.Read(make([]byte, 1))
		m.host.Log.Info(fmt.Sprint("read while answering: ", errors.Is(err, sdk.ErrBodyClosed)))
	})
	r.Handle("GET /events", may, sdk.NoBody, m.events)
	r.Handle("GET /silent", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "begun")
		_ = http.NewResponseController(w).Flush()
		m.wait(r, "silent")
	})
	r.Handle("GET /wait", may, sdk.NoBody, func(_ http.ResponseWriter, r *http.Request) {
		m.host.Log.Info("waiting")
		m.wait(r, "wait")
	})
	r.Handle("GET /patient", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
		fmt.Fprint(w, r.Context().Err())
	})
	r.Handle("GET /endless", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil {
				m.host.Log.Info("endless: nobody reads")
				return
			}
		}
	})
	r.Handle("GET /panic/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		count, _ := strconv.Atoi(r.PathValue("count"))
		write(w, count)
		panic("hunter2")
	})
	r.Handle("POST /panic", may, sdk.Streamed(32<<20), func(_ http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 1))
		panic("hunter2")
	})
	r.Handle("GET /lies/{said}/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", r.PathValue("said"))
		pattern(w, r)
	})
	r.Handle("GET /status/{status}/{count}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.PathValue("status"))
		w.WriteHeader(status)
		pattern(w, r)
	})
	r.Handle("GET /small", may, sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"plain":true}`)
	})
	r.Handle("GET /json/{count}/{declared}", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.PathValue("declared") == "true" {
			w.Header().Set("Content-Length", r.PathValue("count"))
		}
		pattern(w, r)
	})
	r.Handle("GET /nap", may, sdk.NoBody, func(http.ResponseWriter, *http.Request) {
		time.Sleep(time.Millisecond)
	})
	count := func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	}
	r.Handle("POST /count", may, sdk.Buffered(1<<20), count)
	r.Handle("POST /stream", may, sdk.Streamed(32<<20), count)
	r.Handle("GET /scribble", may, sdk.NoBody, func(w http.ResponseWriter, r *http.Request) {
		memory, err := unix.Mmap(37, 0, 8<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		go func() {
			for {
				memory[rand.IntN(len(memory))] = byte(rand.Uint32())
			}
		}()
	})
	r.Handle("GET /pid", may, sdk.NoBody,
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, os.Getpid()) })
	r.Handle("GET /stray", may, sdk.NoBody, func(w http.ResponseWriter, _ *http.Request) {
		write(w, 100<<10)
		late := []byte(strings.Repeat("stray", 20<<10)) // made once: the module's memory is limited
		go func() {
			for range 1000 {
				_, _ = w.Write(late)
			}
		}()
	})
	return nil
}

func (m *module) Start(_ context.Context, h *sdk.Host) error { m.host = h; return nil }
func (m *module) Stop(context.Context) error                 { return nil }

func pattern(w http.ResponseWriter, r *http.Request) {
	count, err := strconv.Atoi(r.PathValue("count"))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	write(w, count)
}

// write writes bytes whose values depend on their position, in pieces of odd sizes.
func write(w io.Writer, count int) {
	for at := 0; at < count; {
		p := make([]byte, min(count-at, 30_001))
		for i := range p {
			p[i] = byte((at + i) % 251)
		}
		if _, err := w.Write(p); err != nil {
			return
		}
		at += len(p)
	}
}

func (m *module) upload(w http.ResponseWriter, r *http.Request) {
	if name := r.URL.Query().Get("tell"); name != "" {
		m.host.Log.Info("upload begun: " + name)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		m.host.Log.Info(fmt.Sprint("upload too large: ", tooLarge.Limit))
	case errors.Is(err, sdk.ErrBodyAborted):
		m.host.Log.Info("upload aborted")
	case err != nil:
		m.host.Log.Info("upload failed otherwise")
	}
	fmt.Fprintf(w, "%d %d %x", r.ContentLength, n, sum.Sum(nil))
}

func (m *module) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	for n := 0; ; n++ {
		fmt.Fprintf(w, "event %d\n", n)
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			m.host.Log.Info("events: cancelled")
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (m *module) wait(r *http.Request, name string) {
	<-r.Context().Done()
	m.host.Log.Info(fmt.Sprint(name, ": ", r.Context().Err()))
}
