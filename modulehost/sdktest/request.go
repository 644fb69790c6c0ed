package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpserver"
	"github.com/narthex-platform/narthex/services/principal"
)

// listen serves the module behind the platform's own pipeline, on a local port.
func (m *Module) listen(host *facade.Facade) {
	m.tb.Helper()
	handler, err := httpserver.New(httpserver.Config{
		Routes: append(gateway.Routes(gateway.Module{
			ID:       m.manifest.ID,
			Process:  running{m},
			Calls:    host,
			HouseRev: func() int64 { return m.house().Rev },
			Links:    m.manifest.Link != nil,
			Tell:     func(line string) { fmt.Fprintln(os.Stderr, line) },
		}), m.streams...),
		TrustedOrigins: []environment.Origin{dashboard},
		ClientAddress:  requestGates{m},
		Resolver:       requestGates{m},
		Links:          requestGates{m},
		Authorizer:     requestGates{m},
		Log:            zap.NewNop(),
	})
	if err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
	listener := httpserver.NewListener(httpserver.ListenerConfig{
		Address:  "127.0.0.1:0",
		Handler:  handler,
		Draining: m.hubs.Drain,
		Log:      zap.NewNop(),
	})
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- listener.Serve(ctx) }()
	select {
	case <-listener.Ready():
	case err := <-served:
		m.tb.Fatal("sdktest: ", err)
	}
	m.browser = &http.Client{Transport: &http.Transport{}}
	m.origin = "http://" + listener.Addr().String()
	m.tb.Cleanup(func() {
		m.browser.CloseIdleConnections()
		end()
		<-served
	})
}

// dashboard is the origin of every caller's browser.
const dashboard = "https://dashboard.example.org"

// Response is an HTTP response with its whole body.
type Response struct {
	Status int
	Header http.Header
	Body   string

	module *Module
}

// String returns the text that a failing test prints.
func (r *Response) String() string { return fmt.Sprintf("%d %s", r.Status, r.Body) }

// JSON decodes the body into out, or fails the test.
func (r *Response) JSON(out any) {
	r.module.tb.Helper()
	if err := json.Unmarshal([]byte(r.Body), out); err != nil {
		r.module.tb.Fatalf("sdktest: the answer is no such JSON: %v: %s", err, r)
	}
}

// Do sends a request as the Dashboard would. path is the route's path, with a query if it has one; body is
// nil, JSON as a string or []byte, or a value to be encoded. Use Send for anything else.
func (c *Caller) Do(method, path string, body any) *Response {
	c.module.tb.Helper()
	var content []byte
	switch b := body.(type) {
	case nil:
	case string:
		content = []byte(b)
	case []byte:
		content = b
	default:
		var err error
		if content, err = json.Marshal(b); err != nil {
			c.module.tb.Fatal("sdktest: ", err)
		}
	}
	request := c.Request(method, path, bytes.NewReader(content))
	if body == nil {
		request = c.Request(method, path, nil)
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.Send(request)
}

// Request returns a request of the caller for Send, with the Dashboard's Origin where a browser would send
// one.
func (c *Caller) Request(method, path string, body io.Reader) *http.Request {
	c.module.tb.Helper()
	root := gateway.Prefix + c.module.manifest.ID
	if c.kind == principal.Link {
		root = gateway.LinkRoot(c.module.manifest.ID)
	}
	request, err := http.NewRequestWithContext(c.module.tb.Context(), method, c.module.origin+root+path, body)
	if err != nil {
		c.module.tb.Fatal("sdktest: ", err)
	}
	if !strings.HasPrefix(path, "/") {
		c.module.tb.Fatalf("sdktest: the path %q must begin with a slash", path)
	}
	if method != http.MethodGet && method != http.MethodHead {
		request.Header.Set("Origin", dashboard)
	}
	request.Header.Set(callerHeader, strconv.Itoa(c.number))
	return request
}

// Send sends a request and reads the whole response.
func (c *Caller) Send(request *http.Request) *Response {
	c.module.tb.Helper()
	response, err := c.module.browser.Do(request)
	if err != nil {
		c.module.tb.Fatal("sdktest: ", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.module.tb.Fatalf("sdktest: the answer was cut short: %v", err)
	}
	return &Response{Status: response.StatusCode, Header: response.Header, Body: string(body), module: c.module}
}
