package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

const bodiesRoot = "/api/v1/modules/bodies"

// patternReader generates bytes from which their position can be recognised, as the module's download does,
// without keeping them in memory.
type patternReader struct{ at, end int64 }

var patternBlock = func() []byte {
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i % 251)
	}
	return block
}()

// Read implements io.Reader.
func (p *patternReader) Read(b []byte) (int, error) {
	if p.at == p.end {
		return 0, io.EOF
	}
	within := p.at % int64(len(patternBlock))
	n := copy(b[:min(int64(len(b)), p.end-p.at)], patternBlock[within:])
	p.at += int64(n)
	return n, nil
}

// patternWriter checks that the bytes written to it are the pattern.
type patternWriter struct{ at int64 }

// Write implements io.Writer.
func (c *patternWriter) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		within := c.at % int64(len(patternBlock))
		n := min(len(rest), len(patternBlock)-int(within))
		if !bytes.Equal(rest[:n], patternBlock[within:int(within)+n]) {
			return 0, fmt.Errorf("other bytes at %d", c.at)
		}
		c.at += int64(n)
		rest = rest[n:]
	}
	return len(b), nil
}

// startWithBodies starts a platform with the module bodies.
func startWithBodies(t *testing.T) *faultyPlatform {
	t.Helper()
	i := install(t, "base", "bodies")
	b := &faultyPlatform{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	return b
}

// download reads a long response of the module to its end and checks it.
func (b *faultyPlatform) download(t *testing.T, p *person, mebibytes int64) {
	t.Helper()
	response := b.beginDownload(t, p, mebibytes)
	defer response.Body.Close()
	if n, err := io.Copy(&patternWriter{}, response.Body); n != mebibytes<<20 || err != nil ||
		response.StatusCode != http.StatusOK {
		t.Errorf("download: status %d, want 200; %d bytes, want %d; error %v", response.StatusCode, n,
			mebibytes<<20, err)
	}
}

// beginDownload sends the request of download and returns the response.
func (b *faultyPlatform) beginDownload(t *testing.T, p *person, mebibytes int64) *http.Response {
	t.Helper()
	address := b.address + bodiesRoot + "/download/" + strconv.FormatInt(mebibytes, 10)
	request, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", p.cookie)
	response, err := p.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// memory returns the resident memory of a process in bytes: the current value, and the maximum since the last
// resetPeak.
func memory(t *testing.T, pid int) (now, peak int64) {
	t.Helper()
	status := processStatus(t, pid)
	for field, value := range map[string]*int64{"VmRSS": &now, "VmHWM": &peak} {
		kibibytes, err := strconv.ParseInt(strings.TrimSuffix(status[field], " kB"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		*value = kibibytes << 10
	}
	return now, peak
}

func resetPeak(t *testing.T, pid int) {
	t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil &&
		os.Geteuid() == 0 {
		t.Fatal(err)
	}
}

// TestLongBodiesInFlatMemory: a request body of 32 MiB and a response of 1 GiB pass through the platform,
// which buffers almost nothing of them.
func TestLongBodiesInFlatMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves long bodies, and measures memory")
	}
	t.Parallel()
	const most = 32 << 20
	b := startWithBodies(t)
	pid := b.daemon.command.Process.Pid
	upload := func() {
		sum := sha256.New()
		_, _ = io.Copy(sum, &patternReader{end: most})
		got := b.owner.do("POST", bodiesRoot+"/upload", &patternReader{end: most}) // without Content-Length
		if want := fmt.Sprintf("%d %x", most, sum.Sum(nil)); got.status != http.StatusOK || got.body != want {
			t.Errorf("upload: status %d, want 200; body %.100s, want %s", got.status, got.body, want)
		}
	}
	b.download(t, b.owner, 1) // so that one-time allocations do not count
	before, _ := memory(t, pid)
	resetPeak(t, pid)

	upload()
	b.download(t, b.owner, 1<<10)
	now, peak := memory(t, pid)
	if grown := peak - before; grown >= most {
		t.Errorf("the platform grew by %d MiB", grown>>20)
	}
	t.Logf("%d MiB before, %d MiB at most, %d MiB after", before>>20, peak>>20, now>>20)
}

// TestBodyLimits: a body that is too long is a 413 on every route, whatever its handler does. Only a streamed
// body of unknown length reaches a handler at all.
func TestBodyLimits(t *testing.T) {
	t.Parallel()
	b := startWithBodies(t)
	const tooLarge = `{"code":"REQUEST_BODY_TOO_LARGE"}`
	for _, row := range []struct {
		path     string
		bytes    int64
		declared bool
		status   int
		body     string
		runs     bool
	}{
		{"/none", 0, true, 200, "0", true},
		{"/none", 1, true, 413, tooLarge, false},
		{"/none", 1, false, 413, tooLarge, false},
		{"/buffered", 1 << 20, true, 200, "1048576", true},
		{"/buffered", 1 << 20, false, 200, "1048576", true},
		{"/buffered", 1<<20 + 1, true, 413, tooLarge, false},
		{"/buffered", 1<<20 + 1, false, 413, tooLarge, false},
		{"/swallow", 1000, false, 200, "1000", true},
		{"/swallow", 1001, true, 413, tooLarge, false},
		{"/swallow", 1001, false, 413, tooLarge, true},
		{"/swallow", 32 << 20, false, 413, tooLarge, true},
		{"/upload", 32<<20 + 1, true, 413, tooLarge, false},
		{"/upload", 32<<20 + 1, false, 413, tooLarge, false}, // the handler runs, but does not log
	} {
		said := `"text":"swallowed by ` + row.path + `"`
		before := strings.Count(b.daemon.stderr.String(), said)
		p := b.newConnection(t)
		request, err := http.NewRequestWithContext(t.Context(), "POST", b.address+bodiesRoot+row.path,
			&patternReader{end: row.bytes})
		if err != nil {
			t.Fatal(err)
		}
		if request.ContentLength = -1; row.declared {
			request.ContentLength = row.bytes
		}
		request.Header.Set("Cookie", p.cookie)
		request.Header.Set("Origin", b.address)
		response, err := p.client.Do(request)
		if err != nil {
			t.Errorf("upload %+v: error %v, want a response", row, err)
			continue
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != row.status || string(body) != row.body || err != nil ||
			response.Close != (row.status == 413) {
			t.Errorf("upload %+v: status %d; body %.80s; close %v, want it for a 413 alone; error %v", row,
				response.StatusCode, body, response.Close, err)
		}
		if row.runs {
			eventually(t, "the handler runs",
				func() bool { return strings.Count(b.daemon.stderr.String(), said) == before+1 })
		} else if strings.Count(b.daemon.stderr.String(), said) != before {
			t.Errorf("%+v: the handler ran", row)
		}
	}
}

// TestAbortedUploadIsNo413: when a client stops sending, the request fails as any other, whatever the handler
// does, and releases everything.
func TestAbortedUploadIsNo413(t *testing.T) {
	t.Parallel()
	b := startWithBodies(t)
	for path, says := range map[string]string{"/upload": "upload aborted", "/swallow": "swallowed by /swallow",
		"/must": "panics"} {
		for n, framing := range []string{"Content-Length: 1000\r\n\r\nabc",
			"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"} {
			response, body := b.stopSending(t, path, framing)
			if response.StatusCode != http.StatusBadRequest || body != `{"code":"REQUEST_INVALID"}` ||
				!response.Close {
				t.Errorf("%s, %.10s: status %d, want 400; body %s; close %v, want true", path, framing,
					response.StatusCode, body, response.Close)
			}
			eventually(t, "the handler hears of it", func() bool {
				return strings.Count(b.daemon.stderr.String(), `"text":"`+says+`"`) == n+1
			})
		}
	}
	if got := b.owner.do("GET", bodiesRoot+"/plain", nil); got.status != http.StatusOK {
		t.Errorf("GET /plain after the aborted uploads: status %d, want 200; body %s", got.status, got.body)
	}
	for _, blame := range []string{"REQUEST_BODY_TOO_LARGE", "MODULE_HANDLER_FAILED"} {
		if strings.Contains(b.daemon.stderr.String(), blame) {
			t.Error("the log says ", blame)
		}
	}
}

// stopSending posts only the beginning of a body, closes its half of the connection and returns the response.
func (b *faultyPlatform) stopSending(
	t *testing.T, path, framing string,
) (response *http.Response, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nOrigin: %s\r\nCookie: %s\r\n%s",
		bodiesRoot+path, b.address, b.owner.cookie, framing)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if response, err = http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response, string(all)
}

// TestSlowReaders: a slow reader receives everything. A reader that does not read holds one body socket and
// nothing else: short responses are still sent, a long one is refused, and the platform buffers nothing.
func TestSlowReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("slow readers are waited for")
	}
	t.Parallel()
	const sockets = 32
	b := startWithBodies(t)
	pid := b.daemon.command.Process.Pid
	b.download(t, b.owner, 1)
	before, _ := memory(t, pid)
	resetPeak(t, pid)

	slow := b.beginDownload(t, b.newConnection(t), 16)
	stopped := make([]*http.Response, sockets-1)
	for n := range stopped {
		stopped[n] = b.beginDownload(t, b.newConnection(t), 1<<10)
		defer stopped[n].Body.Close()
	}
	refused := b.owner.do("GET", bodiesRoot+"/download/1", nil)
	if refused.status != 503 || refused.body != overloaded || refused.header.Get("Retry-After") != "1" {
		t.Errorf("without a socket: %d %.80s", refused.status, refused.body)
	}
	for path, want := range map[string]string{bodiesRoot + "/plain": "plain",
		"/api/v1/modules/base/plain": `{"plain":true}`} {
		if got := b.owner.do("GET", path, nil); got.status != http.StatusOK || got.body != want {
			t.Errorf("GET %s meanwhile: status %d, want 200; body %.80s, want %s", path, got.status, got.body,
				want)
		}
	}
	reader := &slowReader{slow.Body, func() { b.owner.do("GET", bodiesRoot+"/plain", nil) }}
	if n, err := io.Copy(&patternWriter{}, reader); n != 16<<20 || err != nil || slow.Body.Close() != nil {
		t.Errorf("the slow reader got %d bytes, want %d; error %v", n, 16<<20, err)
	}
	_, peak := memory(t, pid)
	if grown := peak - before; grown >= sockets<<21 { // the response of each is 1 GiB long
		t.Errorf("the platform grew by %d MiB", grown>>20)
	}
	for _, response := range stopped {
		_ = response.Body.Close()
	}
	b.download(t, b.owner, 4)
	t.Logf("%d readers who do not read: %d MiB before, %d MiB at most", len(stopped), before>>20, peak>>20)
}

// slowReader reads at most 256 KiB at a time, and does something else before.
type slowReader struct {
	io.Reader
	first func()
}

// Read implements io.Reader.
func (p *slowReader) Read(b []byte) (int, error) {
	p.first()
	return p.Reader.Read(b[:min(len(b), 256<<10)])
}
