package browsertest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// channel stands in for the server side of a realtime channel: every connection is handed to the test.
type channel struct {
	connections chan *connection
}

// connection is one reader. What is sent goes out; close ends it; ended is closed when the browser has gone.
type connection struct {
	send  chan string
	ended chan struct{}
}

func (h *house) channel(name string) *channel {
	c := &channel{make(chan *connection, 16)}
	h.on("GET /api/v1/module-realtime/notes/"+name, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		one := &connection{make(chan string), make(chan struct{})}
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

// next waits for the next reader.
func (c *channel) next(t *testing.T) *connection {
	t.Helper()
	select {
	case one := <-c.connections:
		return one
	case <-time.After(patience):
		t.Fatal("nobody reads the channel")
		return nil
	}
}

func (c *connection) event(name, data string) {
	c.send <- "event: " + name + "\ndata: " + data + "\n\n"
}

// gone waits for the browser to end the connection.
func (c *connection) gone(t *testing.T) {
	t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		t.Fatal("the browser keeps the connection")
	}
}

// reading writes down everything that a reader is told.
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

// clocked opens a page whose monotonic clock stands still until a test moves it on, and whose visibility a
// test can set.
func clocked(t *testing.T, address string) *tab {
	t.Helper()
	p := open(t, "about:blank", desktop)
	p.first(`
		let time = performance.now();
		performance.now = () => time;
		window.later = (milliseconds) => (time += milliseconds);
		window.see = (visible) => {
			const value = visible ? "visible" : "hidden";
			Object.defineProperty(document, "visibilityState", { value, configurable: true });
			document.dispatchEvent(new Event("visibilitychange"));
		};
		addEventListener("error", (event) => event.message.includes("unlucky") && event.preventDefault());`)
	p.do(chromedp.Navigate(address))
	return p
}

// told waits until a reader was told exactly this, in this order, and forgets it.
func (p *tab) told(want string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`told.join(", ") === %q && told.splice(0)`, want))
}

// TestStream has a channel's life: snapshot, updates in order, server time, the server's wish for a new
// connection, and the end.
func TestStream(t *testing.T) {
	t.Parallel()
	h := notes(t, reading)
	board := h.channel("board")
	p := clocked(t, h.URL+"/#/m/notes")
	first := board.next(t)
	first.event("snapshot", `{"n":1}`)
	p.told(`snapshot {"n":1}, live`)
	first.send <- "id: 2\nevent: upd"
	first.send <- "ate\ndata: {\"n\":13}\n\nevent: update\ndata: {\"n\":"
	first.send <- "14}\n\n"
	p.told(`update {"n":13}, update {"n":14}`) // what a reader throws is its own affair
	first.event("heartbeat", `{"serverTime":"2026-01-01T00:00:00.000Z"}`)
	p.wait(`Math.round(context.serverNow()) === Date.parse("2026-01-01T00:00:00.000Z")`)
	p.run("later(1000)")
	p.wait(`Math.round(context.serverNow()) === Date.parse("2026-01-01T00:00:01.000Z")`)
	first.event("reconnect", "{}")
	first.gone(t)
	second := board.next(t)
	second.event("snapshot", `{"n":20}`)
	p.told(`snapshot {"n":20}`) // a connection that was asked for is no interruption
	close(second.send)
	p.told(`waiting`)
	third := board.next(t)
	third.event("snapshot", `{"n":30}`)
	p.told(`snapshot {"n":30}, live`)
	third.event("update", `{not JSON`)
	p.told(`waiting`)
	third.gone(t)
	fourth := board.next(t)
	fourth.event("snapshot", `{"n":40}`)
	p.told(`snapshot {"n":40}, live`)
	p.run("stop()")
	fourth.gone(t)
	p.told("")
}

// TestSilentStream: a stream that stops without ending is noticed, before and after its snapshot.
func TestSilentStream(t *testing.T) {
	t.Parallel()
	h := notes(t, reading)
	board := h.channel("board")
	p := clocked(t, h.URL+"/#/m/notes")
	first := board.next(t)
	p.run("later(16000)")
	first.gone(t)
	second := board.next(t)
	second.event("snapshot", "1")
	p.told("waiting, snapshot 1, live")
	p.run("later(30000)")
	second.event("heartbeat", `{"serverTime":"2026-01-01T00:00:00.000Z"}`)
	second.event("update", "2")
	p.told("update 2")
	p.run("later(46000)")
	second.gone(t)
	board.next(t)
	p.told("waiting")
}

// TestHiddenStream: a page that nobody looks at for a minute gives its connections back, and reads anew
// when it is seen.
func TestHiddenStream(t *testing.T) {
	t.Parallel()
	h := notes(t, reading)
	board := h.channel("board")
	p := clocked(t, h.URL+"/#/m/notes")
	first := board.next(t)
	first.event("snapshot", "1")
	p.told("snapshot 1, live")
	p.run("see(false); later(30000); see(true); see(false); later(40000)")
	first.event("update", "2")
	p.told("update 2") // it was looked at in between
	p.run("later(30000)")
	first.gone(t)
	p.told("paused")
	p.run("see(true)")
	board.next(t).event("snapshot", "3")
	p.told("snapshot 3, live")
}

// TestRefusedStream: no access and no such channel are final; a session that may have ended is looked at,
// at every try.
func TestRefusedStream(t *testing.T) {
	t.Parallel()
	for status, row := range map[int]struct {
		told  string
		asked int
	}{403: {"refused", 2}, 404: {"refused", 1}, 401: {"waiting", 3}, 503: {"waiting", 1}} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			h := notes(t, reading)
			h.answer("GET /api/v1/module-realtime/notes/board", status, `{"code":"SOME_CODE"}`)
			p := clocked(t, h.URL+"/#/m/notes")
			p.told(row.told)
			p.until("the principal", func() bool { return h.count("GET /api/v1/principal") >= row.asked })
			if row.told == "waiting" {
				p.until("another try", func() bool { return h.count("GET /api/v1/module-realtime/notes/board") >= 2 })
			}
			if asked := h.count("GET /api/v1/principal"); asked > row.asked && status != http.StatusUnauthorized {
				t.Errorf("asked %d times who is here", asked)
			}
		})
	}
}

// TestStreamsEndWithTheModule, and there are two at most.
func TestStreamsEndWithTheModule(t *testing.T) {
	t.Parallel()
	h := notes(t, reading)
	board, control := h.channel("board"), h.channel("control")
	p := clocked(t, h.URL+"/#/m/notes")
	one := board.next(t)
	p.run(`window.stopControl = read("control")`)
	two := control.next(t)
	name := eval[string](p, `(() => { try { read("third"); } catch (error) { return error.name; } })()`)
	if name != "RangeError" {
		t.Errorf("a third stream: %s", name)
	}
	p.run(`stopControl(); stopControl(); window.stopControl = read("control")`)
	two.gone(t)
	two = control.next(t)
	name = eval[string](p, `(() => { try { read("third"); } catch (error) { return error.name; } })()`)
	if name != "RangeError" {
		t.Errorf("a third stream: %s", name)
	}
	p.run(`location.hash = "#/account"`)
	one.gone(t)
	two.gone(t)
}
