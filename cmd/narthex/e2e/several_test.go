package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/services/porttest"
	"github.com/narthex-platform/narthex/storage/storagetest"
)

// several are three processes of one installation, which share a database, an object storage and NATS.
type several struct {
	*proxies
	processes []*replica
}

// replica is one of the processes.
type replica struct {
	*installation
	daemon *invocation
}

// startSeveral starts three processes of an installation behind both proxies.
func startSeveral(t *testing.T, i *installation) *several {
	t.Helper()
	i.environment["SERVICE_REALTIME_NATS_URL"] = startBackplane(t)
	s := &several{}
	var backends []string
	for range addressesOfExamples {
		one := &installation{db: i.db}
		port := strconv.Itoa(porttest.Free(t))
		one.address = "http://localhost:" + port
		s.processes = append(s.processes, &replica{installation: one})
		backends = append(backends, "127.0.0.1:"+port)
	}
	s.proxies = startProxies(t, backends...)
	i.useProxies(s.proxies)
	for n, one := range s.processes {
		one.environment = maps.Clone(i.environment)
		_, one.environment["SERVICE_API_PORT"], _ = strings.Cut(backends[n], ":")
	}
	for _, one := range s.processes {
		one.daemon = startCommand(t, one.environment, "", "api:start")
	}
	for _, one := range s.processes {
		one.daemon.awaitOutput(t, &one.daemon.stderr, `"msg":"ready"`)
		one.daemon.awaitOutput(t, &one.daemon.stderr, "realtime backplane connected")
	}
	for n := range s.addresses { // Caddy checks every 2 s whether they are ready
		eventually(t, "the proxy finds the platform", func() bool {
			got, err := s.browser(n).doContext(t.Context(), "POST", "/api/auth/sign-out", nil)
			return err == nil && got.status < 500
		})
	}
	return s
}

// kill kills a process with SIGKILL, as a lack of memory would.
func (s *several) kill(n int) {
	s.t.Helper()
	s.processes[n].daemon.signal(s.t, syscall.SIGKILL)
	<-s.processes[n].daemon.ended
}

// TestSeveralProcesses kills one of three processes every 5 s under load and restarts it, for half a minute.
// No read fails. A write that the proxy could not finish is done at most
// once, and acknowledged writes are kept. Streams reconnect to another process without losing updates, and
// what must happen once happens once.
func TestSeveralProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of load on three processes")
	}
	t.Parallel()
	const kills = 6
	i := install(t, "board", "regular", "announcements", "stage", "rota")
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	once := prepareOnceOnly(t, i)
	s := startSeveral(t, i)
	owner := s.browser(0).signInAs(t, ownerAddress)
	owner.cookie = "" // the jar sends it
	once.begin(owner)
	picture := uploadPicture(t, owner)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var load sync.WaitGroup
	var reads atomic.Int64
	for n := range 6 {
		load.Go(func() { s.read(ctx, s.at(n, owner), picture, &reads) })
	}
	written := &noteLedger{acknowledged: make(map[int]bool)}
	for n := range 4 {
		load.Go(func() { s.write(ctx, s.at(n, owner), written) })
	}
	watchers := make([]*watcher, 6)
	for n := range watchers {
		watchers[n] = &watcher{person: s.at(n, owner), ledger: written}
		load.Go(func() { watchers[n].watch(ctx) })
	}
	load.Go(func() { once.collect(ctx) })
	working, enough := context.WithCancel(ctx)
	defer enough()
	var work sync.WaitGroup
	work.Go(func() { once.work(working, s, owner) })

	next := time.NewTicker(5 * time.Second)
	defer next.Stop()
	for n := range kills {
		<-next.C
		victim := n % len(s.processes)
		once.beforeKill(s.processes[victim])
		s.kill(victim)
		once.afterKill()
		s.processes[victim].daemon = s.processes[victim].start(t)
	}
	enough()
	work.Wait()
	written.stop()
	for n, w := range watchers {
		eventually(t, fmt.Sprintf("reader %d knows of every acknowledged note", n), func() bool {
			return written.missing(w.known()) == 0
		})
	}
	stop()
	load.Wait()
	once.assert(kills)
	written.assertTable(t, i)
	streams := 0
	for _, w := range watchers {
		streams += w.streams
	}
	t.Logf("%d kills: %d reads without a failure; %d notes acknowledged, %d requests unanswered; %d streams",
		kills, reads.Load(), len(written.acknowledged), written.unanswered, streams)
}

// read sends reads until ctx ends. Every response must be the normal one.
func (s *several) read(ctx context.Context, p *person, picture string, reads *atomic.Int64) {
	paths := []string{"/", "/api/v1/principal", "/api/v1/dashboard/navigation", "/api/v1/health/live",
		"/api/v1/modules/announcements/slides", "/api/v1/modules/stage/services?limit=1", picture}
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		path := paths[n%len(paths)]
		got, err := p.doContext(ctx, "GET", path, nil)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil || got.status != http.StatusOK:
			p.t.Errorf("GET %s%s: status %d, error %v, body %.200q; want 200", p.address, path, got.status, err,
				got.body)
		}
		reads.Add(1)
	}
}

// noteLedger records which notes on the board were acknowledged.
type noteLedger struct {
	stopped atomic.Bool

	mu           sync.Mutex
	acknowledged map[int]bool
	unanswered   int // requests that a proxy could not finish
}

// write writes notes. A proxy responds with 502 to a request that the killed process had received. It does
// not repeat the request at another process, and the next request must succeed.
func (s *several) write(ctx context.Context, p *person, to *noteLedger) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for failed := false; ctx.Err() == nil && !to.stopped.Load(); <-pace.C {
		got, err := p.doContext(context.WithoutCancel(ctx), "POST", "/api/v1/modules/board/notes", nil)
		note, noNumber := strconv.Atoi(got.body)
		to.mu.Lock()
		switch {
		case err == nil && got.status == http.StatusOK && noNumber == nil:
			to.acknowledged[note], failed = true, false
		case err == nil && got.status == http.StatusBadGateway && !failed:
			to.unanswered, failed = to.unanswered+1, true
		default:
			p.t.Errorf("POST a note at %s: status %d, error %v, body %.200q; want 200, or once 502", p.address,
				got.status, err, got.body)
		}
		to.mu.Unlock()
	}
}

func (l *noteLedger) stop() { l.stopped.Store(true) }

// list returns the notes acknowledged so far.
func (l *noteLedger) list() map[int]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.acknowledged)
}

// missing counts the acknowledged notes that are not in from.
func (l *noteLedger) missing(from map[int]bool) (n int) {
	for note := range l.list() {
		if !from[note] {
			n++
		}
	}
	return n
}

// assertTable checks that the table has every acknowledged note, and at most one further note for each
// request without a response.
func (l *noteLedger) assertTable(t *testing.T, i *installation) {
	t.Helper()
	rows := make(map[int]bool)
	for _, text := range i.column(t, `SELECT id::text FROM module_board.notes`) {
		note, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		rows[note] = true
	}
	lost, more := l.missing(rows), len(rows)-len(l.acknowledged)
	if lost > 0 || more < 0 || more > l.unanswered || len(l.acknowledged) == 0 {
		t.Errorf("%d of %d acknowledged notes are lost; %d rows more than that, and %d requests without an answer",
			lost, len(l.acknowledged), more, l.unanswered)
	}
}

// watcher reads the board's channel as a browser does: when its stream ends, it reconnects after the pause
// that the stream set.
type watcher struct {
	*person
	ledger  *noteLedger
	streams int

	mu    sync.Mutex
	notes map[int]bool
}

func (w *watcher) known() map[int]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.notes)
}

func (w *watcher) watch(ctx context.Context) {
	pause := 2 * time.Second
	for due := map[int]bool(nil); ; {
		w.follow(ctx, due, &pause)
		if ctx.Err() != nil {
			return
		}
		w.streams++
		due = w.ledger.list()
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// follow reads one stream to its end. Its snapshot must contain all notes that were acknowledged when the
// previous stream ended.
func (w *watcher) follow(ctx context.Context, due map[int]bool, pause *time.Duration) {
	const path = "/api/v1/module-realtime/board/notes"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.address+path, nil)
	if err != nil {
		w.t.Error(err)
		return
	}
	response, err := (&http.Client{Transport: w.client.Transport, Jar: w.client.Jar}).Do(request)
	if ctx.Err() != nil {
		return
	}
	if err != nil || response.StatusCode != http.StatusOK {
		w.t.Errorf("GET %s%s: %v, error %v; want 200", w.address, path, response, err)
		return
	}
	defer response.Body.Close()
	kind, data := "", ""
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "event":
			kind = value
		case "retry":
			if milliseconds, err := strconv.Atoi(value); err == nil {
				*pause = time.Duration(milliseconds) * time.Millisecond
			}
		case "data":
			data = value
		case "":
			w.handleEvent(kind, data, due)
		}
	}
}

// handleEvent handles one event.
func (w *watcher) handleEvent(kind, data string, due map[int]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch kind {
	case "snapshot":
		var notes []int
		if err := json.Unmarshal([]byte(data), &notes); err != nil {
			w.t.Errorf("the snapshot %.100q: %v", data, err)
		}
		w.notes = make(map[int]bool, len(notes))
		for _, note := range notes {
			w.notes[note] = true
		}
		for note := range due {
			if !w.notes[note] {
				w.t.Errorf("the snapshot of a new stream lacks note %d, acknowledged before the last one ended", note)
				break
			}
		}
	case "update":
		if note, err := strconv.Atoi(data); err == nil && note > 0 {
			w.notes[note] = true
		}
	}
}

// uploadPicture stores a picture in the object storage and returns the path from which it can be read.
func uploadPicture(t *testing.T, owner *person) (path string) {
	t.Helper()
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 64, 36))); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		owner.address+"/api/v1/modules/announcements/images", &content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "image/png")
	request.Header.Set("Origin", owner.address)
	response, err := owner.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var stored struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&stored); err != nil || stored.ID == "" {
		t.Fatalf("POST a picture: status %d, %v; want its id", response.StatusCode, err)
	}
	return "/api/v1/modules/announcements/images/" + stored.ID
}
