package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	unavailable   = `{"code":"MODULE_UNAVAILABLE"}`
	overloaded    = `{"code":"MODULE_OVERLOADED"}`
	handlerFailed = `{"code":"MODULE_HANDLER_FAILED"}`
)

// installCopies fills a modules directory with copies of one module under other ids.
func installCopies(tb testing.TB, dir, source string, ids ...string) {
	tb.Helper()
	folder := builtModule(tb, source)
	place := filepath.Join("bin", runtime.GOOS+"-"+runtime.GOARCH)
	manifest, err := os.ReadFile(filepath.Join(folder, "module.json"))
	if err != nil {
		tb.Fatal(err)
	}
	server, err := os.ReadFile(filepath.Join(folder, place, source))
	if err != nil {
		tb.Fatal(err)
	}
	for _, id := range ids {
		if err := os.MkdirAll(filepath.Join(dir, id, place), 0o755); err != nil {
			tb.Fatal(err)
		}
		named := bytes.ReplaceAll(manifest, []byte(`"`+source), []byte(`"`+id))
		named = bytes.ReplaceAll(named, []byte("/"+source), []byte("/"+id))
		if err := os.WriteFile(filepath.Join(dir, id, "module.json"), named, 0o644); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, place, id), server, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
}

// faultyPlatform is a running platform with copies of the module misbehaving, and with the module base, which
// they must not affect.
type faultyPlatform struct {
	*installation
	daemon *invocation
	owner  *person
}

func startWithFaulty(t *testing.T, ids ...string) *faultyPlatform {
	t.Helper()
	return startInstalledWithFaulty(t, install(t, "base"), ids...)
}

// startInstalledWithFaulty is startWithFaulty for an installation with more modules than base.
func startInstalledWithFaulty(t *testing.T, i *installation, ids ...string) *faultyPlatform {
	t.Helper()
	installCopies(t, i.environment["SERVICE_MODULES_DIR"], "misbehaving", ids...)
	b := &faultyPlatform{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	b.watchBystanders(t)
	return b
}

// newConnection returns the owner with a new connection.
func (b *faultyPlatform) newConnection(t *testing.T) *person {
	p := b.visitor(t)
	p.cookie = b.owner.cookie
	return p
}

// watchBystanders requests, until the test ends, routes that no misbehaving module may affect.
func (b *faultyPlatform) watchBystanders(t *testing.T) {
	pid := modulePID(t, b.daemon, "base")
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	for path, want := range map[string]string{
		"/api/v1/principal": `"kind":"authenticated"`, "/api/v1/modules/base/plain": `{"plain":true}`,
		"/api/v1/health/ready": "",
	} {
		p := b.newConnection(t)
		watching.Go(func() {
			asked := 0
			for ; ctx.Err() == nil; asked++ {
				got, err := p.doContext(ctx, "GET", path, nil)
				if ctx.Err() == nil && (err != nil || got.status != http.StatusOK || !strings.Contains(got.body, want)) {
					t.Errorf("GET %s meanwhile: status %d, want 200; body %s, want it to contain "+
						"%s; error %v", path, got.status, got.body, want, err)
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Millisecond): // a steady rate
				}
			}
			if asked == 0 {
				t.Errorf("%s was never asked for", path)
			}
		})
	}
	t.Cleanup(func() {
		stop()
		watching.Wait()
		if now := modulePID(t, b.daemon, "base"); now != pid {
			t.Errorf("the other module's process is %d, want %d as before", now, pid)
		}
	})
}

// awaitRestart waits until a module responds from a process other than was.
func (b *faultyPlatform) awaitRestart(t *testing.T, p *person, id string, was int) {
	t.Helper()
	eventually(t, id+" is back", func() bool {
		// Asked first: a response may still come from the old process, which is then gone when this is asked.
		now := childNamed(t, id, b.daemon.command.Process.Pid)
		got := p.do("GET", "/api/v1/modules/"+id+"/plain", nil)
		if !isAllowedResponse(got) {
			t.Errorf("GET /plain of %s during its restart: status %d; body %s, want 200 or an "+
				"allowed refusal", id, got.status, got.body)
		}
		return got.status == http.StatusOK && now != 0 && now != was
	})
}

// lostProcesses waits until the log has as many lost processes of a module, because the test reads the log a
// little later than the daemon writes it, and returns the lines.
func (b *faultyPlatform) lostProcesses(t *testing.T, id string, number int) (lines []logLine) {
	t.Helper()
	eventually(t, fmt.Sprintf("the log has %d lost processes of %s", number, id), func() bool {
		lines = b.logLines(t, id, "module process lost")
		return len(lines) >= number
	})
	return lines
}

// isAllowedResponse reports whether a request to a module whose process dies may get this response
// (docs/reference/error-codes.md).
func isAllowedResponse(a httpResponse) bool {
	switch a.status {
	case http.StatusOK:
		return true
	case http.StatusInternalServerError:
		return a.body == handlerFailed
	case http.StatusServiceUnavailable:
		wait, err := strconv.Atoi(a.header.Get("Retry-After"))
		return a.body == unavailable && err == nil && wait >= 1 && wait <= 30
	}
	return false
}

// logLines returns the log lines about a module: those with one of the messages, or all of them if none is
// given.
func (b *faultyPlatform) logLines(t *testing.T, id string, messages ...string) (lines []logLine) {
	t.Helper()
	for text := range strings.Lines(b.daemon.stderr.String()) {
		var line logLine
		if !strings.HasSuffix(text, "\n") || json.Unmarshal([]byte(text), &line) != nil {
			continue // a line that is not complete yet, or one of the race detector
		}
		about := line.Module == id || line.Service == "module "+id
		if about && (len(messages) == 0 || slices.Contains(messages, line.Msg)) {
			lines = append(lines, line)
		}
	}
	return lines
}

type logLine struct {
	Time, Msg, Module, Service, Reason, Code string
	Pause                                    float64 // seconds
	LinkRule                                 string  `json:"link_rule"`
}
