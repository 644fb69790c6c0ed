package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

const failed = `{"code":"MODULE_HANDLER_FAILED"}`

func TestResponsesThatAreNone(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/panic/0":            {500, failed},
		"/panic/100":          {500, failed},
		"/panic/60000":        {500, failed}, // nothing was sent before the panic
		"/status/199/10":      {500, failed},
		"/status/600/10":      {500, failed},
		"/status/199/100000":  {500, failed},
		"/status/204/10":      {204, ""},
		"/status/204/100000":  {204, ""},
		"/status/304/100000":  {304, ""},
		"/status/418/100000":  {418, pattern(100_000)},
		"/lies/10/20":         {200, pattern(20)}, // the platform counts the bytes of a short body
		"/lies/0/100000":      {500, failed},
		"/lies/70000/100000":  {500, failed},
		"/bytes/x":            {400, ""},
		"/bytes/%2e%2e%2f%00": {400, ""},
	} {
		if got := p.do("GET", path, nil); got.StatusCode != want.status || got.body != want.body || got.err != nil {
			t.Errorf("GET %s: status %v, want %v; body %.200q, want %.200q; err %v, want none",
				path, got.StatusCode, want.status, got.body, want.body, got.err)
		}
	}
	for _, path := range []string{"/panic/300000", "/lies/300001/300000",
		"/lies/270000/300000"} { // bytes were sent, so the response can only be cut off
		if got := p.do("GET", path, nil); got.err == nil {
			t.Errorf("GET %s: status %d, %d bytes, no error; want the response cut off", path, got.StatusCode,
				len(got.body))
		}
	}
	p.assertTold("error: GET /status/{status}/{count}: its status is 199")
	p.assertTold("error: GET /lies/{said}/{count}: its body is longer or shorter than its Content-Length of ")
	// net/http itself cuts off a response that is shorter than declared; only the platform logs it for the
	// operator.
	short := p.do("GET", "/lies/70000/50000", nil)
	p.eventually("a response shorter than declared is logged as cut off", func() bool {
		return p.logs.FilterMessage("response aborted").
			FilterField(zap.String("request_id", short.Header.Get("X-Request-Id"))).Len() == 1
	})
	for _, line := range p.logs.All() {
		if strings.Contains(line.Message, "hunter2") {
			t.Error("the module's text was logged")
		}
	}
	p.awaitFreeSockets(t)
}

// assertTold checks what the author of the module reads.
func (p *platform) assertTold(line string) {
	p.tb.Helper()
	if said := string(p.process.Output()); !strings.Contains(said, line) {
		p.tb.Errorf("the author reads %q, want %q in it", said, line)
	}
}

// TestDeadlines checks what becomes of a call in a real process whose time is over. deadline_test.go checks
// when it is.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	p := start(t, gateway.Limits{Response: limit})
	if got := p.do("GET", "/wait", nil); got.StatusCode != 500 || got.body != failed {
		t.Errorf("no response: status %d, want 500; body %s", got.StatusCode, got.body)
	}
	p.awaitModuleLog("wait: context canceled")
	p.assertTold("error: GET /wait: no response within 2s")

	p = start(t, gateway.Limits{Piece: limit})
	if got := p.do("GET", "/silent", nil); got.body != "begun" || got.err == nil {
		t.Errorf("no piece: body %q, error %v; want \"begun\" cut off", got.body, got.err)
	}
	p.awaitModuleLog("silent: context canceled")

	if testing.Short() {
		return // the last deadline is 20 s
	}
	stalled, err := p.client.Do(p.request(t.Context(), "GET", "/endless",
		nil)) // this client reads nothing, so its connection is closed
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Body.Close()
	p.awaitModuleLog("endless: nobody reads")
}

// TestAllBodySocketsBusy checks that small calls still succeed, and that a long body waits in vain. How long,
// TestBodyWaitsForASocket of modulehost/sdk/link checks.
func TestAllBodySocketsBusy(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	var held []*http.Response
	for range 32 {
		response, err := p.client.Do(p.request(t.Context(), "GET", "/events", nil))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, response)
	}
	var waiting sync.WaitGroup
	for _, r := range []*http.Request{
		p.request(t.Context(), "GET", "/bytes/100000", nil),
		p.request(t.Context(), "POST", "/echo", strings.NewReader(pattern(100_000))),
		p.request(t.Context(), "POST", "/upload", strings.NewReader("x")),
	} {
		waiting.Go(func() {
			got := p.send(r)
			if got.StatusCode != 503 || got.body != `{"code":"MODULE_OVERLOADED"}` ||
				got.Header.Get("Retry-After") != "1" {
				t.Errorf("%s: status %d; body %.80s, want 503 MODULE_OVERLOADED", r.URL.Path, got.StatusCode, got.body)
			}
		})
	}
	if got := p.do("GET", "/bytes/100", nil); got.StatusCode != 200 {
		t.Errorf("a small call: status %d, want 200; body %s", got.StatusCode, got.body)
	}
	waiting.Wait()
	for _, response := range held {
		_ = response.Body.Close()
	}
	p.awaitFreeSockets(t)
}

// TestProcessDiesUnderAResponse checks that the response is cut off, and that the next run serves requests.
func TestProcessDiesUnderAResponse(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	response, err := p.client.Do(p.request(t.Context(), "GET", "/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.pid(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("the response ended well")
	}
	_ = response.Body.Close()
	p.eventually("the next process responds",
		func() bool { return p.do("GET", "/bytes/100000", nil).StatusCode == 200 })
	p.awaitFreeSockets(t)
}

func TestCheckRoutes(t *testing.T) {
	const streamed, buffered = abi.BodyMode_BODY_MODE_STREAMED, abi.BodyMode_BODY_MODE_BUFFERED
	route := func(method, path, permission string, max int64, mode abi.BodyMode) *abi.Route {
		return &abi.Route{Method: method, Path: path, Permission: permission, MaxBodyBytes: max, BodyMode: mode}
	}
	probe := func(method, path string) *abi.Route {
		return &abi.Route{Method: method, Path: path, Permission: "p", Probe: true}
	}
	for name, row := range map[string]struct {
		routes []*abi.Route
		ok     bool
	}{
		"a probe":                 {[]*abi.Route{probe("GET", "/a"), route("GET", "/b", "p", 0, buffered)}, true},
		"two probes":              {[]*abi.Route{probe("GET", "/a"), probe("GET", "/b")}, false},
		"a probe that writes":     {[]*abi.Route{probe("POST", "/a")}, false},
		"a probe with a {name}":   {[]*abi.Route{probe("GET", "/a/{b}")}, false},
		"streamed at the ceiling": {[]*abi.Route{route("POST", "/a", "p", 32<<20, streamed)}, true},
		"streamed over it":        {[]*abi.Route{route("POST", "/a", "p", 32<<20+1, streamed)}, false},
		"buffered at the ceiling": {[]*abi.Route{route("POST", "/a", "p", 1<<20, buffered)}, true},
		"buffered over it":        {[]*abi.Route{route("POST", "/a", "p", 1<<20+1, buffered)}, false},
		"a negative limit":        {[]*abi.Route{route("POST", "/a", "p", -1, streamed)}, false},
		"another mode":            {[]*abi.Route{route("POST", "/a", "p", 1, 7)}, false},
		"another permission":      {[]*abi.Route{route("POST", "/a", "q", 1, buffered)}, false},
		"another method":          {[]*abi.Route{route("HEAD", "/a", "p", 0, buffered)}, false},
		"two of one shape": {[]*abi.Route{route("GET", "/{a}", "p", 0, buffered),
			route("GET", "/{b}", "p", 0, buffered)}, false},
		"two methods of one path": {[]*abi.Route{route("GET", "/{a}", "p", 0, buffered),
			route("PUT", "/{b}", "p", 0, buffered)}, true},
		"no slash":       {[]*abi.Route{route("GET", "a", "p", 0, buffered)}, false},
		"dots":           {[]*abi.Route{route("GET", "/..", "p", 0, buffered)}, false},
		"one name twice": {[]*abi.Route{route("GET", "/{a}/{a}", "p", 0, buffered)}, false},
	} {
		if err := gateway.CheckRoutes([]string{"p"}, row.routes); (err == nil) != row.ok {
			t.Errorf("%v: gateway.CheckRoutes: (err == nil) %v, want %v; error %v",
				name, (err == nil), row.ok, err)
		}
	}
}
