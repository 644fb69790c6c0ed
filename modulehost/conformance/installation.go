package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// installation is the module as clients reach it. Its process is started again whenever it ends, and is
// behind the platform's own pipeline on a local port.
type installation struct {
	*stage
	root    string // the beginning of every URL
	token   string // of the trial's callers, because every process of the machine can reach the port
	client  *http.Client
	leaving *http.Client // resets its connections when it closes them
	reached atomic.Int64 // requests that have reached the module
	serving atomic.Int64 // requests that the gateway handles now
	fault   fault

	mu      sync.Mutex
	entered func() // called when a request has reached the module; nil: none
	ends    []error

	cancels []func() // called by stop, in this order
}

const home = "https://conformance.invalid"

// install starts the module and listens.
func (t *trial) install(ctx context.Context) (_ *installation, err error) {
	i := &installation{stage: t.newStage(nil, nil), token: rand.Text(), fault: t.options.fault}
	defer func() {
		if err != nil {
			i.stop()
		}
	}()
	lost := i.supervise()
	select {
	case <-i.process.Ready():
	case err := <-lost:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return i, i.listen(t)
}

// supervise runs the process again whenever it has ended. It sends the first error of a process that was
// never ready.
func (i *installation) supervise() (lost <-chan error) {
	ctx, cancel := context.WithCancel(context.Background())
	done, first := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(done)
		for ctx.Err() == nil && !i.refused() {
			err := i.process.Serve(ctx)
			i.mu.Lock()
			i.ends = append(i.ends, err)
			i.mu.Unlock()
			select {
			case <-i.process.Ready():
			default:
				first <- err
				return
			}
			i.pause(ctx)
		}
	}()
	i.cancels = append(i.cancels, func() { cancel(); <-done })
	return first
}

// pause limits how often a process that dies in a loop is started.
func (i *installation) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Millisecond):
	}
}

// refused reports whether the host refuses to start the process again.
func (i *installation) refused() bool { return i.process.Status().State == process.Refused }

// lastError returns the error of the latest run; nil if none has ended.
func (i *installation) lastError() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.ends) == 0 {
		return nil
	}
	return i.ends[len(i.ends)-1]
}

// onEntry sets the function that is called when a request has reached the module.
func (i *installation) onEntry(do func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.entered = do
}

func (i *installation) listen(t *trial) error {
	m := t.module.Manifest
	rows := gateway.Routes(gateway.Module{ID: m.ID, Process: entrance{i}, Calls: i.facade, Memory: i.memory})
	for n := range rows {
		rows[n].Handle = t.answers.observe(m.ID, i, rows[n].Handle)
	}
	for _, channel := range i.process.Channels() {
		if hub, open := i.hubs.Hub(m.ID, channel.GetName()); open {
			rows = append(rows, gateway.ChannelRoute(m.ID, channel, hub))
		}
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes: rows, TrustedOrigins: []environment.Origin{home}, ClientAddress: gates{}, Log: zap.NewNop(),
		Resolver: gates{i, m}, Authorizer: gates{i, m},
	})
	if err != nil {
		return err
	}
	i.root, err = i.serveHTTP(handler)
	i.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16,
		IdleConnTimeout: 2 * time.Second}}
	i.leaving = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dialToReset}}
	i.cancels = append([]func(){i.client.CloseIdleConnections}, i.cancels...)
	return err
}

// serveHTTP listens on a free port until the installation stops.
func (i *installation) serveHTTP(handler http.Handler) (root string, err error) {
	listener := httpserver.NewListener(httpserver.ListenerConfig{Address: "127.0.0.1:0", Handler: handler,
		Draining: i.hubs.Drain, Log: zap.NewNop()})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- listener.Serve(ctx) }()
	select {
	case <-listener.Ready():
		i.cancels = append([]func(){func() { cancel(); <-served }}, i.cancels...)
		return "http://" + listener.Addr().String(), nil
	case err := <-served:
		cancel()
		return "", err
	}
}

// stop ends the listener, then the process, then the hubs.
func (i *installation) stop() {
	for _, end := range i.cancels {
		end()
	}
	i.stage.close()
}

// entrance is the process with the interface that the gateway uses. It counts the requests.
type entrance struct{ *installation }

// Routes returns the process's routes.
func (e entrance) Routes() []*abi.Route { return e.process.Routes() }

// TakeLane returns a lane of the process.
func (e entrance) TakeLane(bytes int) *link.LaneBody { return e.process.TakeLane(bytes) }

// Begin is the process's, and records the response.
func (e entrance) Begin(
	ctx context.Context, o link.Outgoing, complete func(*link.Outgoing) error,
) (*link.Exchange, error) {
	e.reached.Add(1)
	if seen, ok := ctx.Value(seenKey{}).(*seenAnswer); ok {
		seen.response, _ = o.Response.(*abi.HandleResponse)
	}
	x, err := e.process.Begin(ctx, o, complete)
	e.mu.Lock()
	entered := e.entered
	e.mu.Unlock()
	if err == nil && entered != nil {
		entered()
	}
	return x, err
}

// callerHeader identifies the sender of a trial's request: the token, a space and a name.
const callerHeader = "Conformance-Caller"

// The senders of requests.
const (
	theOwner = "owner"  // has every permission
	somebody = "person" // is signed in and has no grants
	nobody   = ""       // is not signed in
)

// gates provides the trial's callers to the pipeline.
type gates struct {
	installation *installation
	manifest     *manifest.Manifest
}

func (gates) Stamp(*http.Request) error { return nil }

// Resolve accepts a caller who sends the token.
func (g gates) Resolve(_ context.Context, r *http.Request) (principal.Principal, error) {
	token, name, _ := strings.Cut(r.Header.Get(callerHeader), " ")
	if token != g.installation.token || name == nobody {
		return principal.Principal{}, nil
	}
	return principal.Person(name), nil
}

// Caller returns the caller of a principal.
func (g gates) Caller(p principal.Principal) httpapi.Caller { return trialCaller{p, g} }

type trialCaller struct {
	who   principal.Principal
	gates gates
}

func (c trialCaller) Principal() principal.Principal { return c.who }

// Allowed grants the owner every permission, and somebody the permissions of all signed-in people.
func (c trialCaller) Allowed(_ context.Context, permission string) (bool, error) {
	if c.gates.installation.fault == everyoneAllowed || c.who.UserID == theOwner {
		return true, nil
	}
	return c.who.Kind == principal.Human && openToAll(c.gates.manifest, permission), nil
}

// openToAll reports whether all signed-in people have a permission.
func openToAll(m *manifest.Manifest, permission string) bool {
	for _, p := range m.Permissions {
		if p.ID == permission {
			return p.Baseline == manifest.BaselineAuthenticated
		}
	}
	return false
}

var errNotBack = errors.New("no process was ready again in time")

// awaitReady waits until a process is ready that was started after the first before runs.
func (i *installation) awaitReady(ctx context.Context, before int64) error {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Register+deadlines.Start)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		status := i.process.Status()
		switch {
		case status.Starts > before && status.State == process.Ready:
			return nil
		case status.State == process.Refused:
			return i.lastError()
		}
		select {
		case <-ctx.Done():
			return errors.Join(errNotBack, i.lastError())
		case <-tick.C:
		}
	}
}
