package gateway

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The most that a route may declare (docs/reference/modules.md).
const (
	maxBuffered = 1 << 20
	maxStreamed = 32 << 20
)

var (
	literal  = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)
	wildcard = regexp.MustCompile(`^\{[A-Za-z][A-Za-z0-9_]*\}$`)
)

// CheckRoutes refuses a registration that the table could not hold: a method, path, permission or limit
// outside the rules, or two routes that serve the same requests. permissions are those of the module's
// manifest.
func CheckRoutes(permissions []string, routes []*abi.Route) error {
	declared := make(map[string]bool, len(permissions))
	for _, permission := range permissions {
		declared[permission] = true
	}
	seen := make(map[string]bool, len(routes))
	for _, route := range routes {
		shape, err := pathShape(route.GetPath())
		if err != nil {
			return err
		}
		key := route.GetMethod() + " " + shape
		switch {
		case !isMethod(route.GetMethod()):
			return fmt.Errorf("route %s: the method must be GET, POST, PUT, PATCH or DELETE", route.GetPath())
		case !declared[route.GetPermission()]:
			return fmt.Errorf("route %s: the permission is not declared in the manifest", route.GetPath())
		case !isBodyMode(route.GetBodyMode()):
			return fmt.Errorf("route %s: the body mode must be buffered or streamed", route.GetPath())
		case route.GetMaxBodyBytes() < 0 || route.GetMaxBodyBytes() > maxBody(route.GetBodyMode()):
			return fmt.Errorf("route %s: a buffered body is at most 1 MiB, a streamed one 32 MiB", route.GetPath())
		case seen[key]:
			return fmt.Errorf("route %s: another route answers the same", route.GetPath())
		}
		seen[key] = true
	}
	return nil
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

// pathShape is the path without the wildcards' names: two routes of one shape answer the same requests.
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
