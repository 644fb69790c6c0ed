package sdktest

import (
	"context"
	"net"
	"os"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// The descriptors that a module's process inherits, and the host's limits for one module (docs/link.md).
const (
	firstBodySocket = 5
	bodySockets     = 32
	inService       = 16
)

// connect serves the module on one end of real sockets, and the host's facade on the other end.
func (m *Module) connect(module sdk.Module) {
	m.tb.Helper()
	l := new(life)
	hostCalls, incoming := m.socketpair()
	outgoing, moduleCalls := m.socketpair()
	far := make(map[int]link.Stream, bodySockets)
	near := make([]*link.Socket, 0, bodySockets)
	for descriptor := firstBodySocket; descriptor < firstBodySocket+bodySockets; descriptor++ {
		ours, theirs := m.socketpair()
		near, far[descriptor] = append(near, link.NewSocket(descriptor, ours)), theirs
	}
	l.bodies = link.NewBodies(near)
	session := m.host.Open()
	ctx, end := context.WithCancel(context.Background())
	served, responded := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(responded)
		_ = link.Serve(ctx, moduleCalls, m.serve(session.Serve), inService)
	}()
	go func() {
		defer close(served)
		_ = sdk.ServeOn(module, incoming, outgoing, func(descriptor int) link.Stream { return far[descriptor] })
	}()
	l.client, l.cut = link.NewClient(hostCalls), end
	l.end = func() {
		l.bodies.Close()
		_ = l.client.Close()
		<-served
		end()
		<-responded
		session.Close()
		for _, socket := range far {
			_ = socket.Close() // most were never used
		}
	}
	m.current.Store(l)
}

// life is one run of the module, from its start to the loss of its link.
type life struct {
	client *link.Client
	bodies *link.Bodies
	cut    func() // ends the module's calls
	end    func() // closes the link and waits until every goroutine of the run has ended
}

// run returns the current run.
func (m *Module) run() *life {
	m.tb.Helper()
	l := m.current.Load()
	if l == nil {
		m.tb.Fatal("sdktest: the link is lost; call Restart")
	}
	return l
}

// LoseLink cuts the link to the module, as the end of its process would: requests in progress get 500
// MODULE_HANDLER_FAILED, their contexts end, transactions are rolled back, and further requests get 503
// MODULE_UNAVAILABLE until Restart. It returns when nothing of the run is in progress except the module's own
// goroutines.
func (m *Module) LoseLink() {
	m.tb.Helper()
	m.run().cut()
	m.disconnectLink()
}

func (m *Module) disconnectLink() {
	if l := m.current.Swap(nil); l != nil {
		l.end()
	}
}

// Restart starts a module as the platform does after a crash: it must register the same routes and other
// declarations again. If LoseLink was not called before, Restart cuts the link first.
func (m *Module) Restart(module sdk.Module) {
	m.tb.Helper()
	if m.current.Load() != nil {
		m.LoseLink()
	}
	m.connect(module)
	if !proto.Equal(m.registered, m.register()) {
		m.tb.Fatal("sdktest: the module registered something else than at first, which the platform refuses")
	}
	m.call(deadlines.Start, abi.Method_METHOD_START, m.start, &abi.StartResponse{})
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
		_ = file.Close() // FileConn has duplicated the descriptor
	}
	return conns[0], conns[1]
}

// running is the module with the interface that the gateway uses.
type running struct{ *Module }

// Routes returns the registered routes.
func (r running) Routes() []*abi.Route { return r.routes }

// Begin begins a call that may have bodies.
func (r running) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	l := r.current.Load()
	if l == nil {
		return nil, process.ErrUnavailable
	}
	o.Bodies = l.bodies
	if err := complete(&o); err != nil {
		return nil, err
	}
	return l.client.Begin(ctx, o)
}

// TakeLane returns nil: the module has no lanes.
func (r running) TakeLane(int) *link.LaneBody { return nil }
