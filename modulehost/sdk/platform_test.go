package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
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

// module is a Module whose methods a test supplies.
type module struct {
	register func(*sdk.Registry)
	host     *sdk.Host
	stopped  int
}

func (m *module) Register(r *sdk.Registry) error {
	if m.register != nil {
		m.register(r)
	}
	return nil
}
func (m *module) Start(_ context.Context, h *sdk.Host) error { m.host = h; return nil }
func (m *module) Stop(context.Context) error                 { m.stopped++; return nil }

// bodySockets is less than a real process has, so that a test soon uses all of them.
const bodySockets = 2

// platform is the host's side of a served module: a real link, and a host whose responses a test sets. Tests
// with the real host are in modulehost/sdktest/e2e.
type platform struct {
	t      *testing.T
	client *link.Client
	bodies *link.Bodies
	served chan error
}

// options are how a test serves a module. The zero value means body sockets of the kernel and a host that
// refuses every call.
type options struct {
	pair func(*testing.T) (net.Conn, net.Conn) // makes the body sockets
	link func(*testing.T) (net.Conn, net.Conn) // makes the link's
	host link.Handler
}

// inBubble are the options of a test in virtual time, which kernel sockets would stop.
func inBubble(host link.Handler) options {
	pipe := func(*testing.T) (net.Conn, net.Conn) { return net.Pipe() }
	return options{pair: pipe, link: pipe, host: host}
}

func serve(t *testing.T, m sdk.Module) *platform {
	t.Helper()
	return serveWith(t, m, options{})
}

func serveWith(t *testing.T, m sdk.Module, o options) *platform {
	t.Helper()
	if o.pair == nil {
		o.pair = socketpair
	}
	if o.link == nil {
		o.link = socketpair
	}
	if o.host == nil {
		o.host = func(context.Context, link.Method, []byte) (proto.Message, error) {
			return nil, errors.New("the host of this test answers nothing")
		}
	}
	hostCalls, incoming := o.link(t)
	outgoing, moduleCalls := o.link(t)
	p := &platform{t: t, served: make(chan error, 1)}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = link.Serve(ctx, moduleCalls, o.host, 16)
	}()
	far := make(map[int]link.Stream)
	var near []*link.Socket
	for descriptor := 5; descriptor < 5+bodySockets; descriptor++ {
		ours, theirs := o.pair(t)
		near, far[descriptor] = append(near, link.NewSocket(descriptor, ours)), theirs
	}
	p.bodies = link.NewBodies(near)
	served := make(chan struct{})
	go func() {
		defer close(served)
		p.served <- sdk.ServeOn(m, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
	}()
	p.client = link.NewClient(hostCalls)
	t.Cleanup(func() {
		p.bodies.Close()
		_ = p.client.Close()
		<-served
		end()
		<-ended
	})
	return p
}

func socketpair(t *testing.T) (net.Conn, net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conns [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "link")
		if conns[i], err = net.FileConn(file); err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	return conns[0], conns[1]
}

func (p *platform) call(method abi.Method, request, response any) error {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	return p.client.Call(ctx, link.Method(method), request.(proto.Message), response.(proto.Message))
}

// settings is the configuration of every test's module.
var settings = []*abi.Setting{
	{Key: "title", Value: &abi.Setting_Text{Text: "Foyer"}},
	{Key: "seconds", Value: &abi.Setting_Integer{Integer: 1 << 53}},
	{Key: "loud", Value: &abi.Setting_Boolean{Boolean: true}},
	{Key: "quiet", Value: &abi.Setting_Boolean{}},
}

// started registers and starts the module.
func (p *platform) started() *platform {
	p.t.Helper()
	if err := p.call(abi.Method_METHOD_REGISTER, &abi.RegisterRequest{Abi: abi.Version},
		&abi.RegisterResponse{}); err != nil {
		p.t.Fatal(err)
	}
	if err := p.call(abi.Method_METHOD_START, &abi.StartRequest{Database: true, Configuration: settings},
		&abi.StartResponse{}); err != nil {
		p.t.Fatal(err)
	}
	return p
}
