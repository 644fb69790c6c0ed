package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/gateway"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/services/httpapi/httpapitest"
	"github.com/narthex-platform/narthex/services/principal"
)

// TestBytesReachTheHandler checks that path, query and headers reach a handler as they were sent, UTF-8 or
// not. A line that the handler logs with such a text is not lost.
func TestBytesReachTheHandler(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	request := p.request(t.Context(), "GET", "/raw/%FC%00%ED%A0%80", nil)
	request.URL.RawQuery = "q=%FC&\xfc=\xe2\x82"
	request.Header.Set("User-Agent", "SMART-TV T\xfcr")
	got := p.send(request)
	const want = `"\xfc\x00\xed\xa0\x80" "q=%FC&\xfc=\xe2\x82" "SMART-TV T\xfcr"`
	if got.StatusCode != 200 || got.body != want {
		t.Errorf("GET /raw: %d %s, want 200 %s", got.StatusCode, got.body, want)
	}
	p.awaitModuleLog("raw")
	for _, line := range p.said.FilterField(zap.String("text", "raw")).All() {
		attributes, _ := line.ContextMap()["attributes"].(map[string]string)
		if attributes["agent"] != "SMART-TV T\xfcr" {
			t.Errorf("the logged attributes are %v, want the agent", line.ContextMap()["attributes"])
		}
	}
}

// TestResponseHeaderBytes checks that a response's header keeps bytes that are not UTF-8, and that a header
// whose name has some is dropped.
func TestResponseHeaderBytes(t *testing.T) {
	t.Parallel()
	routes := startLinked(t, nil, &abi.HandleResponse{Status: http.StatusOK, Headers: []*abi.Header{
		{Name: []byte("X-Module-Agent"), Value: []byte("T\xfcr")},
		{Name: []byte("X-Module-\xfc"), Value: []byte("x")},
	}})
	w := take(t, routes, nil)
	if w.Code != http.StatusOK || w.Header().Get("X-Module-Agent") != "T\xfcr" ||
		w.Header()["X-Module-\xfc"] != nil {
		t.Errorf("%d with the headers %q, want 200 and X-Module-Agent unchanged", w.Code, w.Header())
	}
}

// TestAModuleOfAnOlderSDK checks that a module whose SDK decodes texts only, which declares no any_bytes,
// serves a client that sends other bytes in a header, and gets no path or query with such bytes.
func TestAModuleOfAnOlderSDK(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		anyBytes    bool
		target      string
		status      int
		agent, path string
	}{
		"older: header":     {false, "/get/a", 200, "", "/get/a"},
		"older: path":       {false, "/get/%FC", 400, "", ""},
		"older: query":      {false, "/get/a?\xfc", 400, "", ""},
		"older: percent":    {false, "/get/a?q=%FC", 200, "", "/get/a"},
		"any bytes: header": {true, "/get/a", 200, "T\xfcr", "/get/a"},
		"any bytes: path":   {true, "/get/%FC", 200, "T\xfcr", "/get/%FC"},
	} {
		var seen abi.HandleRequest
		routes := startServed(t, nil, &abi.Route{
			Method: "GET", Path: "/get/{id}", Permission: "sample.use", AnyBytes: row.anyBytes,
		}, func(payload []byte) proto.Message {
			if err := proto.Unmarshal(payload, &seen); err != nil {
				t.Error(err)
			}
			return &abi.HandleResponse{Status: http.StatusOK}
		})
		target, query, _ := strings.Cut(row.target, "?")
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, root+target, nil)
		r.URL.RawQuery = query
		r.Header.Set("User-Agent", "T\xfcr")
		w := httptest.NewRecorder()
		httpapitest.Serve(w, r, routes, caller{principal.Person("owner")})
		agent := ""
		for _, header := range seen.GetHeaders() {
			agent += string(header.GetValue())
		}
		if w.Code != row.status || agent != row.agent || string(seen.GetPath()) != row.path {
			t.Errorf("%s: status %d, the module saw the path %q and the agent %q; want %d, %q, %q", name, w.Code,
				seen.GetPath(), agent, row.status, row.path, row.agent)
		}
	}
}
