package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

// somebody spares the benchmarks the session's query, which is the same with and without a module.
type somebody struct{}

func (somebody) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	return principal.Person("somebody"), nil
}

// BenchmarkModuleRoute measures a small GET through a module's process beside the same handler inside the host, both behind the
// whole pipeline: compare ns/op of "module" with "host".
func BenchmarkModuleRoute(b *testing.B) {
	s := benchServer(b)
	inHost := httpapi.Route{
		Method: "GET", Path: "/api/v1/modules/base/inhost", Permission: "base.read",
		Handle: func(c *httpapi.Call) error {
			c.Writer.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(c.Writer, `{"plain":true}`)
			return err
		},
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes:        append(s.routes(), inHost),
		ClientAddress: clientaddress.New(s.settings.ClientAddress),
		Resolver:      somebody{},
		Authorizer:    s.authorization,
		Log:           zap.NewNop(),
	})
	if err != nil {
		b.Fatal(err)
	}
	address := listen(b, handler)
	for _, connections := range []int{1, 32} {
		for _, side := range []struct{ name, path string }{{"host", inHost.Path}, {"module", "/api/v1/modules/base/plain"}} {
			b.Run(fmt.Sprintf("connections=%d/%s", connections, side.name), func(b *testing.B) {
				load(b, address, side.path, connections)
			})
		}
	}
}

// BenchmarkStart1, 10 and 50 measure a whole start, from the manifests to the listener, with so many modules, each a program and a
// process of its own.
func BenchmarkStart1(b *testing.B)  { benchStart(b, 1) }
func BenchmarkStart10(b *testing.B) { benchStart(b, 10) }
func BenchmarkStart50(b *testing.B) { benchStart(b, 50) }

func benchStart(b *testing.B, modules int) {
	dir := b.TempDir()
	for n := range modules {
		copies(b, dir, "hostile", fmt.Sprintf("quiet-%02d", n))
	}
	settings := benchSettings(b, dir)
	for b.Loop() {
		s := newServer(settings, secrets{func(string) (string, bool) { return "", false }}, zap.NewNop())
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		stop(b, s)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/start")
}

// stop ends a started platform.
func stop(b *testing.B, s *server) {
	ended, end := context.WithCancel(context.Background())
	end()
	if err := s.Wait(ended); err != nil {
		b.Error(err)
	}
}

// benchServer starts the platform with one module.
func benchServer(b *testing.B) *server {
	b.Helper()
	s := newServer(benchSettings(b, installed(b, "base")), secrets{func(string) (string, bool) { return "", false }}, zap.NewNop())
	if err := s.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stop(b, s) })
	return s
}

// benchSettings are of an installation with a database of its own and these modules.
func benchSettings(b *testing.B, modules string) environment.Settings {
	b.Helper()
	db := databasetest.New(b)
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := map[string]string{
			"NODE_ENV":                  "development",
			"DATABASE_URL":              db.URL,
			"SERVICE_MODULES_DIR":       modules,
			"SERVICE_API_PORT":          "0",
			"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
			"SERVICE_IDENTITY_BASE_URL": "http://localhost",
		}[name]
		return value, found
	}, environment.Everything)
	if err != nil {
		b.Fatal(err)
	}
	return settings
}

func listen(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler, Log: zap.NewNop()})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = listener.Serve(ctx)
	}()
	<-listener.Ready()
	b.Cleanup(func() { stop(); <-ended })
	return listener.Addr().String()
}

// load sends b.N requests over a number of connections and reads each answer whole. It speaks HTTP by hand, since a real client
// would cost more than what is measured.
func load(b *testing.B, address, path string, connections int) {
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	size := answerSize(b, address, request)
	work := make(chan struct{}, b.N)
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	var clients sync.WaitGroup
	b.ResetTimer()
	for range connections {
		clients.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			answer := make([]byte, size)
			for range work {
				if _, err := conn.Write(request); err != nil {
					b.Error(err)
					return
				}
				if _, err := io.ReadFull(conn, answer); err != nil || !strings.HasPrefix(string(answer[:15]), "HTTP/1.1 200 OK") {
					b.Errorf("%v %.80q", err, answer)
					return
				}
			}
		})
	}
	clients.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// answerSize is how many bytes every answer to this request has: the headers that change keep their length.
func answerSize(b *testing.B, address string, request []byte) int {
	b.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		b.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	size, body := 0, 0
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		size += len(line)
		if length, found := strings.CutPrefix(line, "Content-Length: "); found {
			if body, err = strconv.Atoi(strings.TrimSpace(length)); err != nil {
				b.Fatal(err)
			}
		}
		if line == "\r\n" {
			return size + body
		}
	}
}
