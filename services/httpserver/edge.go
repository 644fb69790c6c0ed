package httpserver

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// edge handles every request before the route table: the headers of every response, CORS, and the client's
// address (docs/reference/http-api.md).
type edge struct {
	trusted originSet
	clients ClientAddress
	router  http.Handler
	log     *zap.Logger

	preflights, unaddressed func(status int, took time.Duration) // count responses
}

var (
	nosniff    = []string{"nosniff"}
	varyOrigin = []string{"Origin"}
	allowTrue  = []string{"true"}
)

func (e *edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["X-Content-Type-Options"] = nosniff
	header["X-Request-Id"] = []string{newRequestID()}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		header["Vary"] = varyOrigin
		if origins := r.Header["Origin"]; len(origins) == 1 && e.trusted.has(origins[0]) {
			header["Access-Control-Allow-Origin"] = origins
			header["Access-Control-Allow-Credentials"] = allowTrue
		}
		if isPreflight(r) {
			e.preflight(w)
			return
		}
	}
	if !e.setClientAddress(w, r) {
		return
	}
	e.router.ServeHTTP(w, r)
}

// setClientAddress sets the internal address header and removes any that the client sent. If the client's
// address cannot be determined, it responds and returns false.
func (e *edge) setClientAddress(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, HealthRoutes) {
		delete(r.Header, clientaddress.Header)
		return true
	}
	err := e.clients.Stamp(r)
	if err == nil {
		return true
	}
	code := httpapi.WriteError(w, err)
	e.unaddressed(http.StatusServiceUnavailable, 0)
	e.log.Error("request failed", zap.String("code", code),
		zap.String("request_id", w.Header()["X-Request-Id"][0]), zap.String("cause", string(causeOf(code, err))))
	return false
}

// HealthRoutes begins the paths of the health checks. They need no client address, because probes of the
// machine do not come through the proxy.
const HealthRoutes = "/api/v1/health/"

// isPreflight returns false for the health routes, because they respond with 405 to every method except GET.
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != "" &&
		!strings.HasPrefix(r.URL.Path, HealthRoutes)
}

// preflight responds with 204. Only a trusted origin, for which ServeHTTP has already set its two headers,
// gets the allowed methods and headers.
func (e *edge) preflight(w http.ResponseWriter) {
	header := w.Header()
	if _, trusted := header["Access-Control-Allow-Origin"]; trusted {
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Content-Type")
		header.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
	e.preflights(http.StatusNoContent, 0)
}

// newRequestID returns an id that is unique but not secret: it connects a response with a log line.
func newRequestID() string {
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], rand.Uint64())
	binary.BigEndian.PutUint64(id[8:], rand.Uint64())
	return hex.EncodeToString(id[:])
}

// originSet is the list of trusted origins, each in the exact format of a browser's Origin header.
type originSet map[string]struct{}

func newOriginSet(origins []environment.Origin) originSet {
	set := make(originSet, len(origins))
	for _, origin := range origins {
		set[string(origin)] = struct{}{}
	}
	return set
}

func (s originSet) has(origin string) bool {
	_, found := s[origin]
	return found
}

// trusts requires exactly one Origin header. The Referer header is never consulted.
func (s originSet) trusts(r *http.Request) bool {
	origins := r.Header["Origin"]
	return len(origins) == 1 && s.has(origins[0])
}
