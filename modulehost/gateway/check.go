package gateway

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The largest limits that a route may declare (docs/reference/modules.md).
const (
	maxBuffered = 1 << 20
	maxStreamed = 32 << 20
)

var (
	literal   = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
	mediaType = regexp.MustCompile(`^[a-z0-9.+-]{1,64}/[a-z0-9.+-]{1,64}$`)
	wildcard  = regexp.MustCompile(`^\{[A-Za-z][A-Za-z0-9_]*\}$`)
)

// CheckRoutes refuses routes that cannot be rows of the route table: an invalid method, path, permission or
// limit, or two routes for the same requests. permissions are those of the module's manifest.
func CheckRoutes(permissions []string, routes []*abi.Route) error {
	declared := make(map[string]bool, len(permissions))
	for _, permission := range permissions {
		declared[permission] = true
	}
	seen := make(map[string]string, len(routes)) // path by shape
	probe := ""
	for _, route := range routes {
		shape, err := pathShape(route.GetPath())
		if err != nil {
			return err
		}
		name := fmt.Sprintf("route %.16s %s", route.GetMethod(), route.GetPath())
		key := route.GetMethod() + " " + shape
		switch first, twice := seen[key]; {
		case !isMethod(route.GetMethod()):
			return fmt.Errorf("%s: the method must be GET, POST, PUT, PATCH or DELETE", name)
		case !declared[route.GetPermission()]:
			return fmt.Errorf("%s: the permission %s is not declared in the manifest; add it to permissions in "+
				"module.json, or use one of: %s", name, quoted(route.GetPermission()), list(permissions))
		case !isBodyMode(route.GetBodyMode()):
			return fmt.Errorf("%s: the body mode must be buffered or streamed", name)
		case route.GetMaxBodyBytes() < 0 || route.GetMaxBodyBytes() > maxBody(route.GetBodyMode()):
			return fmt.Errorf("%s: its body limit is %d bytes; a buffered body is at most 1 MiB (%d), a streamed "+
				"one 32 MiB (%d)", name, route.GetMaxBodyBytes(), maxBuffered, maxStreamed)
		case twice:
			return fmt.Errorf("%s: route %s answers the same requests; remove one of them", name, first)
		case route.GetProbe() && (route.GetMethod() != http.MethodGet || strings.Contains(shape, "{")):
			return fmt.Errorf("%s: a probe must be a GET without {name} segments", name)
		case route.GetProbe() && probe != "":
			return fmt.Errorf("%s: %s is the probe already; a module has at most one", name, probe)
		case route.GetProbe():
			probe = name
		}
		switch feed := route.GetFeed(); {
		case feed == "":
		case route.GetMethod() != http.MethodGet || strings.Contains(shape, "{") || route.GetMaxBodyBytes() > 0:
			return fmt.Errorf("%s: a feed must be a GET without {name} segments and without a body", name)
		case !mediaType.MatchString(feed):
			return fmt.Errorf("%s: the media type of its feed must be as in text/calendar", name)
		}
		if other := overlapping(seen, route.GetMethod(), shape); other != "" {
			return fmt.Errorf("%s: some paths match it and route %s, and neither is more specific; change one of them",
				name, other)
		}
		seen[key] = route.GetMethod() + " " + route.GetPath()
	}
	return nil
}

// overlapping returns a route that matches some of the same paths as the shape while neither is more
// specific, by the rule of net/http's ServeMux; "" if there is none.
func overlapping(seen map[string]string, method, shape string) string {
	segments := strings.Split(shape, "/")
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		other, found := strings.CutPrefix(key, method+" ")
		if found && overlap(segments, strings.Split(other, "/")) {
			return seen[key]
		}
	}
	return ""
}

func overlap(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	aSpecific, bSpecific := false, false // in some segment
	for i := range a {
		switch {
		case a[i] == b[i]:
		case b[i] == "{}":
			aSpecific = true
		case a[i] == "{}":
			bSpecific = true
		default:
			return false
		}
	}
	return aSpecific && bSpecific
}

// quoted returns a name that the module has chosen, cut to fit into a line.
func quoted(name string) string { return fmt.Sprintf("%.100q", name) }

// list returns the first few names.
func list(names []string) string {
	const most = 8
	if len(names) == 0 {
		return "none is declared"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

func isMethod(method string) bool {
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
		return true
	}
	return false
}

func isBodyMode(mode abi.BodyMode) bool {
	return mode == abi.BodyMode_BODY_MODE_BUFFERED || mode == abi.BodyMode_BODY_MODE_STREAMED
}

func maxBody(mode abi.BodyMode) int64 {
	if mode == abi.BodyMode_BODY_MODE_STREAMED {
		return maxStreamed
	}
	return maxBuffered
}

// pathShape returns the path without the wildcards' names: two routes with the same shape match the same
// requests.
func pathShape(path string) (string, error) {
	if !strings.HasPrefix(path, "/") || len(path) > 512 {
		return "", fmt.Errorf("a route's path must begin with a slash and have at most 512 characters")
	}
	segments := strings.Split(path[1:], "/")
	names := make(map[string]bool)
	for i, segment := range segments {
		switch {
		case wildcard.MatchString(segment):
			if names[segment] {
				return "", fmt.Errorf("route %s: two segments have one name", path)
			}
			names[segment] = true
			segments[i] = "{}"
		case !literal.MatchString(segment) || segment == "." || segment == "..":
			return "", fmt.Errorf("route %s: a segment must be of letters, digits and ._~- or a {name}", path)
		}
	}
	return "/" + strings.Join(segments, "/"), nil
}
