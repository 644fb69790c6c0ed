package httpserver

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/narthex-platform/narthex/services/httpapi"
	_ "github.com/narthex-platform/narthex/services/httpserver/ginmode" // is initialised before gin
)

// newRouter makes a gin engine from the table. It disables gin's own features: redirects, cleaning of paths,
// its 404 and 405 texts, and decoding of the path before matching.
func newRouter(routes []httpapi.Route, pipeline *pipeline) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.HandleMethodNotAllowed = false
	engine.UseEscapedPath = true
	engine.UnescapePathValues = false // it would decode + as a space

	getOnly := make(map[string]bool)
	var below []fallback
	for _, route := range routes {
		path, names := ginPath(route.Path)
		chain := pipeline.run(route, names)
		handle := func(method string) {
			counted := counted(pipeline.meter, method, &route, chain)
			engine.Handle(method, path, counted)
			if route.Below {
				below = append(below, fallback{method, route.Path, chain, counted})
			}
		}
		handle(route.Method)
		if route.Head {
			handle(http.MethodHead)
		}
		if route.OthersNotAllowed {
			getOnly[route.Path] = true
		}
	}
	pipeline.unmatched = func(g *gin.Context) {
		if f := fallbackFor(g.Request, below); f != nil {
			f.chain(g)
			return
		}
		call := &httpapi.Call{Writer: g.Writer, Request: g.Request}
		if pipeline.absent == nil || !opensPage(g.Request) || pipeline.absent(call) != nil {
			httpapi.WriteError(g.Writer, httpapi.ErrNotFound)
		}
	}
	engine.NoRoute(func(g *gin.Context) {
		g.Status(http.StatusOK)         // gin has set 404
		defer g.Writer.WriteHeaderNow() // otherwise gin would write its own text below a 404 without a body
		if f := fallbackFor(g.Request, below); f != nil {
			f.counted(g)
			return
		}
		count := pipeline.meter.Route(meteredMethod(g.Request.Method), meterUnmatched)
		defer func() { count(g.Writer.Status(), 0) }()
		if getOnly[g.Request.URL.EscapedPath()] {
			header := g.Writer.Header()
			header.Set("Allow", http.MethodGet)
			header.Set("Cache-Control", "no-store")
			g.Writer.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		pipeline.unmatched(g)
	})
	return engine
}

// opensPage reports whether a browser asks for a page outside the API.
func opensPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && httpapi.AcceptsHTML(r) &&
		!strings.HasPrefix(r.URL.EscapedPath(), "/api/")
}

// fallback is a route with Below.
type fallback struct {
	method, path   string
	chain, counted gin.HandlerFunc
}

// fallbackFor returns the first of the fallbacks that match a request, or nil.
func fallbackFor(r *http.Request, below []fallback) *fallback {
	for i, f := range below {
		if r.Method == f.method && strings.HasPrefix(r.URL.EscapedPath(), f.path) {
			return &below[i]
		}
	}
	return nil
}

// ginPath converts {name} to gin's wildcard. Wildcards are named by position, because gin refuses different
// names at the same place of its tree.
func ginPath(path string) (ginned string, names []string) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}") {
			names = append(names, segment[1:len(segment)-1])
			segments[i] = ":" + strconv.Itoa(i)
		}
	}
	return strings.Join(segments, "/"), names
}

// parameters decodes the values of a path in place. ok is false for an empty segment: then the route does not
// match.
func parameters(params gin.Params, names []string) (lookup func(name string) string, ok bool) {
	for i := range names {
		value, err := url.PathUnescape(params[i].Value)
		if err != nil || value == "" {
			return nil, false
		}
		params[i].Value = value
	}
	return func(name string) string {
		for i := range names {
			if names[i] == name {
				return params[i].Value
			}
		}
		return ""
	}, true
}
