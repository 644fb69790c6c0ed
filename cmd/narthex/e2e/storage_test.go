package e2e

import (
	"bytes"
	"context"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/narthex-platform/narthex/storage/storagetest"
)

const filesRoutes = "/api/v1/modules/files"

// storageProxy is a proxy to an object storage that can be closed.
type storageProxy struct {
	*httptest.Server
	closed atomic.Bool
}

func newStorageProxy(t *testing.T, server *storagetest.Server) *storageProxy {
	t.Helper()
	g := &storageProxy{}
	transport := &http.Transport{}
	way := &httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", server.Address
			r.Out.Host = r.In.Host // the Host is part of the signature
		}}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.closed.Load() {
			panic(http.ErrAbortHandler)
		}
		way.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.Close()
		transport.CloseIdleConnections()
	})
	return g
}

// useObjectStorage configures the installation for an object storage.
func (i *installation) useObjectStorage(endpoint string) {
	i.environment["OBJECT_STORAGE_ENDPOINT"] = endpoint
	i.environment["OBJECT_STORAGE_ACCESS_KEY"] = storagetest.AccessKey
	i.environment["OBJECT_STORAGE_SECRET_KEY"] = storagetest.SecretKey
}

func randomBytes(n int) []byte {
	content := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	return content
}

// storedFiles returns the files of the server, also unfinished ones, but not its lock files.
func storedFiles(t *testing.T, server *storagetest.Server) (files []string) {
	t.Helper()
	for _, file := range server.Files(t) {
		if !strings.HasPrefix(file, ".vgwlocks/") {
			files = append(files, file)
		}
	}
	return files
}

func (p *person) assertResponse(method, path string, value any, status int, body string) {
	p.t.Helper()
	got := p.do(method, filesRoutes+path, value)
	if got.status != status || strings.TrimSpace(got.body) != body {
		p.t.Errorf("%s %s: %d %.200s, not %d %s", method, path, got.status, got.body, status, body)
	}
}

func TestModuleKeepsFiles(t *testing.T) {
	t.Parallel()
	server := storagetest.New(t)
	way := newStorageProxy(t, server)
	i := install(t, "files")
	i.useObjectStorage(way.URL)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	pid := modulePID(t, daemon, "files")

	content := randomBytes(5<<20 + 3)
	owner.assertResponse("PUT", "/objects/photo", bytes.NewReader(content), 200, strconv.Itoa(len(content)))
	got := owner.do("GET", filesRoutes+"/objects/photo", nil)
	if got.status != 200 || got.body != string(content) ||
		got.header.Get("Content-Type") != "application/json" {
		t.Errorf("GET /objects/photo: status %d, want 200; %d bytes, want %d; header %v", got.status,
			len(got.body), len(content), got.header)
	}
	assertRangeRead(t, owner, "photo", content)
	owner.assertResponse("GET", "/foreign", nil, 409, `"ACCESS_DENIED"`)

	// An upload that its client aborts, and one that is too long, change nothing.
	reader, writer := io.Pipe()
	go func() {
		_, _ = writer.Write(content[:3<<20])
		_ = writer.CloseWithError(context.Canceled)
	}()
	if _, err := owner.doContext(t.Context(), "PUT", filesRoutes+"/objects/aborted", reader); err == nil {
		t.Error("an upload without an end was answered")
	}
	daemon.awaitOutput(t, &daemon.stderr, "put failed")
	endless := io.LimitReader(rand.NewChaCha8([32]byte{}), 32<<20+1)
	if got, err := owner.doContext(t.Context(), "PUT", filesRoutes+"/objects/photo", endless); err == nil &&
		got.status != 413 {
		t.Errorf("PUT of one byte over 32 MiB: status %d, want 413; body %s", got.status, got.body)
	}
	if files := storedFiles(t, server); len(files) != 1 || !strings.HasSuffix(files[0], "/photo") {
		t.Errorf("storedFiles: number of files %v, want %v; want files[0] to be %v",
			len(files), 1, "/photo")
	}
	if got := owner.do("GET", filesRoutes+"/objects/photo", nil); got.body != string(content) {
		t.Error("an upload that failed has changed the object")
	}

	way.closed.Store(true)
	for method, value := range map[string]io.Reader{"GET": nil, "DELETE": nil, "PUT": strings.NewReader("x")} {
		if value == nil {
			owner.assertResponse(method, "/objects/photo", nil, 409, `"UNAVAILABLE"`)
		} else {
			owner.assertResponse(method, "/objects/photo", value, 409, `"UNAVAILABLE"`)
		}
	}
	assertText(t, "without the server", owner.lifecycle(), "files enabled=true explicit=false running")
	way.closed.Store(false)
	owner.assertResponse("DELETE", "/objects/photo", nil, 200, "null")
	owner.assertResponse("GET", "/objects/photo", nil, 409, `"NOT_FOUND"`)
	owner.assertResponse("GET", "/objects", nil, 200, "[]")
	if now := modulePID(t, daemon, "files"); now != pid {
		t.Error("the module was restarted")
	}
	owner.assertResponse("POST", "/mail/anna@example.net", nil, 200, `"NOT_CONFIGURED"`)
	for _, secret := range []string{storagetest.AccessKey, storagetest.SecretKey, way.URL, "narthex-files",
		"X-Amz"} {
		if strings.Contains(daemon.stderr.String(), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}

// assertRangeRead reads a range of an object directly from the storage.
func assertRangeRead(t *testing.T, p *person, key string, content []byte) {
	t.Helper()
	var url string
	if got := p.do("GET", filesRoutes+"/urls/"+key, nil); got.status != 200 ||
		json.Unmarshal([]byte(got.body), &url) != nil {
		t.Fatalf("GET %s/urls/%s: status %d, want 200 with an address; body %s", filesRoutes, key, got.status,
			got.body)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Range", "bytes=100-199")
	response, err := p.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	part, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusPartialContent || !bytes.Equal(part, content[100:200]) {
		t.Errorf("GET bytes 100 to 199: status %d, want 206; %d bytes; error %v", response.StatusCode,
			len(part), err)
	}
}

func TestModuleWithoutObjectStorage(t *testing.T) {
	t.Parallel()
	i := install(t, "files")
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	got := owner.do("GET", "/api/v1/module-lifecycle", nil)
	for _, want := range []string{`"state":"blocked"`, `"reason":"storage_unavailable"`,
		`"storageBucketId":"images"`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("GET /api/v1/module-lifecycle: %s, want it to contain %s", got.body, want)
		}
	}
	if got := owner.do("GET", filesRoutes+"/objects", nil); got.status != http.StatusNotFound {
		t.Errorf("GET %s: status %v, want %v; body %.200s",
			filesRoutes+"/objects", got.status, http.StatusNotFound, got.body)
	}
}

func TestModuleSendsMail(t *testing.T) {
	t.Parallel()
	i := install(t, "files")
	i.useObjectStorage("http://127.0.0.1:9") // nothing connects to it
	box := i.mailbox(t)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	owner.assertResponse("POST", "/mail/anna@example.net", nil, 200, `"SENT"`)
	if got := box.next(t); got.to != "anna@example.net" || strings.TrimSpace(got.text(t)) != "Kept for you." {
		t.Errorf("mail to %s: %s, want \"Kept for you.\" to anna@example.net", got.to, got.text(t))
	}
	owner.assertResponse("POST", "/mail/"+refusedRecipient, nil, 200, `"REJECTED"`)
	owner.assertResponse("POST", "/mail/"+deferredRecipient, nil, 200, `"DEFERRED"`)
	owner.assertResponse("POST", "/mail/nobody", nil, 200, `"MESSAGE_INVALID"`)
	if strings.Contains(daemon.stderr.String(), "example.net") {
		t.Error("the log tells an address")
	}
}

// TestObjectsPassInConstantMemory compares the daemon's memory peak before and after storing and reading 32
// MiB, four times in parallel. The race detector's own memory grows with the amount of data: with it, 41 MiB
// were measured on a busy machine. A daemon that buffered the objects would need 128 MiB.
func TestObjectsPassInConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it moves long objects, and measures memory")
	}
	t.Parallel()
	server := storagetest.New(t)
	i := install(t, "files")
	i.useObjectStorage("http://" + server.Address)
	daemon := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	round := func(key string, size int64) {
		body := io.LimitReader(rand.NewChaCha8([32]byte{}), size)
		owner.assertResponse("PUT", "/objects/"+key, body, 200, strconv.FormatInt(size, 10))
		if got := owner.do("GET", filesRoutes+"/objects/"+key, nil); int64(len(got.body)) != size {
			t.Errorf("GET /objects/%s: status %d, %d bytes, want %d", key, got.status, len(got.body), size)
		}
	}
	round("warm", 1<<20)
	before := peakKiB(t, daemon)
	const atOnce = 4
	var rounds sync.WaitGroup
	for n := range atOnce {
		rounds.Go(func() { round("large-"+strconv.Itoa(n), 32<<20) })
	}
	rounds.Wait()
	grown := peakKiB(t, daemon) - before
	t.Logf("%d MiB before, %d MiB more at most", before>>10, grown>>10)
	if grown > 96<<10 {
		t.Errorf("the daemon's memory grew by %d KiB", grown)
	}
}

func peakKiB(t *testing.T, daemon *invocation) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(daemon.command.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ := strings.Cut(rest, " kB")
	kib, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
