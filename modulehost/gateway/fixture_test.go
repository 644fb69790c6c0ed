package gateway_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/buildtest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/leaktest"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/waittest"
)

var program string // path of the test module's executable

// TestMain builds the module as modules are built: static, and without the race detector.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "4") // the tests wait for deadlines; -parallel on the command line wins
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "gateway-test-")
		if err == nil {
			defer os.RemoveAll(folder)
			err = os.Chmod(folder, 0o755)
		}
		program = filepath.Join(folder, "module")
		if err = errors.Join(err, buildtest.Module(program, "./testdata/module")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return leaktest.Check(m.Run())
	}())
}

const (
	home = "https://church.example.org"
	root = "/api/v1/modules/sample"
)

// testIdentity accepts a request with the header "Test-Who: owner" as the owner's.
type testIdentity struct{}

func (testIdentity) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	if name := r.Header.Get("Test-Who"); name != "" {
		return principal.Person(name), nil
	}
	return principal.Principal{}, nil
}
func (testIdentity) Caller(p principal.Principal) httpapi.Caller { return caller{p} }

type caller struct{ who principal.Principal }

func (c caller) Principal() principal.Principal                { return c.who }
func (c caller) Allowed(context.Context, string) (bool, error) { return c.who.UserID == "owner", nil }

type noAddress struct{}

func (noAddress) Stamp(*http.Request) error { return nil }

// platform is a module's process behind the whole pipeline.
type platform struct {
	tb      testing.TB
	url     string
	process *process.Process
	said    *observer.ObservedLogs // logged by the module
	logs    *observer.ObservedLogs // logged by the pipeline
	client  *http.Client
	lent    *lentLanes
	memory  *hostmemory.Account
}

const memoryLimit = 1 << 40

// lentLanes counts the lanes that were lent for buffered requests.
type lentLanes struct {
	*process.Process
	taken, refused atomic.Int64
}

func (l *lentLanes) TakeLane(bytes int) *link.LaneBody {
	lane := l.Process.TakeLane(bytes)
	if lane == nil {
		l.refused.Add(1)
	} else {
		l.taken.Add(1)
	}
	return lane
}

func start(tb testing.TB, limits gateway.Limits) *platform {
	tb.Helper()
	return startBeside(tb, limits, nil)
}

// startBeside serves further routes together with the module's.
func startBeside(tb testing.TB, limits gateway.Limits, more []httpapi.Route) *platform {
	tb.Helper()
	return startOf(tb, program, limits, more)
}

// startProgram serves another program instead of the test module.
func startProgram(tb testing.TB, program string) *platform {
	tb.Helper()
	return startOf(tb, program, gateway.Limits{}, nil)
}

func startOf(tb testing.TB, program string, limits gateway.Limits, more []httpapi.Route) *platform {
	tb.Helper()
	core, said := observer.New(zap.InfoLevel)
	pipeline, logs := observer.New(zap.InfoLevel)
	host := facade.New(facade.Config{ModuleID: "sample", Log: zap.New(core)})
	module := process.New(process.Config{
		ModuleID: "sample", ModuleVersion: "1.0.0", Executable: program, Folder: filepath.Dir(program), Host: host,
		Log: zap.NewNop(),
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			_ = module.Serve(ctx)
		}
	}()
	tb.Cleanup(func() { stop(); <-ended })
	select {
	case <-module.Ready():
	case <-time.After(time.Minute):
		tb.Fatalf("not ready: %s", module.Output())
	}
	if err := gateway.CheckRoutes([]string{"sample.use"}, module.Routes()); err != nil {
		tb.Fatal(err)
	}
	lanes, memory := &lentLanes{Process: module}, hostmemory.New(memoryLimit)
	handler, err := httpserver.New(httpserver.Config{
		Routes: append(gateway.RoutesWithin(gateway.Module{ID: "sample", Process: lanes, Calls: host,
			Memory: memory, Tell: module.Tell}, limits), more...),
		TrustedOrigins: []environment.Origin{home},
		ClientAddress:  noAddress{},
		Resolver:       testIdentity{},
		Authorizer:     testIdentity{},
		Log:            zap.New(pipeline),
	})
	if err != nil {
		tb.Fatal(err)
	}
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler,
		Log: zap.NewNop()})
	serving, end := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = listener.Serve(serving)
	}()
	<-listener.Ready()
	// The client closes an idle connection after 2 s, before the platform does after 5 s.
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100,
		IdleConnTimeout: 2 * time.Second}}
	tb.Cleanup(func() { client.CloseIdleConnections(); end(); <-served })
	return &platform{
		tb: tb, url: "http://" + listener.Addr().String(), process: module, said: said, logs: logs, client: client,
		lent: lanes, memory: memory,
	}
}

func (p *platform) request(ctx context.Context, method, path string, body io.Reader) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, p.url+root+path, body)
	if err != nil {
		p.tb.Fatal(err)
	}
	r.Header.Set("Test-Who", "owner")
	r.Header.Set("Origin", home)
	// It is not sent. It lets the client repeat a request if the platform closes the idle connection first, as
	// it may on a machine that stands still for 5 s.
	r.Header["Idempotency-Key"] = nil
	return r
}

// result is a response, complete or as far as it was received.
type result struct {
	*http.Response
	body string
	err  error
}

func (p *platform) do(method, path string, body io.Reader) result {
	p.tb.Helper()
	return p.send(p.request(p.tb.Context(), method, path, body))
}

func (p *platform) send(r *http.Request) result {
	p.tb.Helper()
	response, err := p.client.Do(r)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	return result{response, string(b), err}
}

// awaitModuleLog waits for a line of the module's log.
func (p *platform) awaitModuleLog(text string) {
	p.tb.Helper()
	p.eventually("the module says: "+text, func() bool {
		for _, line := range p.said.All() {
			if line.ContextMap()["text"] == text {
				return true
			}
		}
		return false
	})
}

func (p *platform) eventually(what string, holds func() bool) {
	p.tb.Helper()
	waittest.Until(p.tb, what, holds)
}

// pattern returns the body of count bytes that the module's handler writes.
func pattern(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteByte(byte(i % 251))
	}
	return b.String()
}

// unsized hides the length of a body.
func unsized(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

// pid returns the process id of the module's process, a child of this process.
func (p *platform) pid(tb testing.TB) int {
	tb.Helper()
	pid, err := strconv.Atoi(p.do("GET", "/pid", nil).body)
	if err != nil {
		tb.Fatal(err)
	}
	return pid
}
