package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/cmd/narthex/platform"
	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/httpserver/httpservertest"
	"github.com/narthex-platform/narthex/services/principal"
)

// anonymousResolver saves the benchmarks the query of the session, which is the same with and without a
// module.
type anonymousResolver struct{}

func (anonymousResolver) Resolve(context.Context, *http.Request) (principal.Principal, error) {
	return principal.Person("somebody"), nil
}

// BenchmarkModuleRoute measures a small GET through a module's process, and the same handler inside the host,
// both behind the whole pipeline: compare ns/op of "module" and "host".
func BenchmarkModuleRoute(b *testing.B) {
	s := benchServer(b)
	inHost := httpapi.Route{
		Method: "GET", Path: "/api/v1/modules/base/inhost", Permission: "base.read",
		Handle: func(c *httpapi.Call) error {
			c.Writer.Header().Set("Content-Type", "application/json")
			_, err := io.WriteString(c.Writer, `{"plain":true}`)
			return err
		},
	}
	handler, err := httpserver.New(httpserver.Config{
		Routes:        append(s.Routes(), inHost),
		ClientAddress: clientaddress.New(s.Settings.ClientAddress),
		Resolver:      anonymousResolver{},
		Authorizer:    s.Authorization,
		Log:           zap.NewNop(),
	})
	if err != nil {
		b.Fatal(err)
	}
	address := httpservertest.Serve(b, handler)
	for _, connections := range []int{1, 32} {
		for _, side := range []struct{ name, path string }{{"host", inHost.Path},
			{"module", "/api/v1/modules/base/plain"}} {
			b.Run(fmt.Sprintf("connections=%d/%s", connections, side.name), func(b *testing.B) {
				httpservertest.Load(b, address, "GET "+side.path+" HTTP/1.1\r\nHost: localhost\r\n\r\n",
					"HTTP/1.1 200 OK", connections)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
			})
		}
	}
}

// BenchmarkStart1, 10 and 50 measure a whole start, from the manifests to the listener, with that many
// modules, each with an executable and a process of its own.
func BenchmarkStart1(b *testing.B)  { benchStart(b, 1) }
func BenchmarkStart10(b *testing.B) { benchStart(b, 10) }
func BenchmarkStart50(b *testing.B) { benchStart(b, 50) }

func benchStart(b *testing.B, modules int) {
	dir := b.TempDir()
	for n := range modules {
		installCopies(b, dir, "misbehaving", fmt.Sprintf("quiet-%02d", n))
	}
	settings := benchSettings(b, dir)
	for b.Loop() {
		s := platform.NewServer(settings,
			platform.Secrets{Lookup: func(string) (string, bool) { return "", false }}, zap.NewNop())
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		stopPlatform(b, s)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/start")
}

// stopPlatform stops a started platform.
func stopPlatform(b *testing.B, s *platform.Server) {
	ended, end := context.WithCancel(context.Background())
	end()
	if err := s.Wait(ended); err != nil {
		b.Error(err)
	}
}

// benchServer starts the platform with one module.
func benchServer(b *testing.B) *platform.Server {
	b.Helper()
	s := platform.NewServer(benchSettings(b, modulesDirectory(b, "base")),
		platform.Secrets{Lookup: func(string) (string, bool) { return "", false }}, zap.NewNop())
	if err := s.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stopPlatform(b, s) })
	return s
}

// benchSettings returns the settings of an installation with a database of its own and the given modules.
func benchSettings(b *testing.B, modules string) environment.Settings {
	b.Helper()
	db := databasetest.New(b)
	settings, err := environment.Load(func(name string) (string, bool) {
		value, found := map[string]string{
			"NODE_ENV":                  "development",
			"DATABASE_URL":              db.URL,
			"SERVICE_MODULES_DIR":       modules,
			"SERVICE_API_PORT":          "0",
			"SERVICE_IDENTITY_SECRET":   "8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
			"SERVICE_IDENTITY_BASE_URL": "http://localhost",
		}[name]
		return value, found
	}, environment.Everything)
	if err != nil {
		b.Fatal(err)
	}
	return settings
}
