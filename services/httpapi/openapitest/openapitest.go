// Package openapitest compares answers of the platform's API with docs/reference/openapi.yaml. It is only for
// tests.
package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Document describes every answer of the platform's own routes. Routes of modules are not in it. Safe for
// concurrent use.
type Document struct {
	paths []path
}

type path struct {
	name     string
	segments []string
	item     *openapi3.PathItem
}

// Read reads and checks the document. Each of its answers has to say what its body is.
func Read(file string) (*Document, error) {
	loaded, err := openapi3.NewLoader().LoadFromFile(file)
	if err != nil {
		return nil, err
	}
	if err := loaded.Validate(openapi3.NewLoader().Context); err != nil {
		return nil, err
	}
	d := &Document{}
	closed := map[*openapi3.Schema]bool{}
	for _, name := range loaded.Paths.InMatchingOrder() {
		item := loaded.Paths.Value(name)
		d.paths = append(d.paths, path{name, strings.Split(name, "/"), item})
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				for kind, content := range response.Value.Content {
					if kind != "application/json" {
						continue
					}
					if content.Schema == nil {
						return nil, fmt.Errorf("%s %s: the answer %s has no schema", method, name, status)
					}
					closeObjects(content.Schema, closed)
				}
			}
		}
	}
	return d, nil
}

// closeObjects forbids every property that a schema does not declare. The document itself leaves objects
// open, because a later version may add a property, and a client must not mind.
func closeObjects(reference *openapi3.SchemaRef, closed map[*openapi3.Schema]bool) {
	if reference == nil || reference.Value == nil || closed[reference.Value] {
		return
	}
	schema := reference.Value
	closed[schema] = true
	open := schema.AdditionalProperties
	if len(schema.Properties) > 0 && open.Has == nil && open.Schema == nil {
		schema.AdditionalProperties.Has = new(bool)
	}
	closeObjects(schema.Items, closed)
	closeObjects(open.Schema, closed)
	for _, property := range schema.Properties {
		closeObjects(property, closed)
	}
	for _, alternatives := range []openapi3.SchemaRefs{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for _, alternative := range alternatives {
			closeObjects(alternative, closed)
		}
	}
}

// Check compares one answer with the document: its status, the type of its body, and a JSON body with its
// schema. Path is escaped and has no query.
func (d *Document) Check(method, path string, status int, header http.Header, body []byte) error {
	if err := d.check(method, path, status, header, body); err != nil {
		return fmt.Errorf("%s %s: %d %s: %w", method, path, status, body[:min(len(body), 2000)], err)
	}
	return nil
}

func (d *Document) check(method, path string, status int, header http.Header, body []byte) error {
	switch {
	case notPlatforms(path):
		return nil
	case header.Get("X-Request-Id") == "":
		return checkPlain(status, header, body)
	case method == http.MethodOptions && status == http.StatusNoContent:
		return checkEmpty(body)
	}
	operation := d.find(method, path)
	if operation == nil {
		if status == http.StatusMethodNotAllowed && header.Get("Allow") != "" {
			return checkEmpty(body)
		}
		if status != http.StatusNotFound || method != http.MethodHead && string(body) != `{"code":"NOT_FOUND"}` {
			return errors.New(`no such route, want 404 {"code":"NOT_FOUND"}`)
		}
		return nil
	}
	if method == http.MethodHead && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		return checkEmpty(body) // HEAD is for pages
	}
	declared := operation.Responses.Status(status)
	if declared == nil {
		return errors.New("the document does not declare this status")
	}
	if method == http.MethodHead || len(declared.Value.Content) == 0 {
		return checkEmpty(body)
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("Content-Type %q: %w", header.Get("Content-Type"), err)
	}
	content := declared.Value.Content[kind]
	if content == nil {
		return fmt.Errorf("the document does not declare the type %q", kind)
	}
	if content.Schema == nil {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	return content.Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.VisitAsResponse())
}

// notPlatforms reports whether a path belongs to a module or to "narthex dev", which answer in shapes of
// their own.
func notPlatforms(path string) bool {
	behind, found := strings.CutPrefix(path, "/api/v1/module-links/")
	byLink := found && strings.Contains(behind, "/api/")
	return strings.HasPrefix(path, "/api/v1/modules/") || byLink || strings.HasPrefix(path, "/_dev/")
}

// checkPlain checks an answer without a request id. Only the refusal of a request that is not valid HTTP, or
// did not arrive in time, has none.
func checkPlain(status int, header http.Header, body []byte) error {
	plain := []int{http.StatusBadRequest, http.StatusRequestTimeout, http.StatusRequestHeaderFieldsTooLarge}
	if !slices.Contains(plain, status) || header.Get("Content-Type") != "" {
		return errors.New("no X-Request-Id")
	}
	return checkEmpty(body)
}

func checkEmpty(body []byte) error {
	if len(body) > 0 {
		return errors.New("a body, want none")
	}
	return nil
}

// find returns the operation of a route, or nil. HEAD is answered as GET.
func (d *Document) find(method, escaped string) *openapi3.Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments := strings.Split(escaped, "/")
	for _, p := range d.paths {
		if slices.EqualFunc(p.segments, segments, matches) {
			return p.item.GetOperation(method)
		}
	}
	return nil
}

func matches(declared, got string) bool {
	return declared == got || strings.HasPrefix(declared, "{") && got != ""
}

// Transport checks every answer that passes through it, and reports those that differ. An answer of a proxy
// that stands between, which bears its Server header, is not the platform's.
func (d *Document) Transport(next http.RoundTripper, report func(error)) http.RoundTripper {
	return &transport{d, next, report}
}

type transport struct {
	document *Document
	next     http.RoundTripper
	report   func(error)
}

// RoundTrip reads a JSON answer whole. Others, which may be streams, are checked without their body.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil || response.Header.Get("X-Request-Id") == "" && response.Header.Get("Server") != "" {
		return response, err
	}
	var body []byte
	if kind := response.Header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "application/json") {
		body, err = io.ReadAll(response.Body)
		rest := io.MultiReader(bytes.NewReader(body), failing{err})
		response.Body = struct {
			io.Reader
			io.Closer
		}{rest, response.Body}
		if err != nil {
			return response, nil // the caller reads the error
		}
	}
	err = t.document.Check(request.Method, request.URL.EscapedPath(), response.StatusCode, response.Header, body)
	if err != nil {
		t.report(err)
	}
	return response, nil
}

// failing is a reader that ends with an error, or, if there is none, at once.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
