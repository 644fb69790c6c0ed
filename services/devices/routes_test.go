package devices_test

import (
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/devices"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// Every write checks its origin, and every route that is not for screens needs the permission.
func TestRouteGates(t *testing.T) {
	t.Parallel()
	service, err := devices.New(
		devices.Config{
			Store:    devices.NewStore(nil),
			Displays: &displays{},
			Limiter:  unlimited{},
			Log:      zap.NewNop(),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, route := range service.Routes() {
		listed = append(listed, route.Method+" "+route.Path+" "+route.Permission)
		if route.Method == "GET" {
			continue
		}
		if route.Origin != httpapi.TrustedOrigin || route.Body != httpapi.WholeBody || route.MaxBody != 16<<10 {
			t.Errorf("%s: %+v, want a trusted origin and a buffered body of at most 16 KiB", route.Path, route)
		}
	}
	want := []string{
		"POST /api/v1/device-pairing ",
		"GET /api/v1/device-pairing ",
		"POST /api/v1/device-pairing/claim ",
		"GET /api/v1/device-pairing/requests/{code} core.devices.manage",
		"POST /api/v1/device-pairing/{code}/approve core.devices.manage",
		"POST /api/v1/device-pairing/{code}/reject core.devices.manage",
		"GET /api/v1/devices core.devices.manage",
		"PUT /api/v1/devices/{id} core.devices.manage",
		"POST /api/v1/devices/{id}/revoke core.devices.manage",
	}
	if strings.Join(listed, "\n") != strings.Join(want, "\n") {
		t.Errorf("routes\n%s\nwant\n%s", strings.Join(listed, "\n"), strings.Join(want, "\n"))
	}
}

func TestNewNeedsAll(t *testing.T) {
	t.Parallel()
	whole := devices.Config{
		Store:    devices.NewStore(nil),
		Displays: &displays{},
		Limiter:  unlimited{},
		Log:      zap.NewNop(),
	}
	for i, lack := range []func(*devices.Config){
		func(c *devices.Config) { c.Store = nil },
		func(c *devices.Config) { c.Displays = nil },
		func(c *devices.Config) { c.Limiter = nil },
		func(c *devices.Config) { c.Log = nil },
	} {
		config := whole
		lack(&config)
		if _, err := devices.New(config); err == nil {
			t.Errorf("%d: a service came out of nothing", i)
		}
	}
}

func TestStatementsPrepare(t *testing.T) {
	t.Parallel()
	setup(t).PrepareAll(t, devices.Statements())
}
