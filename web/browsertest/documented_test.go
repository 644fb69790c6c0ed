package browsertest

import (
	"bytes"
	"net/http"
	"strings"
	"sync"

	"github.com/narthex-platform/narthex/services/httpapi/openapitest"
)

// apiDocument is the description of the platform's API.
var apiDocument = sync.OnceValues(func() (*openapitest.Document, error) {
	return openapitest.Read("../../docs/reference/openapi.yaml")
})

// checkedResponse keeps a response, so that it can be compared with the document.
type checkedResponse struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// Unwrap lets streams be flushed.
func (c *checkedResponse) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *checkedResponse) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *checkedResponse) Write(text []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	_, _ = c.body.Write(text)
	return c.ResponseWriter.Write(text)
}

// check compares the response with the document. Responses without a request id are not the platform's.
func (c *checkedResponse) check(r *http.Request) error {
	if c.status == 0 || c.Header().Get("X-Request-Id") == "" ||
		!strings.HasPrefix(c.Header().Get("Content-Type"), "application/json") {
		return nil
	}
	document, err := apiDocument()
	if err != nil {
		return err
	}
	return document.Check(r.Method, r.URL.EscapedPath(), c.status, c.Header(), c.body.Bytes())
}
