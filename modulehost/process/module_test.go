package process_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// module is a module without the SDK. It can follow the protocol of docs/link.md and violate it.
type module struct {
	mode        string
	spinning    atomic.Bool
	hostCalls   net.Conn
	moduleCalls net.Conn
	host        *link.Client
}

func runTestModule(mode string) {
	switch mode {
	case "dies-at-once":
		os.Exit(1)
	case "says-120":
		os.Exit(120)
	case "bare": // without a host
		request, _ := io.ReadAll(os.Stdin)
		_, _ = os.Stdout.Write(probing(request))
		return
	case "never-ready":
		hang()
	case "ignore-stop":
		signal.Ignore(syscall.SIGTERM)
	}
	m := &module{mode: mode, hostCalls: descriptor(3), moduleCalls: descriptor(4)}
	if mode == "garbage" {
		_, _ = m.hostCalls.Write([]byte(strings.Repeat("nonsense ", 1000)))
		hang()
	}
	m.host = link.NewClient(m.moduleCalls)
	_ = link.Serve(context.Background(), m.hostCalls, m.serve, 300)
}

// hang never returns. The runtime would report a select without cases as a deadlock.
func hang() {
	for {
		_, _ = unix.Ppoll(nil, nil, nil)
	}
}

func descriptor(fd uintptr) net.Conn {
	file := os.NewFile(fd, "link")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		os.Exit(5)
	}
	return conn
}

func (m *module) serve(ctx context.Context, method link.Method, payload []byte) (proto.Message, error) {
	switch abi.Method(method) {
	case abi.Method_METHOD_REGISTER:
		return m.register(), nil
	case abi.Method_METHOD_START:
		return m.start(ctx)
	case abi.Method_METHOD_STOP:
		m.log(ctx, "stopping")
		switch m.mode {
		case "ignore-stop", "start-fails-and-hangs":
			hang()
		case "stop-fails", "start-and-stop-fail":
			return nil, &link.Failure{CodeText: "STOP_REFUSED"}
		case "stop-dies":
			os.Exit(9)
		}
		return &abi.StopResponse{}, nil
	default:
		var request abi.HandleRequest
		if err := proto.Unmarshal(payload, &request); err != nil {
			return nil, err
		}
		return m.handle(ctx, &request)
	}
}

func (m *module) register() *abi.RegisterResponse {
	r := &abi.RegisterResponse{Abi: abi.Version, SdkVersion: "0.1.2",
		Routes: []*abi.Route{{Method: "GET", Path: "/x"}}}
	switch m.mode {
	case "wrong-abi":
		r.Abi = 99
	case "other-routes-second-time":
		r.Routes[0].Path = "/" + strconv.Itoa(os.Getpid())
	}
	return r
}

func (m *module) start(ctx context.Context) (proto.Message, error) {
	m.log(ctx, "starting")
	switch m.mode {
	case "start-fails", "start-fails-and-hangs", "start-and-stop-fail":
		return nil, &link.Failure{CodeText: "NO_LUCK", Detail: []byte("secret text")}
	case "start-hangs":
		hang()
	case "start-dies":
		os.Exit(3)
	case "log-flood":
		flood := []byte(strings.Repeat("secret text\n", 1000))
		go func() {
			for {
				_, _ = os.Stdout.Write(flood)
			}
		}()
	}
	return &abi.StartResponse{}, nil
}

func (m *module) handle(ctx context.Context, request *abi.HandleRequest) (proto.Message, error) {
	response := &abi.HandleResponse{Status: 200, Body: request.Body}
	switch string(request.Path) {
	case "/wait":
		m.log(ctx, "waiting")
		<-ctx.Done()
	case "/stick":
		m.log(ctx, "stuck")
		select {}
	case "/spin":
		m.spinning.Store(true)
		for range runtime.GOMAXPROCS(0) {
			go func() {
				for m.spinning.Load() {
				}
			}()
		}
	case "/calm":
		m.spinning.Store(false)
	case "/tell":
		response.Body, _ = json.Marshal(observe())
	case "/ask":
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		var result abi.AllowedResponse
		err := m.host.Call(ctx, link.Method(abi.Method_METHOD_ALLOWED), &abi.AllowedRequest{Permission: "p"},
			&result)
		if err != nil {
			return nil, err
		}
		response.Body = strconv.AppendBool(nil, result.Allowed)
	case "/exit":
		os.Exit(3)
	case "/die-later":
		time.AfterFunc(50*time.Millisecond, func() { os.Exit(7) })
	case "/freeze":
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		<-ctx.Done() // its other threads stop a moment later
	case "/hang-up-on-host":
		_ = m.host.Close()
		<-ctx.Done()
	case "/garbage-to-host":
		_ = m.moduleCalls.SetWriteDeadline(time.Time{}) // the deadline set by the link may have passed
		_, _ = m.moduleCalls.Write([]byte(strings.Repeat("nonsense ", 1000)))
		<-ctx.Done()
	case "/refuse":
		return nil, &link.Failure{CodeText: "MODULE_UNAVAILABLE"}
	case "/probe":
		response.Body = probing(request.Body)
	case "/refused":
		response.Body = notRefused()
	case "/unknown":
		response.Body = []byte(unix.ErrnoName(call(process.NewestCall + 1).(unix.Errno)))
	case "/x32":
		_ = call(1<<30 + unix.SYS_GETPID)
	case "/print":
		_, _ = os.Stderr.Write(request.Body)
	case "/spawn":
		child, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "trap '' TERM; exec sleep 3600"},
			&os.ProcAttr{})
		if err != nil {
			return nil, err
		}
		response.Body = strconv.AppendInt(nil, int64(child.Pid), 10)
	case "/allocate":
		memory := make([]byte, 1<<30)
		for i := 0; i < len(memory); i += 4096 {
			memory[i] = 1
		}
	}
	return response, nil
}

func (m *module) log(ctx context.Context, message string) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_ = m.host.Call(ctx, link.Method(abi.Method_METHOD_LOG), &abi.LogRequest{Message: []byte(message)}, nil)
}

// observation is what a module can read about itself and its surroundings.
type observation struct {
	PID, Session, Group, UID, GID int
	Groups                        []int
	Arguments, Environment        []string
	Folder                        string
	Umask                         int
	Descriptors                   map[int]string
	Input                         string
}

func observe() observation {
	o := observation{
		PID: os.Getpid(), Group: unix.Getpgrp(), UID: os.Getuid(), GID: os.Getgid(),
		Arguments: os.Args, Environment: os.Environ(), Descriptors: map[int]string{},
	}
	o.Session, _ = unix.Getsid(0)
	o.Groups, _ = os.Getgroups()
	o.Folder, _ = os.Getwd()
	o.Umask = unix.Umask(0)
	unix.Umask(o.Umask)
	for fd := range 1024 {
		if target, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); err == nil {
			o.Descriptors[fd] = target
		}
	}
	input, _ := io.ReadAll(os.Stdin)
	o.Input = string(input)
	return o
}
