package platform

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// askWithin limits each request, and the wait until the platform is ready.
const askWithin = 35 * time.Second

// ask waits until the platform is ready, and requests the scripts and the probe of every running module.
func (r *rehearsing) ask(ctx context.Context) error {
	v := &visitor{address: "http://" + r.server.Addr().String()}
	transport := &http.Transport{DialContext: (&net.Dialer{Timeout: askWithin}).DialContext}
	defer transport.CloseIdleConnections()
	v.client = &http.Client{Transport: transport, Timeout: askWithin}
	if err := v.awaitReady(ctx); err != nil {
		if ctx.Err() == nil {
			r.fail("", "NOT_READY", "The platform was not ready after its start.")
		}
		return ctx.Err()
	}
	cookie, err := r.server.identity.OwnerSession(ctx)
	if err != nil {
		return StoreFailure(err)
	}
	if v.cookie = cookie; cookie == "" {
		r.warn("", "OWNER_MISSING", "Nobody owns the platform yet, so no module was asked to read.")
	}
	for n := range r.Modules {
		module := &r.Modules[n]
		if module.Next.State != catalog.Running {
			continue
		}
		r.askScripts(ctx, v, module)
		if err := r.askRoutes(ctx, v, module); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (r *rehearsing) askScripts(ctx context.Context, v *visitor, module *RehearsedModule) {
	installed, _ := r.modules.Module(module.ID)
	path := "/api/v1/module-ui/" + module.ID + "/" + module.Version
	var paths []string
	if installed.UI != nil {
		paths = append(paths, path)
	}
	if installed.Display != nil {
		paths = append(paths, path+"/display")
	}
	for _, path := range paths {
		status, _ := v.get(ctx, path)
		module.UI = append(module.UI, AskedScript{path, status})
		if status != http.StatusOK && ctx.Err() == nil {
			r.fail(module.ID, "", fmt.Sprintf("%s was asked for its browser code and answered %d.", module.ID, status))
		}
	}
}

// askRoutes requests the probe, and compares the module's routes with those of the installed module.
func (r *rehearsing) askRoutes(ctx context.Context, v *visitor, module *RehearsedModule) error {
	routes, running := r.server.routesOf(module.ID)
	if !running {
		return nil
	}
	if r.given.changed[module.ID] {
		var before []string
		if installed := r.given.before[module.ID]; installed != nil {
			registered, err := r.server.registered(ctx, installed)
			if err != nil && ctx.Err() == nil {
				r.warn(module.ID, "", "The installed "+module.ID+" did not say which routes it has.")
			}
			if err != nil {
				return ctx.Err()
			}
			before = routeNames(registered)
		}
		module.Changes.RoutesAdded, module.Changes.RoutesRemoved = differ(before, routeNames(routes))
	}
	route := probeOf(routes)
	if route == nil || v.cookie == "" {
		return nil
	}
	status, code := v.get(ctx, gateway.Prefix+module.ID+route.GetPath())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	module.Read = &AskedRoute{routeName(route), status, code}
	text := fmt.Sprintf("%s answered %d to %s.", module.ID, status, module.Read.Route)
	switch {
	case status == 0 || strings.HasPrefix(code, "MODULE_"): // the platform responded in the module's place
		r.fail(module.ID, code, text)
	case status >= http.StatusInternalServerError:
		r.warn(module.ID, code, text)
	}
	return nil
}

// probeOf returns the read that the module names for such a request; nil if it names none.
func probeOf(routes []*abi.Route) *abi.Route {
	for _, route := range routes {
		if route.GetProbe() {
			return route
		}
	}
	return nil
}

func routeNames(routes []*abi.Route) (names []string) {
	for _, route := range routes {
		names = append(names, routeName(route))
	}
	return names
}

func routeName(route *abi.Route) string { return route.GetMethod() + " " + route.GetPath() }

// visitor sends requests to the rehearsed platform.
type visitor struct {
	client  *http.Client
	address string
	cookie  string
}

// get returns the status of a response, or 0 if there is none, and the code in it, if it has one.
func (v *visitor) get(ctx context.Context, path string) (status int, code string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+path, nil)
	if err != nil {
		return 0, ""
	}
	if v.cookie != "" {
		request.Header.Set("Cookie", v.cookie)
	}
	response, err := v.client.Do(request)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = response.Body.Close() }()
	const most = 64 << 10 // if a response is longer, its beginning is enough
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil && response.StatusCode != http.StatusOK {
		return 0, ""
	}
	var refusal struct {
		Code string `json:"code"`
	}
	if response.StatusCode >= http.StatusBadRequest && json.Unmarshal(text, &refusal) == nil {
		code = refusal.Code
	}
	return response.StatusCode, code
}

func (v *visitor) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	next := time.NewTicker(100 * time.Millisecond)
	defer next.Stop()
	for {
		if status, _ := v.get(ctx, "/api/v1/health/ready"); status == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-next.C:
		}
	}
}
