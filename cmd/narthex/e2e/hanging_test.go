package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestModulesThatHangOrLoop: others are served while a module hangs, and while one exits after each start.
func TestModulesThatHangOrLoop(t *testing.T) {
	t.Parallel()
	b := startWithFaulty(t, "flooded", "loop")
	t.Run("stopped and full", func(t *testing.T) { b.testStoppedAndFull(t) })
	t.Run("loop", func(t *testing.T) { b.testLoop(t) })
}

// result is the outcome of one request.
type result struct {
	what string
	httpResponse
	err error
}

// sendMany sends a number of requests at once, each on a connection of its own.
func (b *faultyPlatform) sendMany(
	t *testing.T, what string, number int, path string, body string,
) (results chan result) {
	results = make(chan result, number)
	for range number {
		p := b.newConnection(t)
		go func() {
			method, sent := "GET", any(nil)
			if body != "" {
				method, sent = "POST", io.MultiReader(strings.NewReader(body))
			}
			got, err := p.doContext(context.Background(), method, path, sent)
			results <- result{what, got, err}
		}()
	}
	return results
}

// testStoppedAndFull: calls fill the link to a stopped module. A write that takes longer than 2 s ends the
// link, long before a ping would.
func (b *faultyPlatform) testStoppedAndFull(t *testing.T) {
	pid := modulePID(t, b.daemon, "flooded")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/modules/flooded/echo?" + strings.Repeat("x", 6<<10) // 8 KiB bodies are sent on the link
	results := b.sendMany(t, "call on a full link", 300, path, strings.Repeat("x", 8<<10))
	for range cap(results) {
		got := <-results
		if got.err != nil || !isAllowedResponse(got.httpResponse) && got.body != overloaded {
			t.Errorf("%s: status %d; body %.80s; error %v, want an allowed response", got.what, got.status, got.body,
				got.err)
		}
	}
	b.awaitRestart(t, b.owner, "flooded", pid)
	if lost := b.lostProcesses(t, "flooded", 1); len(lost) != 1 || lost[0].Reason != "link lost" {
		t.Errorf("lines \"module process lost\" of flooded: %v, want one with the reason \"link lost\"", lost)
	}
}

// TestStoppedModuleThatNobodyFills: nothing is sent and nothing is full, so only the ping detects the stopped
// module. A call that needs a place or a body socket does not wait so long for it.
func TestStoppedModuleThatNobodyFills(t *testing.T) {
	if testing.Short() {
		t.Skip("a stopped module is found after 20 s, in which all calls have to be sent")
	}
	t.Parallel()
	const places, sockets, more = 256, 32, 20
	b := startWithFaulty(t, "bulky", "quiet")
	held := b.sendMany(t, "held", 8, "/api/v1/modules/quiet/hold", "")
	eventually(t, "the calls are held", func() bool {
		return strings.Count(b.daemon.stderr.String(), `"text":"holding"`) == cap(held)
	})
	cut := b.startSlowReader(t, "/api/v1/modules/quiet/endless")
	pids := map[string]int{"quiet": modulePID(t, b.daemon, "quiet"), "bulky": modulePID(t, b.daemon, "bulky")}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	refused := make(map[string]int)
	for _, results := range []chan result{
		b.sendMany(t, "call", places-cap(held)-1+more, "/api/v1/modules/quiet/plain", ""),
		b.sendMany(t, "body", sockets+more, "/api/v1/modules/bulky/echo", strings.Repeat("x", 100<<10)),
		held,
	} {
		for range cap(results) {
			got := <-results
			switch {
			case got.body == overloaded && got.header.Get("Retry-After") == "1":
				refused[got.what]++
			case got.err != nil || got.body != handlerFailed || !isAllowedResponse(got.httpResponse):
				t.Errorf("%s: %d %.80s %v", got.what, got.status, got.body, got.err)
			}
		}
	}
	if got := <-cut; got.err == nil {
		t.Errorf("%s: no error, want it cut off", got.what)
	}
	if refused["call"] != more || refused["body"] != more || refused["held"] != 0 {
		t.Errorf("refused for want of a place or socket: %v", refused)
	}
	for id, pid := range pids {
		b.awaitRestart(t, b.owner, id, pid)
		if lost := b.lostProcesses(t, id, 1); len(lost) != 1 || lost[0].Reason != "ping unanswered" {
			t.Errorf("lines \"module process lost\" of %s: %v, want one with the reason \"ping unanswered\"",
				id, lost)
		}
	}
}

// startSlowReader reads the beginning of a long response, returns, and continues to read in the background.
func (b *faultyPlatform) startSlowReader(t *testing.T, path string) (cut chan result) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", b.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", b.owner.cookie)
	response, err := b.newConnection(t).client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, response.Body, 100<<10); err != nil ||
		response.StatusCode != http.StatusOK {
		t.Fatalf("CopyN: error %v, want none; status %v, want %v",
			err, response.StatusCode, http.StatusOK)
	}
	cut = make(chan result, 1)
	go func() {
		_, err := io.Copy(io.Discard, response.Body)
		cut <- result{what: "answer under way", err: errors.Join(err, response.Body.Close())}
	}()
	return cut
}

// TestStuckModuleIsBack: the module responds to pings, but its handlers never return. Their calls are
// abandoned, and after the same time again the process is ended.
func TestStuckModuleIsBack(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a daemon with shorter deadlines")
	}
	t.Parallel()
	const places, calls = 256, 600
	i := install(t, "base")
	i.shortDeadlines = true
	b := startInstalledWithFaulty(t, i, "stuck")
	pid := modulePID(t, b.daemon, "stuck")
	results := b.sendMany(t, "call that hangs", calls, "/api/v1/modules/stuck/stick", "")
	got := make(map[string]int)
	for range cap(results) {
		result := <-results
		if result.err != nil || result.body != overloaded && !isAllowedResponse(result.httpResponse) {
			t.Errorf("%s: %d %.80s %v", result.what, result.status, result.body, result.err)
		}
		got[result.body]++
	}
	if got[handlerFailed] < places { // on a busy machine some come when the first are already abandoned
		t.Errorf("of %d calls that hang %v, want at least %d times %s", calls, got, places, handlerFailed)
	}
	b.awaitRestart(t, b.owner, "stuck", pid)
	if lost := b.lostProcesses(t, "stuck", 1); len(lost) != 1 || lost[0].Reason != "calls stuck" {
		t.Errorf("lines \"module process lost\" of stuck: %v, want one with the reason \"calls stuck\"", lost)
	}
	var told httpResponse
	eventually(t, "the second process is ready", func() bool {
		told = b.owner.do("GET", "/api/v1/module-lifecycle/stuck/process", nil)
		return strings.Contains(told.body, `"state":"ready"`) && strings.Contains(told.body, `"starts":2`)
	})
	for _, part := range []string{`"kind":"deadline","code":null`, `"memoryLimitBytes":268435456`,
		`"hostMemoryLimitBytes":67108864`, `"waiting":0`, `"failures":6`} {
		if told.status != http.StatusOK || !strings.Contains(told.body, part) {
			t.Errorf("GET .../stuck/process: %d %s, want 200 and %s", told.status, told.body, part)
		}
	}
}

// testLoop: a module that exits right after its start is restarted after pauses of 0, 0, 1, 2, 4 s and so on.
// Responses to its callers contain the length of the pause.
func (b *faultyPlatform) testLoop(t *testing.T) {
	var paused []float64
	eventually(t, "a pause of 8 s", func() bool {
		paused = nil
		for _, event := range b.logLines(t, "loop", "service restarts paused") {
			paused = append(paused, event.Pause)
		}
		return len(paused) > 3
	})
	if want := []float64{1, 2, 4, 8}; !slices.Equal(paused[:4], want) {
		t.Errorf("module loop: pauses of %v s, want %v", paused, want)
	}
	var got httpResponse
	var wait int
	eventually(t, "a caller who comes in a pause is told of it", func() bool {
		got = b.owner.do("GET", "/api/v1/modules/loop/plain", nil)
		wait, _ = strconv.Atoi(got.header.Get("Retry-After"))
		return wait > 1
	})
	if got.body != unavailable || wait > 30 {
		t.Errorf("GET .../loop/plain in a pause: %d %s, Retry-After %d, want 503 and 30 s at most", got.status,
			got.body, wait)
	}
}
