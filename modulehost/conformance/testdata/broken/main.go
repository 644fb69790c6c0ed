// Command broken is a module that breaks one promise of the contract, for tests of the trial. The name of its
// executable selects the promise, because a module has neither environment nor arguments. With any other name
// it breaks none.
package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func main() {
	m := &module{breaks: filepath.Base(os.Args[0]), started: make(chan struct{})}
	if m.breaks == "lingers" {
		m.linger()
	}
	sdk.Serve(m)
}

type module struct {
	breaks  string
	host    *sdk.Host
	started chan struct{}
	stops   atomic.Int64

	mu   sync.Mutex
	kept [][]byte
}

const may = "trial.use"

func (m *module) Register(r *sdk.Registry) error {
	permission := may
	switch m.breaks {
	case "silent":
		hang()
	case "undeclared":
		permission = "trial.other"
	case "restless":
		r.Handle("GET /"+strconv.Itoa(os.Getpid()), may, sdk.NoBody, m.read)
	}
	r.Handle("GET /things/{id}", permission, sdk.NoBody, m.read)
	r.Handle("POST /things", permission, sdk.Buffered(16<<10), m.write)
	r.Handle("PUT /things/{id}", permission, sdk.Streamed(100<<10), m.write)
	r.Handle("GET /things", permission, sdk.NoBody, m.list)
	r.Probe("GET /things")
	r.Channel("things", may, m.snapshot)
	r.Every("tidy", time.Hour, func(context.Context) error { return errors.New("nothing to tidy") })
	r.Provide("trial.things", sdk.Methods{"count": func(context.Context, []byte) (any, error) { return 1, nil }})
	r.PersonErased(m.forget)
	r.PersonExport(func(context.Context, string) (any, error) { return map[string]int{"things": 0}, nil })
	return nil
}

func (m *module) Start(ctx context.Context, h *sdk.Host) error {
	m.host = h
	if m.breaks == "starts-slowly" {
		hang()
	}
	if m.breaks == "prints" {
		_, _ = os.Stdout.WriteString(strings.Repeat("a line of it\n", 100_000))
	}
	statement := `DELETE FROM things`
	if m.breaks == "sets-its-role" {
		statement = `ALTER ROLE CURRENT_USER SET work_mem = '64MB'`
	}
	if _, err := h.DB.Exec(ctx, statement); err != nil {
		return err
	}
	close(m.started)
	return nil
}

func (m *module) Stop(context.Context) error {
	again := m.stops.Add(1) > 1
	switch {
	case m.breaks == "stops-slowly", again && m.breaks == "stops-once":
		hang()
	case m.breaks == "waits-for-its-start":
		<-m.started
	}
	return nil
}

func (m *module) list(w http.ResponseWriter, r *http.Request) {
	if m.breaks == "wants-a-parameter" && !r.URL.Query().Has("from") {
		http.Error(w, "from?", http.StatusBadRequest)
		return
	}
	m.read(w, r)
}

func (m *module) read(w http.ResponseWriter, r *http.Request) {
	switch m.breaks {
	case "panics":
		panic("no such thing")
	case "never-cancels":
		select {
		case <-r.Context().Done():
			hang()
		case <-time.After(time.Second): // the response to a request that was not cancelled
		}
	case "long-headers":
		for n := range 20 {
			w.Header().Set("X-Module-"+strconv.Itoa(n), strings.Repeat("x", 1<<10))
		}
	case "keeps":
		page := make([]byte, 256<<10)
		for n := range page {
			page[n] = byte(n)
		}
		m.mu.Lock()
		m.kept = append(m.kept, page)
		m.mu.Unlock()
	}
	_, _ = io.WriteString(w, `{"thing":1}`)
}

func (m *module) write(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case m.breaks == "dies-of-a-body" && len(body) > 8<<10:
		os.Exit(3)
	case m.breaks == "hangs-on-no-body" && len(body) == 0:
		hang()
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (m *module) snapshot(context.Context) (any, error) {
	if m.breaks == "large-snapshot" {
		return strings.Repeat("x", 1<<20), nil
	}
	return []int{1, 2, 3}, nil
}

func (m *module) forget(context.Context, string) error {
	if m.breaks == "forgets-nobody" {
		return errors.New("no such person")
	}
	return nil
}

// linger serves as sdk.Serve does, but does not exit when its host is gone.
func (m *module) linger() {
	_ = sdk.ServeOn(m, descriptor(3), descriptor(4), func(n int) link.Stream { return descriptor(uintptr(n)) })
	hang()
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

// hang never returns within a test. The runtime would report a select without cases as a deadlock.
func hang() { time.Sleep(time.Hour) }
