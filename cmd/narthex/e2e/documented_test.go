package e2e

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/services/httpapi/openapitest"
)

// apiDocument describes every answer of the platform's own routes.
var apiDocument = sync.OnceValues(func() (*openapitest.Document, error) {
	return openapitest.Read(filepath.Join(repository, "docs/reference/openapi.yaml"))
})

// documented returns a transport that compares every answer of the platform with openapi.yaml. All clients of
// these tests use it.
func documented(t *testing.T, next http.RoundTripper) http.RoundTripper {
	t.Helper()
	document, err := apiDocument()
	if err != nil {
		t.Fatal(err)
	}
	return document.Transport(next, func(err error) { t.Errorf("not as openapi.yaml says: %v", err) })
}
