package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/gateway"
)

const (
	tooLarge = `{"code":"REQUEST_BODY_TOO_LARGE"}`
	aborted  = `{"code":"REQUEST_INVALID"}`
)

func TestOverflowOfAStreamedBody(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for name, row := range map[string]struct {
		path string
		body io.Reader
		said string
	}{
		"one byte over":             {"/upload", unsized(pattern(1<<20 + 1)), "upload too large: 1048576"},
		"the handler swallows it":   {"/swallow", unsized(pattern(1001)), ""},
		"far over":                  {"/swallow", unsized(pattern(10 << 20)), ""},
		"declared, so nothing runs": {"/swallow", strings.NewReader(pattern(1001)), ""},
		"buffered, so nothing runs": {"/ignored", unsized(pattern(1<<20 + 1)), ""},
		"declared for a buffered":   {"/ignored", strings.NewReader(pattern(1<<20 + 1)), ""},
	} {
		got := p.do("POST", row.path, row.body)
		if got.StatusCode != 413 || got.body != tooLarge || !got.Close ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %.80q, close %v", name, got.StatusCode, got.body, got.Close)
		}
		if row.said != "" {
			p.awaitModuleLog(row.said)
		}
	}
	if got := p.do("POST", "/swallow", unsized(pattern(1000))); got.StatusCode != 200 ||
		got.body != pattern(300<<10) {
		t.Errorf("at the limit: %d, %d bytes", got.StatusCode, len(got.body))
	}
	p.awaitFreeSockets(t)
}

// raw writes a request by hand.
func (p *platform) raw(t *testing.T, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func post(path, headers string) string {
	return "POST " + root + path + " HTTP/1.1\r\nHost: x\r\nOrigin: " + home + "\r\n" + headers + "\r\n"
}

const owner = "Test-Who: owner\r\n"

// TestNothingIsReadBeforeTheHandlerReads checks that a client that waits for 100 Continue gets a response
// that depends on whether the handler reads its body.
func TestNothingIsReadBeforeTheHandlerReads(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	const expect = "Expect: 100-continue\r\nContent-Length: 5\r\n"
	for name, row := range map[string]struct{ path, who, first string }{
		"a handler that reads":    {"/upload", owner, "HTTP/1.1 100 Continue"},
		"a handler that does not": {"/unread", owner, "HTTP/1.1 200 OK"},
		"nobody may":              {"/upload", "", "HTTP/1.1 401 Unauthorized"},
		"somebody else":           {"/upload", "Test-Who: member\r\n", "HTTP/1.1 403 Forbidden"},
		"a body that is too long": {"/upload", owner + "Content-Length: 1048577\r\n",
			"HTTP/1.1 413 Request Entity Too Large"},
		"a buffered body is read":    {"/echo", owner, "HTTP/1.1 100 Continue"},
		"but not that of a stranger": {"/echo", "", "HTTP/1.1 401 Unauthorized"},
	} {
		headers := row.who + expect
		if strings.Contains(row.who, "Content-Length") {
			headers = row.who + "Expect: 100-continue\r\n"
		}
		conn, response := p.raw(t, post(row.path, headers))
		line, err := response.ReadString('\n')
		if strings.TrimSpace(line) != row.first {
			t.Errorf("POST %s, %s: first line %.200q, error %v; want %.200q", row.path, name,
				strings.TrimSpace(line), err, row.first)
		}
		_ = conn.Close()
	}
}

// TestUnreadBodyIsCancelled checks that the response does not wait for a body that the handler does not read,
// and that the connection is closed.
func TestUnreadBodyIsCancelled(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for path, want := range map[string]string{
		"/unread": "unread", "/part": "part", "/glance": pattern(300 << 10), "/panic": failed,
		"/upload": `{"code":"AUTHENTICATION_REQUIRED"}`,
	} {
		who := owner
		if path == "/upload" {
			who = ""
		}
		_, got := p.raw(t, post(path, who+"Content-Length: 100000\r\n")+pattern(70_000))
		response, err := http.ReadResponse(got, nil)
		if err != nil {
			t.Fatalf("%v: http.ReadResponse: error %v, want none", path, err)
		}
		body, err := io.ReadAll(response.Body)
		if string(body) != want || err != nil || !response.Close {
			t.Errorf("%s: %d %.80q %v, close %v", path, response.StatusCode, body, err, response.Close)
		}
		if rest, err := io.ReadAll(got); len(rest) > 0 || err != nil {
			t.Errorf("%s: the connection did not end: %q %v", path, rest, err)
		}
	}
	p.awaitFreeSockets(t)
	if lines := p.logs.FilterMessage("request failed").All(); len(lines) != 1 ||
		lines[0].ContextMap()["code"] != "MODULE_HANDLER_FAILED" {
		t.Error("the one failure was logged as: ", lines)
	}
}

func TestAbortedUpload(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	want := make(map[any]int)
	for name, framing := range map[string]string{"length": "Content-Length: 1000000\r\n\r\nabc",
		"chunked": "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"} {
		conn, _ := p.raw(t, strings.TrimSuffix(post("/upload?tell="+name, owner), "\r\n")+framing)
		p.awaitModuleLog("upload begun: " + name)
		want["upload begun: "+name]++
		_ = conn.Close()
		want["upload aborted"]++
	}
	p.eventually("both handlers are told", func() bool {
		return p.said.FilterField(zap.String("text", "upload aborted")).Len() == want["upload aborted"]
	})
	p.awaitFreeSockets(t)
	got := make(map[any]int)
	for _, line := range p.said.All() {
		got[line.ContextMap()["text"]]++
	}
	if !maps.Equal(got, want) {
		t.Errorf("the module wrote the lines %v, want %v", got, want)
	}
}

// TestAbortedUploadHasOneResponse checks that every aborted upload has the same response, whatever its
// handler returns, and that the log does not blame the handler.
func TestAbortedUploadHasOneResponse(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	for name, row := range map[string]struct{ path, want string }{
		"the handler answers":         {"/upload", aborted},
		"it takes no notice":          {"/swallow", aborted},
		"it panics":                   {"/must", aborted},
		"nobody runs for half a body": {"/echo", aborted},
		"it has not read":             {"/unread", "unread"},
	} {
		for _, framing := range []string{"Content-Length: 900\r\n\r\nabc",
			"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"} {
			for range 20 { // the ends of the body, of the call and of its context race
				conn, got := p.raw(t, strings.TrimSuffix(post(row.path, owner), "\r\n")+framing)
				if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
				response, err := http.ReadResponse(got, nil)
				if err != nil {
					t.Fatalf("%v: http.ReadResponse: error %v, want none", name, err)
				}
				body, err := io.ReadAll(response.Body)
				if string(body) != row.want || err != nil {
					t.Errorf("%v: body %.200q, want %.200q; error %v, want none; status %v",
						name, string(body), row.want, err, response.StatusCode)
				}
				if rest, err := io.ReadAll(got); len(rest) > 0 || err != nil {
					t.Errorf("%s: the connection did not end: %q %v", name, rest, err)
				}
				_ = conn.Close()
			}
		}
	}
	p.awaitFreeSockets(t)
	if lines := p.logs.All(); len(lines) > 0 {
		t.Error("logged as the platform's failure: ", lines)
	}
}

func TestResponseBeginsWhereTheRequestsBodyEnds(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	if got := p.do("POST", "/both", strings.NewReader(pattern(1<<20))); len(got.body) != 200<<10 || !got.Close {
		t.Errorf("%d bytes, close %v", len(got.body), got.Close)
	}
	p.awaitModuleLog("read while answering: true")
	p.awaitFreeSockets(t)
}

// TestEventsFlow checks that flushed events arrive, and that the handler's context ends when the client
// disconnects.
func TestEventsFlow(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	ctx, leave := context.WithCancel(t.Context())
	response, err := p.client.Do(p.request(ctx, "GET", "/events", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for n := range 20 {
		if !lines.Scan() || lines.Text() != fmt.Sprint("event ", n) {
			t.Fatalf("line of the stream %q, want \"event %d\"; error %v", lines.Text(), n, lines.Err())
		}
	}
	leave()
	p.awaitModuleLog("events: cancelled")
	p.awaitFreeSockets(t)
}

func TestReaderWhoLeavesEndsTheCall(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{Response: time.Hour})
	conn, _ := p.raw(t, "GET "+root+"/wait HTTP/1.1\r\nHost: x\r\n"+owner+"\r\n")
	p.awaitModuleLog("waiting")
	_ = conn.(*net.TCPConn).SetLinger(0) // only a reset means that no client waits for the response
	_ = conn.Close()
	p.awaitModuleLog("wait: context canceled") // at its deadline it would be "context deadline exceeded"
}

// TestReaderWhoSendsNoMoreIsServed checks that a client that half-closes its connection still receives the
// response.
func TestReaderWhoSendsNoMoreIsServed(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	conn, got := p.raw(t, "GET "+root+"/patient HTTP/1.1\r\nHost: x\r\n"+owner+"\r\n")
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(got, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(response.Body); response.StatusCode != http.StatusOK || string(body) != "<nil>" ||
		err != nil {
		t.Errorf("GET /patient from a client that half-closes: %d %q %v, want 200 and a context that has not ended",
			response.StatusCode, body, err)
	}
	if lines := p.logs.All(); len(lines) > 0 {
		t.Error("logged as the platform's failure: ", lines)
	}
}

// TestStreamedInConstantMemory streams 256 MiB through the memory of a few pieces.
func TestStreamedInConstantMemory(t *testing.T) {
	t.Parallel()
	p := start(t, gateway.Limits{})
	response, err := p.client.Do(p.request(t.Context(), "GET", "/endless", nil))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.CopyN(io.Discard, response.Body, 256<<20); err != nil {
		t.Errorf("CopyN: error %v, want none; n %v", err, n)
	}
	_ = response.Body.Close()
	p.awaitModuleLog("endless: nobody reads")
	p.awaitFreeSockets(t)
}
