package sdktest

import (
	"context"
	"net"
	"os"

	"golang.org/x/sys/unix"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// What a module's process inherits, and how much of it the host serves at once (docs/link.md).
const (
	firstBodySocket = 5
	bodySockets     = 32
	inService       = 16
)

// connect serves the module on one end of real sockets, and the host's facade on the other.
func (m *Module) connect(module sdk.Module, host *facade.Facade) {
	m.tb.Helper()
	hostCalls, incoming := m.socketpair()
	outgoing, moduleCalls := m.socketpair()
	far := make(map[int]link.Stream, bodySockets)
	near := make([]*link.Socket, 0, bodySockets)
	for descriptor := firstBodySocket; descriptor < firstBodySocket+bodySockets; descriptor++ {
		ours, theirs := m.socketpair()
		near, far[descriptor] = append(near, link.NewSocket(descriptor, ours)), theirs
	}
	m.bodies = link.NewBodies(near)
	session := host.Open()
	ctx, end := context.WithCancel(context.Background())
	served, responded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(responded)
		_ = link.Serve(ctx, moduleCalls, session.Serve, inService)
	}()
	go func() {
		defer close(served)
		_ = sdk.ServeOn(module, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
	}()
	m.client = link.NewClient(hostCalls)
	m.tb.Cleanup(func() {
		m.bodies.Close()
		_ = m.client.Close()
		<-served
		end()
		<-responded
		session.Close()
		for _, socket := range far {
			_ = socket.Close() // most were never opened
		}
	})
}

func (m *Module) socketpair() (net.Conn, net.Conn) {
	m.tb.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
	var conns [2]net.Conn
	for i, fd := range fds {
		file := os.NewFile(uintptr(fd), "link")
		if conns[i], err = net.FileConn(file); err != nil {
			m.tb.Fatal("sdktest: ", err)
		}
		_ = file.Close() // FileConn duplicates
	}
	return conns[0], conns[1]
}

// running is the module as the gateway knows it.
type running struct{ *Module }

// Routes is what the module registered.
func (r running) Routes() []*abi.Route { return r.routes }

// Begin begins a call that may have bodies.
func (r running) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	o.Bodies = r.bodies
	if err := complete(&o); err != nil {
		return nil, err
	}
	return r.client.Begin(ctx, o)
}
