package link_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// A body that is complete in its lane is on the socket before its response arrives. One whose response cannot
// be sent is not sent either, so the next call on the socket gets its own.
func TestWholeBodyComesBeforeItsResponse(t *testing.T) {
	first, second := numbered(64<<10), bytes.Repeat([]byte("b"), 64<<10)
	messages := []proto.Message{
		wrapperspb.Bytes(make([]byte, link.MaxMessage+1)), wrapperspb.Bytes(nil), wrapperspb.Bytes(nil),
	}
	calls := 0
	var host net.Conn
	ends := func(tb testing.TB) (near, far net.Conn) {
		near, far = socketpair(tb)
		host = near
		return near, far
	}
	p := newPairOver(t, 1, ends, func(p *pair, _ context.Context, c *link.Call) error {
		socket, w, body := p.far[5], link.NewBodyWriter(true), [][]byte{first, first, second}[calls]
		defer w.Release()
		if err := w.Move(socket); err != nil {
			return err
		}
		w.Grow(copy(w.Room(), body))
		calls++
		if !w.InLane() {
			t.Error("the body is not in its lane")
		}
		return c.RespondWhole(messages[calls-1], w, socket)
	})
	p.share(t)
	for n, want := range [][]byte{nil, first, second} {
		x := p.begin(t, false)
		err := x.AwaitResponse(testContext(t), nil)
		var refused *link.Failure
		if want == nil {
			if !errors.As(err, &refused) || arrivedBytes(t, host) != 0 {
				t.Errorf("call %d: error %v, %d bytes on the socket; want a failure and none", n, err,
					arrivedBytes(t, host))
			}
			x.Close()
			continue
		}
		if err != nil || !x.Follows() || arrivedBytes(t, host) == 0 {
			t.Fatalf("call %d: error %v, a body follows: %t, %d bytes on the socket", n, err, x.Follows(),
				arrivedBytes(t, host))
		}
		if err := x.OpenBody(testContext(t), true); err != nil {
			t.Fatal(err)
		}
		if got, err := readNext(x); err != io.EOF || !bytes.Equal(got, want) {
			t.Errorf("call %d: %d bytes, error %v; want its own %d", n, len(got), err, len(want))
		}
		x.Close()
	}
}

// arrivedBytes returns how many bytes wait to be read.
func arrivedBytes(t *testing.T, conn net.Conn) (n int) {
	t.Helper()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}
