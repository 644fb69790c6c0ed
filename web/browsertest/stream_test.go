package browsertest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// fakeChannel replaces the server of a realtime channel: the test controls every connection.
type fakeChannel struct {
	connections chan *fakeConnection
}

// fakeConnection is one reader. A test sends text through send; closing send ends the stream. ended is closed
// when the browser has disconnected.
type fakeConnection struct {
	send  chan string
	ended chan struct{}
}

func (h *fixture) channel(name string) *fakeChannel {
	c := &fakeChannel{make(chan *fakeConnection, 16)}
	h.handle("GET /api/v1/module-realtime/notes/"+name, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		one := &fakeConnection{make(chan string), make(chan struct{})}
		defer close(one.ended)
		c.connections <- one
		for {
			select {
			case text, open := <-one.send:
				if !open {
					return
				}
				_, _ = fmt.Fprint(w, text)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	return c
}

// waitForConnection waits for the next reader.
func (c *fakeChannel) waitForConnection(t *testing.T) *fakeConnection {
	t.Helper()
	select {
	case one := <-c.connections:
		return one
	case <-time.After(patience):
		t.Fatal("nobody reads the channel")
		return nil
	}
}

func (c *fakeConnection) sendEvent(name, data string) {
	c.send <- "event: " + name + "\ndata: " + data + "\n\n"
}

// waitForClose waits until the browser closes the connection.
func (c *fakeConnection) waitForClose(t *testing.T) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Fatal("the browser keeps the connection")
	}
}

// reading records everything that a reader receives.
const reading = kept + `
	window.told = [];
	window.read = (name) => context.realtime(name, {
		snapshot: (value) => told.push("snapshot " + JSON.stringify(value)),
		update: (value) => {
			told.push("update " + JSON.stringify(value));
			if (value.n === 13) throw new Error("unlucky");
		},
		state: (state) => told.push(state),
	});
	window.stop = read("board");`

// openWithClock is openClockModule with the session of the fixture.
func (h *fixture) openWithClock(path string) *tab {
	h.t.Helper()
	p := openClockModule(h.t, "about:blank")
	h.load(p, path)
	return p
}

const pageClock = `
	let time = performance.now();
	performance.now = () => time;
	window.later = (milliseconds) => (time += milliseconds);
	window.see = (visible) => {
		const value = visible ? "visible" : "hidden";
		Object.defineProperty(document, "visibilityState", { value, configurable: true });
		document.dispatchEvent(new Event("visibilitychange"));
	};
	addEventListener("error", (event) => event.message.includes("unlucky") && event.preventDefault());`

// openClockModule opens a page whose monotonic clock only a test advances, and whose visibility a test sets.
func openClockModule(t *testing.T, address string) *tab {
	t.Helper()
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(pageClock)
	p.do(chromedp.Navigate(address))
	return p
}

// waitForUpdate waits until a reader has received exactly this, in this order, and discards it.
func (p *tab) waitForUpdate(want string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`told.join(", ") === %q && told.splice(0)`, want))
}

// TestStreams follows channels of a module in a house. The test is the server of the channels, because it
// cuts them off, and lets them fall silent in the middle of an event.
func TestStreams(t *testing.T) {
	t.Parallel()
	d := startNotes(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"Stream":                  testStream,
		"SilentStream":            testSilentStream,
		"HiddenStream":            testHiddenStream,
		"RefusedStream":           testRefusedStream,
		"StreamsEndWithTheModule": testStreamsEndWithTheModule,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

// testStream follows a channel: snapshot, updates in order, server time, the server's request to reconnect,
// and the end.
func testStream(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	p := h.openWithClock("/#/m/notes")
	first := board.waitForConnection(t)
	first.sendEvent("snapshot", `{"n":1}`)
	p.waitForUpdate(`snapshot {"n":1}, live`)
	first.send <- "id: 2\nevent: upd"
	first.send <- "ate\ndata: {\"n\":13}\n\nevent: update\ndata: {\"n\":"
	first.send <- "14}\n\n"
	p.waitForUpdate(`update {"n":13}, update {"n":14}`) // a reader's error does not affect the stream
	first.sendEvent("heartbeat", `{"serverTime":"2026-01-01T00:00:00.000Z"}`)
	p.waitFor(`Math.round(context.serverNow()) === Date.parse("2026-01-01T00:00:00.000Z")`)
	p.runScript("later(1000)")
	p.waitFor(`Math.round(context.serverNow()) === Date.parse("2026-01-01T00:00:01.000Z")`)
	first.sendEvent("reconnect", "{}")
	first.waitForClose(t)
	second := board.waitForConnection(t)
	second.sendEvent("snapshot", `{"n":20}`)
	p.waitForUpdate(`snapshot {"n":20}`) // a reconnect on request is not reported as an interruption
	close(second.send)
	p.waitForUpdate(`waiting`)
	third := board.waitForConnection(t)
	third.sendEvent("snapshot", `{"n":30}`)
	p.waitForUpdate(`snapshot {"n":30}, live`)
	third.sendEvent("update", `{not JSON`)
	p.waitForUpdate(`waiting`)
	third.waitForClose(t)
	fourth := board.waitForConnection(t)
	fourth.sendEvent("snapshot", `{"n":40}`)
	p.waitForUpdate(`snapshot {"n":40}, live`)
	p.runScript("stop()")
	fourth.waitForClose(t)
	p.waitForUpdate("")
}

// testSilentStream: a stream that stalls without ending is detected, before and after its snapshot.
func testSilentStream(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	p := h.openWithClock("/#/m/notes")
	first := board.waitForConnection(t)
	p.runScript("later(16000)")
	first.waitForClose(t)
	second := board.waitForConnection(t)
	second.sendEvent("snapshot", "1")
	p.waitForUpdate("waiting, snapshot 1, live")
	p.runScript("later(30000)")
	second.sendEvent("heartbeat", `{"serverTime":"2026-01-01T00:00:00.000Z"}`)
	second.sendEvent("update", "2")
	p.waitForUpdate("update 2")
	p.runScript("later(46000)")
	second.waitForClose(t)
	board.waitForConnection(t)
	p.waitForUpdate("waiting")
}

// testHiddenStream: a page that is hidden for a minute closes its connections, and connects again when it is
// visible.
func testHiddenStream(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	p := h.openWithClock("/#/m/notes")
	first := board.waitForConnection(t)
	first.sendEvent("snapshot", "1")
	p.waitForUpdate("snapshot 1, live")
	p.runScript("see(false); later(30000); see(true); see(false); later(40000)")
	first.sendEvent("update", "2")
	p.waitForUpdate("update 2") // it was visible in between
	p.runScript("later(30000)")
	first.waitForClose(t)
	p.waitForUpdate("paused")
	p.runScript("see(true)")
	board.waitForConnection(t).sendEvent("snapshot", "3")
	p.waitForUpdate("snapshot 3, live")
}

// testRefusedStream: only a refusal of the platform itself counts as one. Then the page asks who is here,
// and later for the stream again. Everything else is a lost network.
func testRefusedStream(t *testing.T, d *devServer) {
	const path = "GET /api/v1/module-realtime/notes/board"
	for name, row := range map[string]struct {
		status           int
		typed, body      string
		told             string
		asksForPrincipal bool
	}{
		"no permission":   {403, "application/json", `{"code":"PERMISSION_DENIED"}`, "refused", true},
		"no channel":      {404, "application/json; charset=utf-8", `{"code":"NOT_FOUND"}`, "refused", true},
		"no session":      {401, "application/json", `{"code":"AUTHENTICATION_REQUIRED"}`, "refused", true},
		"no module":       {503, "application/json", `{"code":"MODULE_UNAVAILABLE"}`, "waiting", false},
		"another's 404":   {404, "text/plain", "404 page not found", "waiting", false},
		"another's 403":   {403, "text/html", "<p>Forbidden", "waiting", false},
		"another's JSON":  {404, "application/json", `{"code":"ROUTE_NOT_FOUND"}`, "waiting", false},
		"another's login": {200, "text/html", "<p>Sign in to the guest network.", "waiting", false},
	} {
		t.Run(name, func(t *testing.T) {
			usually(t, name, "no permission", "another's 404")
			t.Parallel()
			h := d.notes(t, reading)
			h.handle(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", row.typed)
				w.WriteHeader(row.status)
				_, _ = fmt.Fprint(w, row.body)
			})
			p := h.openWithClock("/#/m/notes")
			p.waitForUpdate(row.told)
			if row.asksForPrincipal {
				p.waitUntil("the principal", func() bool { return h.countRequests("GET /api/v1/principal") == 2 })
			} else if asked := h.countRequests("GET /api/v1/principal"); asked != 1 {
				t.Errorf("%d requests for the principal, want that of the start alone", asked)
			}
			board := h.channel("board")
			board.waitForConnection(t).sendEvent("snapshot", "1")
			p.waitForUpdate("snapshot 1, live")
		})
	}
}

// testStreamsEndWithTheModule: streams end when their module is unmounted, and a module has at most two.
func testStreamsEndWithTheModule(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board, control := h.channel("board"), h.channel("control")
	p := h.openWithClock("/#/m/notes")
	one := board.waitForConnection(t)
	p.runScript(`window.stopControl = read("control")`)
	two := control.waitForConnection(t)
	name := eval[string](p, `(() => { try { read("third"); } catch (error) { return error.name; } })()`)
	if name != "RangeError" {
		t.Errorf("a third stream: %s", name)
	}
	p.runScript(`stopControl(); stopControl(); window.stopControl = read("control")`)
	two.waitForClose(t)
	two = control.waitForConnection(t)
	name = eval[string](p, `(() => { try { read("third"); } catch (error) { return error.name; } })()`)
	if name != "RangeError" {
		t.Errorf("a third stream: %s", name)
	}
	p.runScript(`location.hash = "#/account"`)
	one.waitForClose(t)
	two.waitForClose(t)
}
