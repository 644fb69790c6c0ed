package link_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := goleak.Find(); err != nil { // of failed tests, too: what leaks may be why they failed
		fmt.Fprintln(os.Stderr, "goroutines left behind:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// socketpair returns the two ends of a socket as host and module share it.
func socketpair(tb testing.TB) (net.Conn, net.Conn) {
	tb.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		tb.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "link")
		if ends[i], err = net.FileConn(file); err != nil {
			tb.Fatal(err)
		}
		_ = file.Close()
		tb.Cleanup(func() { _ = ends[i].Close() })
	}
	return ends[0], ends[1]
}

// connect serves h at the other end of a new client; both have ended when the test ends.
func connect(tb testing.TB, inService int, h link.Handler) *link.Client {
	tb.Helper()
	near, far := socketpair(tb)
	serve(tb, far, inService, h)
	return client(tb, near)
}

func client(tb testing.TB, conn net.Conn) *link.Client {
	c := link.NewClient(conn)
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// serve runs Serve and returns a channel for its result.
func serve(tb testing.TB, conn net.Conn, inService int, h link.Handler) <-chan error {
	ctx, cancel := context.WithCancel(context.Background())
	served, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		served <- link.Serve(ctx, conn, h, inService)
	}()
	tb.Cleanup(func() {
		cancel()
		<-ended
	})
	return served
}

// testContext returns a context with a deadline that is long enough for everything that should happen at
// once.
func testContext(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func text(s string) *wrapperspb.StringValue { return wrapperspb.String(s) }

func raw(b []byte) *wrapperspb.BytesValue { return wrapperspb.Bytes(b) }

func echo(_ context.Context, _ link.Method, payload []byte) (proto.Message, error) {
	var m wrapperspb.BytesValue
	if err := proto.Unmarshal(payload, &m); err != nil {
		return nil, err
	}
	return &m, nil
}
