package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/services/waittest"
)

// heardStream is a response that tells of its first bytes.
type heardStream struct {
	http.ResponseWriter
	heard *atomic.Int32
	once  bool
}

func (s *heardStream) Write(b []byte) (int, error) {
	n, err := s.ResponseWriter.Write(b)
	if !s.once {
		s.once = true
		s.heard.Add(1)
	}
	return n, err
}

func (s *heardStream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// boardRev returns the rev of the board.
func (d *devServer) boardRev(t *testing.T, session *http.Cookie) (rev int) {
	t.Helper()
	_, answer := d.send(t, session, "GET", rotaBoardPath, nil)
	return revOf(t, answer)
}

// streamedRev returns the rev in the snapshot that a new reader of the board's stream gets.
func (d *devServer) streamedRev(t *testing.T, session *http.Cookie) (rev int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", d.address+"/api/v1/module-realtime/rota/board", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(session)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data:"); found {
			return revOf(t, []byte(data))
		}
	}
	t.Fatalf("the stream has no snapshot: status %d, %v", response.StatusCode, lines.Err())
	return 0
}

func revOf(t *testing.T, text []byte) int {
	t.Helper()
	var board struct{ Rev int }
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return board.Rev
}

// TestRotaBoardIsReadOnce: a change between the snapshot of the board's stream and the board itself is shown,
// and so is what changes while the stream is away. A stream that is back costs a request of the board only
// then.
func TestRotaBoardIsReadOnce(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	who := d.member(t, "Ada", coordinator...)
	session := d.signIn(t, who)
	add := func(name string) {
		t.Helper()
		body := jsonOf(t, object{"label": name, "email": "", "language": "", "digest": false,
			"roleIds": []string{}})
		d.send(t, session, "POST", "/api/v1/modules/rota/volunteers", strings.NewReader(body))
	}
	// The platform gives readers that come soon after each other one snapshot, with the updates since. A page
	// that gets one from before a change misses nothing, so each part waits for a newer one.
	newest := func() bool { return d.streamedRev(t, session) == d.boardRev(t, session) }
	var streams atomic.Int32
	var end atomic.Pointer[context.CancelFunc]
	h.handle("GET /api/v1/module-realtime/rota/board", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		end.Store(&cancel)
		h.platform.ServeHTTP(&heardStream{ResponseWriter: w, heard: &streams}, r.WithContext(ctx))
	})
	added := make(chan struct{})
	h.handle("GET "+rotaBoardPath, func(w http.ResponseWriter, r *http.Request) {
		_, answer := d.send(t, session, "GET", rotaBoardPath, nil) // from before the change
		<-added
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(answer)
	})
	p := h.openAs(who, "/#/m/rota/volunteers", desktop)
	waittest.Until(t, "the stream has begun", func() bool { return streams.Load() == 1 })
	requests := func() (n int) {
		for _, asked := range h.requests() {
			if path, _, _ := strings.Cut(asked, "?"); path == "GET "+rotaBoardPath {
				n++
			}
		}
		return n
	}
	waittest.Until(t, "the board is requested", func() bool { return requests() == 1 })
	add("Zoe Between")
	close(added)
	p.waitForText("Zoe Between")
	h.restore("GET " + rotaBoardPath)
	waittest.Until(t, "a snapshot has the change", newest)
	(*end.Load())()
	waittest.Until(t, "the stream is back", func() bool { return streams.Load() == 2 })
	add("Zoe Afterwards")
	p.waitForText("Zoe Afterwards")
	if n := requests(); n != 1 {
		t.Errorf("the board was requested %d times, want once: the stream had missed nothing", n)
	}

	gone, again := make(chan struct{}, 10), make(chan struct{})
	h.handle("GET /api/v1/module-realtime/rota/board", func(w http.ResponseWriter, r *http.Request) {
		gone <- struct{}{}
		<-again
		h.platform.ServeHTTP(w, r)
	})
	(*end.Load())()
	<-gone // until the page connects again, the old stream may still bring the change
	add("Zoe Meanwhile")
	waittest.Until(t, "a snapshot has the change", newest)
	close(again)
	p.waitForText("Zoe Meanwhile")
	if n := requests(); n != 2 {
		t.Errorf("the board was requested %d times, want twice: the stream had missed a change", n)
	}
}
