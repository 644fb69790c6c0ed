// Package sdktest runs a module in its own tests, with the host's real side of the module link, its real
// gates before every request, and a real PostgreSQL in which the module has its own role and migrations. If
// the module declares or uses them, there are also buckets on an S3 service, a mail server and the hubs of
// its channels. The module itself runs in the test's process, so that the race detector, a debugger and
// coverage include it. It has no sandbox and no process of its own, and the S3 service does not check
// signatures; make dev runs a module with all of these.
//
// A test can cause rare failures with one line: FailStorage, SlowStorage, CutObjects, FailMail, LoseDatabase,
// LoseLink, FailPermissions, FailCapability, FailNames, Overload, Caller.Disconnect, Caller.Revoke. The
// module gets the error that the platform would return. Advance moves the clock of the module's schedules.
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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/schedule"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Main is the TestMain of a module's tests: it runs them, stops the PostgreSQL that they shared, fails if
// the module has left goroutines behind after Stop, and exits. Time zones come from Go's own table, as in
// the sandbox, where a module cannot read the machine's: both tables name the same clock, but not with the
// same entries.
func Main(m *testing.M) {
	if err := os.Setenv("ZONEINFO", zoneTable()); err != nil {
		panic(err)
	}
	databasetest.Main(m)
}

// Run is Main for a program that is no test binary. It returns what run returns, and looks for no goroutines.
func Run(run func() int) int {
	if err := os.Setenv("ZONEINFO", zoneTable()); err != nil {
		panic(err)
	}
	return databasetest.Run(run)
}

// zoneTable returns the file from which package time/tzdata is made.
func zoneTable() string {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "" // without the go command, the machine's own table has to do
	}
	return filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip")
}

// Options are the settings of a deployment. The zero value has none.
type Options struct {
	// Folder contains module.json; its name is the module's id. The default is the directory of the test.
	Folder string
	// Configuration holds the values that an administrator has set: string, int, int64 or bool. Every other key
	// has the manifest's default.
	Configuration map[string]any
	// Secrets holds the deployment's secrets, by the manifest's keys.
	Secrets map[string]string
	// TimeZone is the house's, such as Europe/Berlin; SetTimeZone changes it. The default is none, which is UTC.
	TimeZone string
	// Capabilities are stand-ins for the modules that this one depends on. A capability that is missing here is
	// absent.
	Capabilities map[string]sdk.Methods
}

// Module is a module that runs until its test ends. A mistake in the test, such as an unknown bucket, fails
// the test instead of causing an error.
type Module struct {
	tb         testing.TB
	manifest   *manifest.Manifest
	host       *facade.Facade
	current    atomic.Pointer[life]
	routes     []*abi.Route
	registered *abi.RegisterResponse
	streams    []httpapi.Route // the streams of its channels
	hubs       *hub.Hubs
	buckets    map[string]facade.Bucket
	faulty     map[string]facade.Bucket // the same buckets with the test's faults, for the module
	faults     faults
	counter    counter
	start      *abi.StartRequest
	db         *databasetest.DB // nil: the module declares no database
	role       string           // the module's role in it
	scheduled  *scheduled
	schedules  *schedule.Service // nil: the module declared no schedules
	mailServer *mailServer
	callers    callers
	lines      lines
	houseNow   atomic.Pointer[facade.House]
	links      links
	origin     string // of its routes
	browser    *http.Client
}

// Start registers and starts the module as the platform does, in a new database and with new buckets if the
// manifest declares them, and stops it when the test ends. It fails the test if the platform would refuse the
// module because of its manifest, its migrations, its registration, a required key without a value, or its
// Start hook. Tests may be parallel: each has its own database and buckets.
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
	m := &Module{tb: tb, manifest: sources.Manifest, hubs: hub.New(zap.NewNop(), nil),
		mailServer: newMailServer(tb), faults: faults{cutAfter: -1}}
	m.SetTimeZone(options.TimeZone)
	settings := m.settings(options.Configuration)
	m.openBuckets()
	config := facade.Config{
		ModuleID:     m.manifest.ID,
		Secrets:      m.secrets(options.Secrets),
		Capabilities: capabilityRouter{m.manifest, &m.faults, options.Capabilities},
		Buckets:      m.faulty,
		Mail:         m.mailServer,
		Realtime:     m.hubs,
		House:        m.house,
		Log:          m.lines.open(),
	}
	m.database(sources, &config)
	if m.manifest.People {
		config.People = directory{m}
	}
	if m.manifest.Link != nil {
		config.Links = &m.links
	}
	m.host = facade.New(config)
	m.start = &abi.StartRequest{Database: m.manifest.Database != nil, Configuration: settings,
		Declared: facade.Declared(m.manifest)}
	tb.Cleanup(m.disconnectLink)
	m.connect(module)
	m.registered = m.register()
	m.routes = m.registered.GetRoutes()
	m.openChannels(m.host, m.registered.GetChannels())
	tb.Cleanup(m.stop)
	m.call(deadlines.Start, abi.Method_METHOD_START, m.start, &abi.StartResponse{})
	m.openSchedules(m.registered.GetSchedules())
	m.listen(m.host)
	return m
}

// register makes the handshake and applies the platform's checks to the registration.
func (m *Module) register() *abi.RegisterResponse {
	m.tb.Helper()
	var registered abi.RegisterResponse
	m.call(deadlines.Register, abi.Method_METHOD_REGISTER, &abi.RegisterRequest{
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

// stop calls the Stop hook. It uses a new context, because the test's has ended.
func (m *Module) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), deadlines.Stop)
	defer cancel()
	if m.current.Load() == nil {
		return // the test has cut the link
	}
	if err := m.run().client.Call(ctx, link.Method(abi.Method_METHOD_STOP), &abi.StopRequest{},
		&abi.StopResponse{}); err != nil {
		m.tb.Error("sdktest: the Stop hook failed: ", err)
	}
}

// call makes a call and fails the test if it fails.
func (m *Module) call(within time.Duration, method abi.Method, request, response proto.Message) {
	m.tb.Helper()
	ctx, cancel := context.WithTimeout(m.tb.Context(), within)
	defer cancel()
	if err := m.run().client.Call(ctx, link.Method(method), request, response); err != nil {
		m.tb.Fatalf("sdktest: %s failed: %v", method, err)
	}
}
