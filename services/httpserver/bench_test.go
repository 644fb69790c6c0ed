package httpserver_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/httpserver/httpservertest"
)

// BenchmarkListener measures a small keep-alive GET with the listener, and with a plain http.Server with the
// same deadlines: compare ns/op of "listener" with "bare".
func BenchmarkListener(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { write(w, "ok") })
	const request = "GET /small HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: bench\r\n\r\n"
	for _, connections := range []int{1, 32} {
		b.Run(fmt.Sprintf("connections=%d/bare", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.ServeBare(b, handler), request, reply("ok"), connections)
		})
		b.Run(fmt.Sprintf("connections=%d/listener", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.Serve(b, handler), request, reply("ok"), connections)
		})
	}
}

// BenchmarkPipeline measures the cost of a small response of the platform, including everything before its
// handler, and of plain gin: compare ns/op and allocs/op of "platform" with "gin".
func BenchmarkPipeline(b *testing.B) {
	const path, body = "/api/v1/principal", `{"kind":"anonymous"}`
	engine := gin.New()
	engine.GET(path, func(c *gin.Context) {
		c.Header("Cache-Control", "no-store")
		c.Data(http.StatusOK, "application/json", []byte(body))
	})
	platform, err := httpserver.New(httpserver.Config{
		Routes: []httpapi.Route{{Method: "GET", Path: path, Handle: func(c *httpapi.Call) error {
			return c.RawJSON(http.StatusOK, []byte(body))
		}}},
		ClientAddress: direct(), Log: zap.NewNop(),
	})
	if err != nil {
		b.Fatal(err)
	}
	const request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, connections := range []int{1, 32} {
		b.Run(fmt.Sprintf("connections=%d/gin", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.ServeBare(b, engine), request, "HTTP/1.1 200 OK", connections)
		})
		b.Run(fmt.Sprintf("connections=%d/platform", connections), func(b *testing.B) {
			b.ReportAllocs()
			httpservertest.Load(b, httpservertest.Serve(b, platform), request, "HTTP/1.1 200 OK", connections)
		})
	}
}
