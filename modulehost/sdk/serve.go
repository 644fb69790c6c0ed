package sdk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// The inherited descriptors (docs/link.md).
const (
	hostCallsModule = 3
	moduleCallsHost = 4
)

// inService bounds the calls from the platform that one process works on at once. It is enough for all that
// the platform ever sends: 256 requests and its own calls.
const inService = 512

var errNotStarted = errors.New("this program is a Narthex module: the platform starts it; install its " +
	"folder and start the platform")

// serve runs the module and returns when the platform has stopped it or has died.
func serve(m Module) error {
	incoming, err := inherited(hostCallsModule)
	if err != nil {
		return err
	}
	outgoing, err := inherited(moduleCallsHost)
	if err != nil {
		return err
	}
	return serveSockets(m, incoming, outgoing, &sockets{open: link.NewBodyStream, memory: inheritedMemory})
}

// ServeOn is Serve with the caller's two links, and with body sockets that open returns by their descriptors.
// Package sdktest uses it; a module's main calls Serve. It returns when the links have ended: nil after Stop.
func ServeOn(m Module, incoming, outgoing net.Conn, open func(descriptor int) link.Stream) error {
	bodies := &sockets{open: func(descriptor int) (link.Stream, error) { return open(descriptor), nil }}
	return serveSockets(m, incoming, outgoing, bodies)
}

func serveSockets(m Module, incoming, outgoing net.Conn, bodies *sockets) error {
	host := link.NewClient(outgoing)
	defer host.Close()

	server := &moduleServer{module: m, host: host, timeouts: platformTimeouts(), sockets: bodies}
	defer server.sockets.close()
	defer server.exports.close()
	err := link.ServeCalls(context.Background(), incoming, server.serve, inService)
	if !server.hooks.stopCalled() {
		return err
	}
	return nil // the platform closes the link after Stop, as expected
}

func inherited(fd uintptr) (net.Conn, error) {
	file := os.NewFile(fd, "link")
	if file == nil {
		return nil, errNotStarted
	}
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, errNotStarted
	}
	return conn, nil
}

// moduleServer serves the platform's calls, in the order Register, Start, requests, Stop.
type moduleServer struct {
	module   Module
	host     *link.Client
	sockets  *sockets
	hooks    hooks
	timeouts timeouts

	exports exports
	runs    runs

	registered sync.Once
	registry   Registry
}

func (l *moduleServer) serve(ctx context.Context, call *link.Call) (proto.Message, error) {
	defer reportPanic()
	switch abi.Method(call.Method) {
	case abi.Method_METHOD_HANDLE:
		return nil, l.handle(ctx, call)
	case abi.Method_METHOD_PROVIDE:
		ctx := newHandlerContext(ctx, l.timeouts.short-responseMargin)
		defer ctx.finish()
		return l.provide(ctx, call.Payload)
	case abi.Method_METHOD_SNAPSHOT:
		ctx := newHandlerContext(ctx, l.timeouts.short-responseMargin)
		defer ctx.finish()
		return l.snapshot(ctx, call.Payload)
	case abi.Method_METHOD_PERSON_ERASED:
		ctx := newHandlerContext(ctx, l.timeouts.response-responseMargin)
		defer ctx.finish()
		return l.personErased(ctx, call.Payload)
	case abi.Method_METHOD_PERSON_EXPORT:
		ctx := newHandlerContext(ctx, l.timeouts.short-responseMargin)
		defer ctx.finish()
		return l.personExport(ctx, call.Payload)
	case abi.Method_METHOD_RUN:
		ctx := newHandlerContext(ctx, l.timeouts.response-responseMargin)
		defer ctx.finish()
		return l.run(ctx, call.Payload)
	case abi.Method_METHOD_REGISTER:
		return l.register(call.Payload)
	case abi.Method_METHOD_START:
		return l.start(ctx, call.Payload)
	case abi.Method_METHOD_STOP:
		return l.stop(ctx)
	}
	return nil, &link.Failure{CodeText: "METHOD_UNKNOWN"}
}

func (l *moduleServer) register(payload []byte) (proto.Message, error) {
	var request abi.RegisterRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	err := errors.New("registered twice")
	l.registered.Do(func() {
		err = errors.Join(l.module.Register(&l.registry), l.registry.problem(),
			l.registry.markProbe())
	})
	if err != nil {
		reportError("Register", err)
		return nil, err
	}
	l.registry.sort()
	return &abi.RegisterResponse{
		Abi:          abi.Version,
		SdkVersion:   Version,
		Routes:       l.registry.routes,
		Channels:     l.registry.channels.declared,
		Capabilities: l.registry.capabilities,
		PersonErased: l.registry.forget != nil,
		PersonExport: l.registry.export != nil,
		Schedules:    l.registry.schedules,
		BodyLanes:    l.sockets.share(int(request.GetBodyLanes())),
	}, nil
}

func (l *moduleServer) start(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.StartRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	ctx, leave, err := l.hooks.enterStart(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	host := newHost(l.host, &l.registry, &request)
	if err = l.registry.start(ctx, host); err == nil {
		err = l.module.Start(ctx, host)
	}
	if err != nil {
		reportError("Start", err)
		return nil, err
	}
	return &abi.StartResponse{}, nil
}

func (l *moduleServer) stop(ctx context.Context) (proto.Message, error) {
	if err := l.hooks.enterStop(ctx); err != nil {
		return nil, err
	}
	if err := l.runs.wait(ctx); err != nil {
		return nil, err
	}
	if err := l.module.Stop(ctx); err != nil {
		reportError("Stop", err)
		return nil, err
	}
	return &abi.StopResponse{}, nil
}

// callDeadline bounds a call to the host whose context has no deadline of its own.
const callDeadline = 30 * time.Second

// call makes a call to the host, always with a deadline.
func call(
	ctx context.Context, client *link.Client, method abi.Method, request, response proto.Message,
) error {
	ctx, cancel := withCallDeadline(ctx, callDeadline)
	defer cancel()
	return platformError(client.Call(ctx, link.Method(method), request, response))
}

// reportPanic is deferred around every call. The response to a panic has nothing but a code, so the author
// finds the value and the stack on standard error. The platform keeps that output and copies it into no log.
func reportPanic() {
	if value := recover(); value != nil {
		if value != http.ErrAbortHandler {
			fmt.Fprintf(os.Stderr, "panic: %v\n%s", value, debug.Stack())
		}
		panic(value)
	}
}
