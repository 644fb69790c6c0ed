package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/process"
)

const (
	unavailable   = `{"code":"MODULE_UNAVAILABLE"}`
	overloaded    = `{"code":"MODULE_OVERLOADED"}`
	handlerFailed = `{"code":"MODULE_HANDLER_FAILED"}`
)

// copies fills a modules directory with modules that have the manifest and the server of one, and names of their own.
func copies(tb testing.TB, dir, source string, ids ...string) {
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

// crowd installs modules without a server, which take the first user ids: the kernel counts a user's threads on the whole machine, so
// a module that uses them all up would starve the modules of other tests.
func crowd(t *testing.T, dir string, number int) {
	t.Helper()
	for n := range number {
		id := fmt.Sprintf("a-%03d", n)
		manifest := `{"manifestVersion": 7, "id": "` + id + `", "name": "A", "version": "1.0.0",
			"compatibility": {"platform": "^0.1.0", "moduleSdk": "^0.1.0"}}`
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, "module.json"), []byte(manifest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// besieged is a running platform with hostile modules of these names, and a module that none of it may touch.
type besieged struct {
	*installation
	daemon *invocation
	owner  *person
}

func besiege(t *testing.T, ids ...string) *besieged {
	t.Helper()
	return besiegeInstalled(t, install(t, "base"), ids...)
}

// besiegeInstalled is besiege where more than base is installed.
func besiegeInstalled(t *testing.T, i *installation, ids ...string) *besieged {
	t.Helper()
	copies(t, i.environment["SERVICE_MODULES_DIR"], "hostile", ids...)
	b := &besieged{installation: i, daemon: i.start(t)}
	b.owner = i.signIn(t, ownerAddress, ownerPassword)
	b.watchBystanders(t)
	return b
}

// another is the owner on a connection of his own.
func (b *besieged) another(t *testing.T) *person {
	p := b.visitor(t)
	p.cookie = b.owner.cookie
	return p
}

// watchBystanders asks, as long as the test runs, for what no hostile module may disturb.
func (b *besieged) watchBystanders(t *testing.T) {
	pid := modulePID(t, b.daemon, "base")
	ctx, stop := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	for path, want := range map[string]string{
		"/api/v1/principal": `"kind":"authenticated"`, "/api/v1/modules/base/plain": `{"plain":true}`, "/api/v1/health/ready": "",
	} {
		p := b.another(t)
		watching.Go(func() {
			asked := 0
			for ; ctx.Err() == nil; asked++ {
				got, err := p.try(ctx, "GET", path, nil)
				if ctx.Err() == nil && (err != nil || got.status != http.StatusOK || !strings.Contains(got.body, want)) {
					t.Errorf("meanwhile %s: %d %s %v", path, got.status, got.body, err)
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
			t.Errorf("the other module was restarted: %d, %d", pid, now)
		}
	})
}

// back waits until a module answers from another process than the one that was.
func (b *besieged) back(t *testing.T, p *person, id string, was int) {
	t.Helper()
	eventually(t, id+" is back", func() bool {
		got := p.do("GET", "/api/v1/modules/"+id+"/plain", nil)
		if !mayAnswer(got) {
			t.Errorf("%s on its way back: %d %s", id, got.status, got.body)
		}
		return got.status == http.StatusOK && childNamed(t, id, b.daemon.command.Process.Pid) != was
	})
}

// mayAnswer tells whether a caller of a module that dies may get this (contract.md §1).
func mayAnswer(a answer) bool {
	switch a.status {
	case http.StatusOK:
		return true
	case http.StatusInternalServerError:
		return a.body == handlerFailed
	case http.StatusServiceUnavailable:
		return a.body == unavailable && a.header.Get("Retry-After") == "1"
	}
	return false
}

// logged are the lines of the log about a module: of these messages, or all.
func (b *besieged) logged(t *testing.T, id string, messages ...string) (lines []logLine) {
	t.Helper()
	for text := range strings.Lines(b.daemon.stderr.String()) {
		var line logLine
		if !strings.HasSuffix(text, "\n") || json.Unmarshal([]byte(text), &line) != nil {
			continue // still being written, or of the race detector
		}
		about := line.Module == id || line.Service == "module "+id
		if about && (len(messages) == 0 || slices.Contains(messages, line.Msg)) {
			lines = append(lines, line)
		}
	}
	return lines
}

type logLine struct{ Time, Msg, Module, Service, Reason, Code string }

func (l logLine) at(t *testing.T) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05.000Z0700", l.Time)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// sender is one of the many who send without end. It sends no GETs, since net/http repeats those where a connection is reset.
type sender struct {
	*person
	body, want string
	slowest    time.Duration
}

func (s *sender) send(t *testing.T, ctx context.Context, id string) (served bool) {
	began := time.Now()
	got, err := s.try(ctx, "POST", "/api/v1/modules/"+id+"/slow", io.MultiReader(strings.NewReader(s.body)))
	s.slowest = max(s.slowest, time.Since(began))
	switch {
	case err != nil:
		t.Errorf("%s: %v", id, err)
	case !mayAnswer(got):
		t.Errorf("%s: %d %s", id, got.status, got.body)
	case got.status == http.StatusOK && got.body != s.want:
		t.Errorf("%s: somebody else's answer: %.100s", id, got.body)
	}
	return err == nil && got.status == http.StatusOK
}

// TestKilledAHundredTimes: modules are killed while 50 send them bodies of every size. Everybody is answered, each module comes back
// each time, and nobody else notices. Each is killed four times: before a fifth restart the platform pauses. Answers are short: of a
// long one that has begun, only the cut connection can tell that the rest is lost.
func TestKilledAHundredTimes(t *testing.T) {
	t.Parallel()
	const modules, kills, senders = 25, 4, 50
	ids := make([]string, modules)
	for n := range ids {
		ids[n] = fmt.Sprintf("victim-%02d", n)
	}
	b := besiege(t, ids...)
	var target atomic.Pointer[string]
	target.Store(&ids[0])
	var served, sent atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var sending sync.WaitGroup
	all := make([]*sender, senders)
	for n := range all {
		body := strings.Repeat(fmt.Sprintf("<%02d>", n), []int{1, 1000, 2100, 30_000}[n%4])
		all[n] = &sender{person: b.another(t), body: body, want: fmt.Sprintf("%d %x", len(body), sha256.Sum256([]byte(body)))}
		sending.Go(func() {
			for ctx.Err() == nil {
				if all[n].send(t, context.Background(), *target.Load()) {
					served.Add(1)
				} else {
					time.Sleep(50 * time.Millisecond) // who was refused does not try at once
				}
				sent.Add(1)
			}
		})
	}
	var absences []time.Duration
	for _, id := range ids {
		target.Store(&id)
		for range kills {
			before := served.Load()
			eventually(t, "the senders are served", func() bool { return served.Load() >= before+senders/2 })
			pid := modulePID(t, b.daemon, id)
			killed := time.Now()
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			b.back(t, b.owner, id, pid)
			absences = append(absences, time.Since(killed))
		}
	}
	stop()
	sending.Wait()
	var slowest time.Duration
	for _, s := range all {
		slowest = max(slowest, s.slowest)
	}
	if slowest > 10*time.Second {
		t.Errorf("a request hung for %v", slowest)
	}
	lost := 0
	for _, id := range ids {
		lost += len(b.logged(t, id, "module process lost"))
	}
	if lost != modules*kills {
		t.Errorf("%d lives were lost, not %d", lost, modules*kills)
	}
	slices.Sort(absences)
	t.Logf("%d requests, %d served; slowest %v; away for %v (median), %v (most)",
		sent.Load(), served.Load(), slowest, absences[len(absences)/2], absences[len(absences)-1])
}

// result is what became of one request, and when.
type result struct {
	what string
	answer
	err  error
	took time.Duration
}

// volley sends a number of requests at once, each on a connection of its own.
func (b *besieged) volley(t *testing.T, what string, number int, path string, body string) (results chan result) {
	results = make(chan result, number)
	for range number {
		p, began := b.another(t), time.Now()
		go func() {
			method, sent := "GET", any(nil)
			if body != "" {
				method, sent = "POST", io.MultiReader(strings.NewReader(body))
			}
			got, err := p.try(context.Background(), method, path, sent)
			results <- result{what, got, err, time.Since(began)}
		}()
	}
	return results
}

// TestModulesThatHangOrLoop: what the platform has to wait for, all in the time of the longest.
func TestModulesThatHangOrLoop(t *testing.T) {
	t.Parallel()
	const late = 2 * time.Second
	b := besiege(t, "bulky", "flooded", "loop", "quiet")
	t.Run("stopped and full", func(t *testing.T) { b.stoppedAndFull(t, late) })
	t.Run("stopped and quiet", func(t *testing.T) { b.stoppedAndQuiet(t, late) })
	t.Run("loop", func(t *testing.T) { b.loops(t) })
}

// stoppedAndFull: calls fill the link, and a write that lasts 2 s loses it, long before a ping would.
func (b *besieged) stoppedAndFull(t *testing.T, late time.Duration) {
	const write, queued = 2 * time.Second, 5 * time.Second
	pid := modulePID(t, b.daemon, "flooded")
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/modules/flooded/echo?" + strings.Repeat("x", 6<<10) // bodies of 8 KiB travel on the link
	results := b.volley(t, "call on a full link", 300, path, strings.Repeat("x", 8<<10))
	var slowest time.Duration
	for range cap(results) {
		got := <-results
		if got.err != nil || !mayAnswer(got.answer) && got.body != overloaded || got.took > write+queued+late {
			t.Errorf("%s: %d %.80s %v after %v", got.what, got.status, got.body, got.err, got.took)
		}
		slowest = max(slowest, got.took)
	}
	b.back(t, b.owner, "flooded", pid)
	if lost := b.logged(t, "flooded", "module process lost"); len(lost) != 1 || lost[0].Reason != "link lost" {
		t.Errorf("lost: %v", lost)
	}
	t.Logf("the slowest of %d calls took %v", cap(results), slowest)
}

// stoppedAndQuiet: nothing moves and nothing is full, so only the ping tells. Who waits for a place or a body socket waits his 5 s.
func (b *besieged) stoppedAndQuiet(t *testing.T, late time.Duration) {
	const places, sockets, more, queued = 256, 32, 20, 5 * time.Second
	const found = process.PingEvery + process.PingWithin
	held := b.volley(t, "held", 8, "/api/v1/modules/quiet/hold", "")
	eventually(t, "the calls are held", func() bool {
		return strings.Count(b.daemon.stderr.String(), `"text":"holding"`) == cap(held)
	})
	cut := b.slowReader(t, "/api/v1/modules/quiet/endless")
	pids := map[string]int{"quiet": modulePID(t, b.daemon, "quiet"), "bulky": modulePID(t, b.daemon, "bulky")}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	stopped := time.Now()
	refused := make(map[string]int)
	for _, results := range []chan result{
		b.volley(t, "call", places-cap(held)-1+more, "/api/v1/modules/quiet/plain", ""),
		b.volley(t, "body", sockets+more, "/api/v1/modules/bulky/echo", strings.Repeat("x", 100<<10)),
		held,
	} {
		for range cap(results) {
			got := <-results
			switch {
			case got.body == overloaded && got.header.Get("Retry-After") == "1" && got.took >= queued && got.took <= queued+late:
				refused[got.what]++
			case got.err != nil || got.body != handlerFailed || !mayAnswer(got.answer) || time.Since(stopped) > found+late:
				t.Errorf("%s: %d %.80s %v after %v", got.what, got.status, got.body, got.err, got.took)
			}
		}
	}
	if got := <-cut; got.err == nil || time.Since(stopped) > found+late {
		t.Errorf("%s: %v after %v", got.what, got.err, time.Since(stopped))
	}
	if refused["call"] != more || refused["body"] != more || refused["held"] != 0 {
		t.Errorf("refused for want of a place or socket: %v", refused)
	}
	t.Logf("all answered %v after the stop", time.Since(stopped))
	for id, pid := range pids {
		b.back(t, b.owner, id, pid)
		if lost := b.logged(t, id, "module process lost"); len(lost) != 1 || lost[0].Reason != "ping unanswered" {
			t.Errorf("lost: %v", lost)
		}
	}
}

// slowReader has read a little of a long answer when it returns, and reads on.
func (b *besieged) slowReader(t *testing.T, path string) (cut chan result) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", b.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", b.owner.cookie)
	response, err := b.another(t).client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, response.Body, 100<<10); err != nil || response.StatusCode != http.StatusOK {
		t.Fatal(response.StatusCode, err)
	}
	cut = make(chan result, 1)
	go func() {
		_, err := io.Copy(io.Discard, response.Body)
		cut <- result{what: "answer under way", err: errors.Join(err, response.Body.Close())}
	}()
	return cut
}

// loops: a module that ends as soon as it has started is started five times at once, and five times after each pause, which lasts 30 s
// at least. So the first minute, with the end of one pause at most, sees at most ten starts. To know that, one pause is enough.
func (b *besieged) loops(t *testing.T) {
	const atOnce, pause = 5, 30 * time.Second
	round := append(slices.Repeat([]string{"start"}, atOnce), "pause")
	want := slices.Concat(round, round)
	var course []string
	eventually(t, "a second pause", func() bool {
		course = nil
		var paused time.Time
		for _, event := range b.logged(t, "loop", "module ready", "service restarts paused", "service restarts resumed") {
			switch event.Msg {
			case "module ready":
				course = append(course, "start")
			case "service restarts paused":
				course, paused = append(course, "pause"), event.at(t)
			case "service restarts resumed":
				if away := event.at(t).Sub(paused); away < pause {
					t.Fatalf("a pause of %v", away)
				}
			}
		}
		return len(course) >= len(want)
	})
	if !slices.Equal(course[:len(want)], want) {
		t.Errorf("the course was %v, not %v", course, want)
	}
}

// TestHarmEndsItsModuleAlone: whatever a module says on its sockets or takes of the machine ends its own process, its calls fail, and
// a new process comes.
func TestHarmEndsItsModuleAlone(t *testing.T) {
	t.Parallel()
	threads := "/threads/300"
	if os.Geteuid() != 0 {
		threads = "/threads/20000" // all modules then share one user, and a higher ceiling
	}
	harms := []string{
		"/exit", "/memory", threads, "/spoil",
		"/say/answers/text", "/say/answers/half", "/say/answers/oversize", "/say/answers/huge", "/say/answers/undersize",
		"/say/answers/kind", "/say/answers/answer", "/say/answers/pong",
		"/say/calls/text", "/say/calls/half", "/say/calls/oversize", "/say/calls/huge", "/say/calls/undersize",
		"/say/calls/kind", "/say/calls/answer", "/say/calls/loaded",
	}
	const each = 4 // crashes before a pause
	var ids []string
	for n := range (len(harms) + each - 1) / each {
		ids = append(ids, fmt.Sprintf("wild-%d", n))
	}
	i := install(t, "base")
	crowd(t, i.environment["SERVICE_MODULES_DIR"], 100)
	b := besiegeInstalled(t, i, ids...)
	for n, harm := range harms {
		id := ids[n/each]
		pid := modulePID(t, b.daemon, id)
		got := b.owner.do("GET", "/api/v1/modules/"+id+harm, nil)
		if harm == "/spoil" && got.status == http.StatusOK { // harms who comes next
			got = b.owner.do("GET", "/api/v1/modules/"+id+"/long", nil)
		}
		if got.status != http.StatusInternalServerError || got.body != handlerFailed {
			t.Errorf("%s: %d %.80s", harm, got.status, got.body)
		}
		b.back(t, b.owner, id, pid)
		// Whichever of the two tells first; a ping would find it too, but late.
		lost := b.logged(t, id, "module process lost")
		if len(lost) != n%each+1 || !slices.Contains([]string{"exited", "link lost"}, lost[len(lost)-1].Reason) {
			t.Errorf("%s: lost %v", harm, lost)
		}
	}
}

// TestFloodIsCut: a module that never stops talking neither fills the log nor waits for anybody.
func TestFloodIsCut(t *testing.T) {
	t.Parallel()
	const lines, lineBytes, window = 100, 2 << 10, 10 * time.Second
	b := besiege(t, "loud")
	began := time.Now()
	b.owner.do("GET", "/api/v1/modules/loud/flood", nil)
	var written, logged int
	eventually(t, "megabytes and thousands of lines", func() bool {
		got := b.owner.do("GET", "/api/v1/modules/loud/flooded", nil)
		if _, err := fmt.Sscan(got.body, &written, &logged); err != nil || got.status != http.StatusOK {
			t.Errorf("meanwhile: %d %s", got.status, got.body)
		}
		return written > 16<<20 && logged > 20*lines
	})
	most := lines * (2 + int(time.Since(began)/window))
	log := b.daemon.stderr.String()
	if said := len(b.logged(t, "loud", "module says")); said < lines || said > most {
		t.Errorf("%d lines of %d went out, %d may", said, logged, most)
	}
	if len(log) > 64<<10+most*lineBytes || strings.Contains(log, "hunter2") {
		t.Errorf("%d bytes of log, or the module's standard output in it", len(log))
	}
	t.Logf("%d MiB and %d lines in %v became %d KiB of log", written>>20, logged, time.Since(began), len(log)>>10)
}

// TestSecondLifeMustBeTheSame: a process that registers something else than the first is not started.
func TestSecondLifeMustBeTheSame(t *testing.T) {
	t.Parallel()
	b := besiege(t, "changeling")
	const path = "/api/v1/modules/changeling/plain"
	if got := b.owner.do("GET", path, nil); got.status != http.StatusOK {
		t.Fatalf("the first life: %d %s", got.status, got.body)
	}
	if err := syscall.Kill(modulePID(t, b.daemon, "changeling"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "further lives are refused until the platform pauses", func() bool {
		if got := b.owner.do("GET", path, nil); got.status == http.StatusOK && len(b.logged(t, "changeling", "module process lost")) > 0 {
			t.Errorf("a second life answers: %s", got.body)
		}
		return len(b.logged(t, "changeling", "service restarts paused")) == 1
	})
	if got := b.owner.do("GET", path, nil); got.status != http.StatusServiceUnavailable || !mayAnswer(got) {
		t.Errorf("afterwards: %d %s", got.status, got.body)
	}
	refused := b.logged(t, "changeling", "service crashed")
	started := b.logged(t, "changeling", "module says")
	if len(started) != 1 || len(refused) != 5 || refused[1].Code != "MODULE_REGISTER_FAILED" {
		t.Errorf("%d start hooks ran; %v", len(started), refused)
	}
}

// TestModulesAreConfined looks at what the kernel says of running modules, and that nobody of their user looks into the platform.
func TestModulesAreConfined(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives away user ids")
	}
	t.Run("root", func(t *testing.T) {
		b := besiege(t, "aside", "zealous") // with base between them
		for place, id := range []string{"aside", "base", "zealous"} {
			own := uint32(firstModuleID + place)
			number := strconv.Itoa(firstModuleID + place)
			all := strings.Join([]string{number, number, number, number}, "\t")
			b.confined(t, id, map[string]string{"Uid": all, "Gid": all, "Groups": ""})
			b.closed(t, own)
		}
	})
	t.Run("nobody", func(t *testing.T) { // then the platform's user is the modules' too
		const nobody = 65534
		i := install(t)
		dir, err := os.MkdirTemp("", "narthex-nobody-") // open to others, which folders of t.TempDir are not
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		copies(t, dir, "hostile", "aside")
		i.environment["SERVICE_MODULES_DIR"] = dir
		b := &besieged{installation: i, daemon: i.startAs(t, nobody)}
		b.confined(t, "aside", map[string]string{"Uid": strings.Repeat("65534\t", 3) + "65534"})
		b.closed(t, nobody)
	})
}

// startAs is start under another user, who could not reach the test binary by its path.
func (i *installation) startAs(t *testing.T, uid uint32) *invocation {
	t.Helper()
	command := narthex(t, i.environment, "api:start")
	command.Path = "/proc/self/exe"
	command.Dir = "/"
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
	r := follow(t, command)
	r.says(t, &r.stderr, `"msg":"ready"`)
	return r
}

// follow starts a prepared program, as begin does.
func follow(t *testing.T, command *exec.Cmd) *invocation {
	t.Helper()
	r := &invocation{command: command, ended: make(chan struct{})}
	command.Stdout, command.Stderr = &r.stdout, &r.stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = command.Wait()
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Logf("standard error:\n%s", r.stderr.String())
		}
	})
	return r
}

// confined compares a module's process with what it must be; the last rows are the same for all.
func (b *besieged) confined(t *testing.T, id string, want map[string]string) {
	t.Helper()
	want["Seccomp"], want["NoNewPrivs"], want["CapEff"], want["CapPrm"] = "2", "1", "0000000000000000", "0000000000000000"
	got := processStatus(t, modulePID(t, b.daemon, id))
	for field, value := range want {
		if got[field] != value {
			t.Errorf("%s: %s is %q, not %q", id, field, got[field], value)
		}
	}
}

// processStatus reads /proc/<pid>/status.
func processStatus(t *testing.T, pid int) map[string]string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

// closed: a user can look into a process of his own, but not into the platform.
func (b *besieged) closed(t *testing.T, uid uint32) {
	t.Helper()
	read := func(pid int, file string) error {
		reader := exec.Command("cat", fmt.Sprintf("/proc/%d/%s", pid, file))
		reader.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
		return reader.Run()
	}
	open := exec.Command("sleep", "3600")
	open.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: []uint32{}}}
	if err := open.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = open.Process.Kill(), open.Wait() }()
	for _, file := range []string{"environ", "maps"} {
		if err := read(open.Process.Pid, file); err != nil {
			t.Errorf("user %d cannot read %s of his own process: %v", uid, file, err)
		}
		if err := read(b.daemon.command.Process.Pid, file); err == nil {
			t.Errorf("user %d reads %s of the platform", uid, file)
		}
	}
}
