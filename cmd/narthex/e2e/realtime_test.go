package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
	"github.com/narthex-platform/narthex/services/natstest"
	"github.com/narthex-platform/narthex/services/porttest"
)

// stream is one reader of a channel.
type stream struct {
	t      *testing.T
	body   *bufio.Reader
	status int
}

func (p *person) subscribe(path string) *stream {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.address+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Cookie", p.cookie)
	response, err := (&http.Client{Transport: p.client.Transport}).Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = response.Body.Close() })
	return &stream{t: p.t, body: bufio.NewReader(response.Body), status: response.StatusCode}
}

// next returns the next event that is not a heartbeat, as "kind data"; "" at the end.
func (s *stream) next() string {
	s.t.Helper()
	event := make(chan string, 1)
	go func() { event <- s.read() }()
	select {
	case got := <-event:
		return got
	case <-time.After(patience):
		s.t.Fatal("no event came")
		return ""
	}
}

func (s *stream) read() string {
	kind, data := "", ""
	for {
		line, err := s.body.ReadString('\n')
		if err != nil {
			return ""
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if kind != "heartbeat" && kind != "" {
				return kind + " " + data
			}
			kind, data = "", ""
		}
	}
}

func (s *stream) assertEvents(events ...string) {
	s.t.Helper()
	for _, want := range events {
		if got := s.next(); got != want {
			s.t.Fatalf("the stream's next event is %q, want %q", got, want)
		}
	}
}

// assertNotes reads until the reader has the notes 1 to n, from its snapshot and the updates that follow. The
// snapshot may be shared with an earlier reader, and an update may repeat a note of the snapshot.
func (s *stream) assertNotes(n int) {
	s.t.Helper()
	var notes []int
	first := s.next()
	if data, found := strings.CutPrefix(first, "snapshot "); !found ||
		json.Unmarshal([]byte(data), &notes) != nil {
		s.t.Fatalf("the stream begins with %q", first)
	}
	for len(notes) < n {
		event := s.next()
		data, _ := strings.CutPrefix(event, "update ")
		if note, err := strconv.Atoi(data); err != nil || note > len(notes)+1 {
			s.t.Fatalf("the stream's event after %v is %q, want an update of at most %d", notes, event,
				len(notes)+1)
		} else if note > len(notes) {
			notes = append(notes, note)
		}
	}
	for i, note := range notes {
		if note != i+1 || len(notes) > n {
			s.t.Fatalf("the reader has %v, want 1 to %d", notes, n)
		}
	}
}

func TestChannel(t *testing.T) {
	t.Parallel()
	i := install(t, "board")
	r := i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	write := func(want string) {
		t.Helper()
		if got := owner.do("POST", "/api/v1/modules/board/notes", nil); got.body != want {
			t.Fatalf("POST /api/v1/modules/board/notes: body %.200q, want %.200q; status %v",
				got.body, want, got.status)
		}
	}
	const notes = "/api/v1/module-realtime/board/notes"
	write("1")
	first := owner.subscribe(notes)
	first.assertEvents("snapshot [1]")
	write("2")
	first.assertEvents("update 2")
	second := owner.subscribe(notes)
	second.assertNotes(2)
	write("3")
	first.assertEvents("update 3")
	second.assertEvents("update 3")

	// Callers without the permission, and channels that do not exist.
	visitor := i.visitor(t)
	for path, want := range map[string]int{notes: 401, "/api/v1/module-realtime/board/gone": 404,
		"/api/v1/module-realtime/gone/notes": 404} {
		if got := visitor.do("GET", path, nil); got.status != want {
			t.Errorf("GET %s: status %v, want %v; body %.200s", path, got.status, want, got.body)
		}
	}
	i.db.Exec(t, `INSERT INTO core.person (email, name, email_verified, password_hash) SELECT `+
		`'member@example.org', 'Member', true, password_hash FROM core.person`)
	if got := i.signIn(t, "member@example.org", ownerPassword).do("GET", "/api/v1/module-realtime/board/secret",
		nil); got.status != 403 {
		t.Errorf("without the permission: %d %s", got.status, got.body)
	}

	// The module dies: its readers are asked to reconnect, and then get the current state.
	if err := exec.Command("pkill", "-9", "-P", strconv.Itoa(r.command.Process.Pid), "board").Run(); err != nil {
		t.Fatal(err)
	}
	first.assertEvents("reconnect {}", "")
	second.assertEvents("reconnect {}", "")
	var again *stream
	eventually(t, "the module is back", func() bool {
		again = owner.subscribe(notes)
		return again.status == http.StatusOK
	})
	again.assertNotes(3)
	write("4")
	again.assertEvents("update 4")

	r.signal(t, syscall.SIGTERM)
	again.assertEvents("reconnect {}", "")
	if r.awaitExit(t) != cli.ExitSuccess {
		t.Error("the stop was not clean")
	}
}

// installTwo returns an installation of two processes, which share the database and a backplane.
func installTwo(t *testing.T, modules ...string) (one, two *installation) {
	t.Helper()
	one = install(t, modules...)
	one.environment["SERVICE_REALTIME_NATS_URL"] = startBackplane(t)
	port := strconv.Itoa(porttest.Free(t))
	two = &installation{db: one.db, address: "http://localhost:" + port,
		environment: maps.Clone(one.environment)}
	two.environment["SERVICE_API_PORT"] = port
	two.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = two.address
	return one, two
}

// startBackplane starts a NATS server and returns its address.
func startBackplane(t *testing.T) (url string) {
	t.Helper()
	port, _ := natstest.Start(t, 0, natstest.Options{})
	return fmt.Sprintf("nats://127.0.0.1:%d", port)
}

// TestChannelOfTwoProcesses: an update that is published in one process reaches the readers of the other.
func TestChannelOfTwoProcesses(t *testing.T) {
	t.Parallel()
	one, two := installTwo(t, "board")
	for _, r := range []*invocation{one.start(t), two.start(t)} {
		r.awaitOutput(t, &r.stderr, "realtime backplane connected")
	}
	owner := one.signIn(t, ownerAddress, ownerPassword)
	elsewhere := two.visitor(t)
	elsewhere.cookie = owner.cookie
	const notes = "/api/v1/module-realtime/board/notes"
	write := func(n int) {
		t.Helper()
		writer := []*person{owner, elsewhere}[n%2]
		if got := writer.do("POST", "/api/v1/modules/board/notes", nil); got.body != strconv.Itoa(n) {
			t.Fatalf("POST /api/v1/modules/board/notes: body %.200q, want %.200q; status %v",
				got.body, strconv.Itoa(n), got.status)
		}
	}
	// The first update that a hub receives from another process may reveal that it missed earlier ones: then
	// it makes its readers reconnect.
	settling := []*stream{owner.subscribe(notes), elsewhere.subscribe(notes)}
	for _, reader := range settling {
		reader.assertEvents("snapshot []")
	}
	write(1)
	write(2)
	for _, reader := range settling {
		for event := reader.next(); event != "update 2" && event != "reconnect {}"; event = reader.next() {
			if event != "update 1" && event != "update 0" {
				t.Fatal(event)
			}
		}
	}

	here, there := owner.subscribe(notes), elsewhere.subscribe(notes)
	here.assertNotes(2)
	there.assertNotes(2)
	for n := 3; n <= 22; n++ {
		write(n)
		here.assertEvents(fmt.Sprint("update ", n))
		there.assertEvents(fmt.Sprint("update ", n))
	}
}
