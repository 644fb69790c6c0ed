package httpserver_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/narthex-platform/narthex/services/httpserver/httpservertest"
)

// BenchmarkListener measures a small keep-alive GET through the listener beside a bare http.Server with the
// same deadlines: compare ns/op of "listener" with "bare".
func BenchmarkListener(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, "ok") })
	const request = "GET /small HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n"
	for _, connections := range []int{1, 32} {
		b.Run(fmt.Sprintf("connections=%d/bare", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.ServeBare(b, handler), request, answer("ok"), connections)
		})
		b.Run(fmt.Sprintf("connections=%d/listener", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.Serve(b, handler), request, answer("ok"), connections)
		})
	}
}
