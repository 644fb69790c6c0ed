package platform

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// askWithin limits each request.
const askWithin = 35 * time.Second

// ask requests the scripts and the probe of every running module.
func (r *rehearsing) ask(ctx context.Context) error {
	cookie, err := r.server.identity.OwnerSession(ctx)
	if err != nil {
		return StoreFailure(err)
	}
	if cookie == "" {
		r.warn("", "OWNER_MISSING", "Nobody owns the platform yet, so no module was asked to read.")
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	v := visitor{client: http.Client{Transport: transport, Timeout: askWithin},
		address: "http://" + r.server.Addr().String(), cookie: cookie}
	for n := range r.Modules {
		if module := &r.Modules[n]; module.Next.State == catalog.Running {
			r.askScripts(ctx, v, module)
			r.askRoutes(ctx, v, module)
		}
	}
	return ctx.Err()
}

func (r *rehearsing) askScripts(ctx context.Context, v visitor, module *RehearsedModule) {
	given, _ := r.modules.Module(module.ID)
	path := "/api/v1/module-ui/" + module.ID + "/" + module.Version
	var paths []string
	if given.UI != nil {
		paths = append(paths, path)
	}
	if given.Display != nil {
		paths = append(paths, path+"/display")
	}
	if given.Link != nil {
		paths = append(paths, path+"/link")
	}
	for _, path := range paths {
		status, _ := v.get(ctx, path)
		module.UI = append(module.UI, AskedScript{path, status})
		if status != http.StatusOK {
			r.fail(module.ID, "", fmt.Sprintf("%s was asked for its browser code and answered %d.", module.ID, status))
		}
	}
}

// askRoutes compares the module's routes with those of the installed module, and requests the read that it
// names for this, if it names one.
func (r *rehearsing) askRoutes(ctx context.Context, v visitor, module *RehearsedModule) {
	routes, _ := r.server.routesOf(module.ID)
	var before []*abi.Route
	var err error
	if installed := r.before[module.ID]; installed != nil && r.changed[module.ID] {
		before, err = r.server.registered(ctx, installed)
	}
	if err != nil {
		r.warn(module.ID, "", "The installed "+module.ID+" did not say which routes it has.")
	} else if r.changed[module.ID] {
		module.Changes.RoutesAdded, module.Changes.RoutesRemoved = differ(routeNames(before), routeNames(routes))
	}
	probe := slices.IndexFunc(routes, (*abi.Route).GetProbe)
	if probe < 0 || v.cookie == "" {
		return
	}
	status, code := v.get(ctx, gateway.Prefix+module.ID+routes[probe].GetPath())
	module.Read = &AskedRoute{routeName(routes[probe]), status}
	text := fmt.Sprintf("%s answered %d to %s.", module.ID, status, module.Read.Route)
	switch {
	case status == 0 || strings.HasPrefix(code, "MODULE_"): // the platform responded in the module's place
		r.fail(module.ID, code, text)
	case status >= http.StatusInternalServerError:
		r.warn(module.ID, code, text)
	}
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
	client  http.Client
	address string
	cookie  string // "": nobody is signed in
}

// get returns the status of a response, or 0 if there is none, and the code in it, if it has one.
func (v visitor) get(ctx context.Context, path string) (status int, code string) {
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
	var refusal struct {
		Code string `json:"code"`
	}
	const most = 64 << 10 // of a longer response the beginning is enough
	text, err := io.ReadAll(io.LimitReader(response.Body, most))
	switch {
	case response.StatusCode < http.StatusBadRequest:
	case err != nil:
		return 0, ""
	default:
		_ = json.Unmarshal(text, &refusal) // without a code if it is none of the platform's
	}
	return response.StatusCode, refusal.Code
}
