package publication_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/httpserver"
)

// BenchmarkScript measures a script of 200 KiB through the whole platform beside a bare http.Server that has it in memory: compare
// ns/op of "platform" with "bare". The client speaks HTTP by hand.
func BenchmarkScript(b *testing.B) {
	script := strings.Repeat("0123456789abcdef", 200<<10/16)
	dir := b.TempDir()
	write(b, filepath.Join(dir, "board", "module.json"), `{"manifestVersion": 7, "id": "board", "name": "The board", "version": "1.0.0",
		"compatibility": {"platform": "*", "moduleSdk": "*"}, "entrypoints": {"ui": "index.js"}}`)
	write(b, filepath.Join(dir, "board", "index.js"), script)
	installed, err := catalog.Discover(dir, true, "0.1.2")
	if err != nil {
		b.Fatal(err)
	}
	handlers := []struct {
		name  string
		serve func(*testing.B) string
	}{
		{"bare", func(b *testing.B) string { return serveBare(b, bare(script)) }},
		{"platform", func(b *testing.B) string { return servePlatform(b, start(b, installed).handler) }},
	}
	for _, answer := range []struct{ name, condition string }{
		{"200", ""},
		{"304", "If-None-Match: " + etagOf(script) + "\r\n"},
	} {
		for _, connections := range []int{1, 32} {
			for _, handler := range handlers {
				b.Run(fmt.Sprintf("answer=%s/connections=%d/%s", answer.name, connections, handler.name), func(b *testing.B) {
					keepAlive(b, handler.serve(b), connections, answer.condition)
				})
			}
		}
	}
}

// bare is the least that could answer.
func bare(script string) http.Handler {
	body, etag, length := []byte(script), etagOf(script), strconv.Itoa(len(script))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-cache")
		header.Set("Etag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Type", "text/javascript; charset=utf-8")
		header.Set("Content-Length", length)
		_, _ = w.Write(body)
	})
}

func serveBare(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 20 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	b.Cleanup(func() {
		if err := errors.Join(server.Close(), <-ended); !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	})
	return listener.Addr().String()
}

func servePlatform(b *testing.B, handler http.Handler) string {
	b.Helper()
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler, Log: zap.NewNop()})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- listener.Serve(ctx) }()
	<-listener.Ready()
	b.Cleanup(func() {
		if stop(); !errors.Is(<-ended, context.Canceled) {
			b.Error("the stop failed")
		}
	})
	return listener.Addr().String()
}

// keepAlive sends b.N requests over a number of connections and reads each answer whole.
func keepAlive(b *testing.B, address string, connections int, condition string) {
	b.ReportAllocs()
	request := []byte("GET " + inventory + "/board/1.0.0 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n" + condition + "\r\n")
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
			buffer, size := make([]byte, 256<<10), 0
			for range work {
				if _, err := conn.Write(request); err != nil {
					b.Error(err)
					return
				}
				if size == 0 {
					size, err = first(conn, buffer)
				} else { // every answer is as long as the first
					_, err = io.ReadFull(conn, buffer[:size])
				}
				if err != nil || !bytes.HasPrefix(buffer, []byte("HTTP/1.1 ")) {
					b.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
}

// first reads an answer and tells how long it is, head and body.
func first(conn net.Conn, buffer []byte) (size int, err error) {
	for read := 0; ; {
		n, err := conn.Read(buffer[read:])
		if err != nil {
			return 0, err
		}
		read += n
		head, _, whole := bytes.Cut(buffer[:read], []byte("\r\n\r\n"))
		if !whole {
			continue
		}
		size = len(head) + 4
		if _, after, found := bytes.Cut(head, []byte("Content-Length: ")); found {
			digits, _, _ := bytes.Cut(after, []byte("\r\n"))
			length, err := strconv.Atoi(string(digits))
			if err != nil {
				return 0, err
			}
			size += length
		}
		_, err = io.ReadFull(conn, buffer[read:size])
		return size, err
	}
}
