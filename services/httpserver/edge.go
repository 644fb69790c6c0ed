package httpserver

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// edge is what every request passes before the table: the headers every response carries, and CORS (contract.md §1).
type edge struct {
	trusted originSet
	router  http.Handler
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
	e.router.ServeHTTP(w, r)
}

// isPreflight leaves the health routes out: they answer every method but GET with 405 (spec.md § Health).
func isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" &&
		!strings.HasPrefix(r.URL.Path, "/api/v1/health/")
}

// preflight answers 204; only a trusted origin, which has its two headers already, is told what is allowed.
func (e *edge) preflight(w http.ResponseWriter) {
	header := w.Header()
	if _, trusted := header["Access-Control-Allow-Origin"]; trusted {
		header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
		header.Set("Access-Control-Allow-Headers", "Content-Type")
		header.Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
}

// newRequestID is unique, not secret: it only joins an answer to a log line.
func newRequestID() string {
	return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
}
