// Package sdktest owns the platform that a module's own tests run in: the host's real side of the module
// link, its real gates before every request, and a real PostgreSQL in which the module has its own role and
// migrations; for what it declares or uses, buckets on an S3 service, a mail server and the hubs of its
// channels. The module itself runs in the test's process, so that the race detector, a debugger and
// coverage see it. What it lacks is the sandbox and a process of its own, which are seen under make dev,
// and an S3 service that checks signatures.
//
// What seldom fails, a test makes fail by one line: FailStorage, SlowStorage, CutObjects, FailMail,
// LoseDatabase, LoseLink, FailPermissions, FailCapability, FailNames, Overload, Caller.Leave, Caller.Revoke.
// The module sees what the platform would give it. Advance moves the clock of what is done regularly.
//
//	func TestMain(m *testing.M) { sdktest.Main(m) }
//
//	func TestNotes(t *testing.T) {
//		m := sdktest.Start(t, &notes{}, sdktest.Options{})
//		office := m.Person("notes.write")
//		if got := office.Do("POST", "/notes", `{"text":"Key is at Ruth's"}`); got.Status != 201 {
//			t.Error(got)
//		}
//	}
package sdktest

import (
	"context"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/realtime"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/schedule"
)

// Main is the TestMain of a module's tests: it runs them, stops the PostgreSQL that they shared, looks for
// goroutines that the module has left behind after Stop, and exits.
func Main(m *testing.M) { databasetest.Main(m) }

// Options are what a deployment would decide. The zero value has no settings.
type Options struct {
	// Folder holds module.json; its name is the module's id. "": the test's own, where Go runs it.
	Folder string
	// Configuration is what an administrator has set: string, int, int64 or bool. Every other key has the
	// manifest's default.
	Configuration map[string]any
	// Secrets is what the deployment supplies, by the manifest's keys.
	Secrets map[string]string
	// Capabilities stand in for the modules that this one depends on. One that is not here is absent.
	Capabilities map[string]sdk.Methods
}

// Module is one that runs, until its test ends. Its methods fail the test rather than return what is the
// test's own mistake.
type Module struct {
	tb         testing.TB
	manifest   *manifest.Manifest
	host       *facade.Facade
	current    atomic.Pointer[life]
	routes     []*abi.Route
	registered *abi.RegisterResponse
	streams    []httpapi.Route // of its channels
	hubs       *realtime.Hubs
	buckets    map[string]facade.Bucket
	faulty     map[string]facade.Bucket // the same, as the module gets them
	faults     faults
	start      *abi.StartRequest
	db         *databasetest.DB // nil: the module needs none
	role       string           // of the module in it
	scheduled  *scheduled
	schedules  *schedule.Service // nil: the module declared none
	mailServer *mailServer
	callers    callers
	lines      lines
	address    string
	browser    *http.Client
}

// Start registers and starts the module as the platform does, in a new database and with new buckets if the
// manifest declares them, and stops it when the test ends. It fails the test where the platform would
// refuse the module: for its manifest, its migrations, its registration, a required key that has no value,
// or its Start hook. Tests may be parallel: each has all of this for itself.
func Start(tb testing.TB, module sdk.Module, options Options) *Module {
	tb.Helper()
	folder, err := filepath.Abs(options.Folder)
	if err != nil {
		tb.Fatal("sdktest: ", err)
	}
	sources, err := catalog.Sources(folder, abi.PlatformVersion)
	if err != nil {
		tb.Fatal("sdktest: ", err)
	}
	m := &Module{tb: tb, manifest: sources.Manifest, hubs: realtime.New(zap.NewNop(), nil),
		mailServer: newMailServer(tb), faults: faults{cutAfter: -1}}
	settings := m.settings(options.Configuration)
	m.openBuckets()
	config := facade.Config{
		ModuleID:     m.manifest.ID,
		Secrets:      m.secrets(options.Secrets),
		Capabilities: capabilityRouter{m.manifest, &m.faults, options.Capabilities},
		Buckets:      m.faulty,
		Mail:         m.mailServer,
		Realtime:     m.hubs,
		Log:          m.lines.open(),
	}
	m.database(sources, &config)
	if m.manifest.People {
		config.People = directory{m}
	}
	m.host = facade.New(config)
	m.start = &abi.StartRequest{Database: m.manifest.Database != nil, Configuration: settings}
	tb.Cleanup(m.disconnectLink)
	m.connect(module)
	m.registered = m.register()
	m.routes = m.registered.GetRoutes()
	m.openChannels(m.host, m.registered.GetChannels())
	tb.Cleanup(m.stop)
	m.call(process.StartWithin, abi.Method_METHOD_START, m.start, &abi.StartResponse{})
	m.openSchedules(m.registered.GetSchedules())
	m.listen(m.host)
	return m
}

// register is the handshake, and the platform's judgement of it.
func (m *Module) register() *abi.RegisterResponse {
	m.tb.Helper()
	var registered abi.RegisterResponse
	m.call(process.RegisterWithin, abi.Method_METHOD_REGISTER, &abi.RegisterRequest{
		Abi:             abi.Version,
		ModuleId:        m.manifest.ID,
		ModuleVersion:   m.manifest.Version.String(),
		PlatformVersion: abi.PlatformVersion,
	}, &registered)
	permissions := make([]string, len(m.manifest.Permissions))
	for i, permission := range m.manifest.Permissions {
		permissions[i] = permission.ID
	}
	if err := gateway.CheckRoutes(permissions, registered.GetRoutes()); err != nil {
		m.tb.Fatal("sdktest: MODULE_REGISTER_FAILED: ", err)
	}
	if err := gateway.CheckChannels(permissions, registered.GetChannels()); err != nil {
		m.tb.Fatal("sdktest: MODULE_REGISTER_FAILED: ", err)
	}
	if err := facade.CheckCapabilities(m.manifest.Provides, registered.GetCapabilities()); err != nil {
		m.tb.Fatal("sdktest: MODULE_REGISTER_FAILED: ", err)
	}
	if err := schedule.Check(registered.GetSchedules()); err != nil {
		m.tb.Fatal("sdktest: MODULE_REGISTER_FAILED: ", err)
	}
	return &registered
}

// stop runs the stop hook. Its context is a new one: the test's has ended.
func (m *Module) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), process.StopWithin)
	defer cancel()
	if m.current.Load() == nil {
		return // the test has lost the link
	}
	if err := m.run().client.Call(ctx, link.Method(abi.Method_METHOD_STOP), &abi.StopRequest{},
		&abi.StopResponse{}); err != nil {
		m.tb.Error("sdktest: the Stop hook failed: ", err)
	}
}

// call makes one of the calls without which there is nothing to test.
func (m *Module) call(within time.Duration, method abi.Method, request, response proto.Message) {
	m.tb.Helper()
	ctx, cancel := context.WithTimeout(m.tb.Context(), within)
	defer cancel()
	if err := m.run().client.Call(ctx, link.Method(method), request, response); err != nil {
		m.tb.Fatalf("sdktest: %s failed: %v", method, err)
	}
}
