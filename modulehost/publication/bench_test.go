package publication_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/httpserver/httpservertest"
)

// BenchmarkScript measures a script of 200 KiB through the whole pipeline beside a bare http.Server that
// holds it in memory: compare ns/op of "platform" with "bare".
func BenchmarkScript(b *testing.B) {
	script := strings.Repeat("0123456789abcdef", 200<<10/16)
	dir := b.TempDir()
	write(b, filepath.Join(dir, "board", "module.json"),
		`{"manifestVersion": 7, "id": "board", "name": "The board", "version": "1.0.0",
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
		{"bare", func(b *testing.B) string { return httpservertest.ServeBare(b, bare(script)) }},
		{"platform", func(b *testing.B) string { return httpservertest.Serve(b, start(b, installed).handler) }},
	}
	const request = "GET " + inventory +
		"/board/1.0.0 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n"
	for _, response := range []struct{ name, status, condition string }{
		{"200", "200 OK", ""},
		{"304", "304 Not Modified", "If-None-Match: " + etagOf(script) + "\r\n"},
	} {
		for _, connections := range []int{1, 32} {
			for _, handler := range handlers {
				b.Run(fmt.Sprintf("response=%s/connections=%d/%s", response.name, connections, handler.name),
					func(b *testing.B) {
						b.ReportAllocs()
						httpservertest.Load(b, handler.serve(b), request+response.condition+"\r\n", "HTTP/1.1 "+response.status,
							connections)
					})
			}
		}
	}
}

// bare is the smallest handler with the same responses.
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
