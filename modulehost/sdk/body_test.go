package sdk_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// TestEchoWithoutAnyBuffer: the handler writes while it reads, and the host writes a request before it reads
// the response. Neither may block the other, even when the connection has no buffer.
func TestEchoWithoutAnyBuffer(t *testing.T) {
	m := &module{register: func(r *sdk.Registry) {
		r.Handle("POST /echo", "seats.read", sdk.Buffered(1<<20),
			func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	}}
	p := serveWith(t, m, options{
		pair: func(*testing.T) (net.Conn, net.Conn) { return net.Pipe() },
	}).started()
	want := strings.Repeat("0123456789", 100_000)
	socket, err := p.bodies.Take(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	body := link.NewBufferedBody(len(want))
	defer body.Release()
	copy(body.Data(), want)
	length := uint64(len(want))
	x, err := p.client.Begin(t.Context(), link.Outgoing{
		Method: link.Method(abi.Method_METHOD_HANDLE),
		Request: &abi.HandleRequest{
			Method: "POST", Path: []byte("/echo"), BodySocket: socket.Descriptor(), BodyFollows: true,
			BodyBytes: &length,
		},
		Response: &abi.HandleResponse{}, Within: 10 * time.Second, Pause: 10 * time.Second, Bodies: p.bodies,
		Socket: socket, Body: body,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if err := x.SendBody(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.AwaitResponse(t.Context(), nil); err != nil || !x.Follows() {
		t.Fatalf("AwaitResponse: error %v, want none; a body follows: %v, want true", err, x.Follows())
	}
	if err := x.OpenBody(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(x); string(got) != want || err != nil {
		t.Errorf("body of %d bytes, want the %d sent; error %v", len(got), len(want), err)
	}
}
