package browsertest

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestSharedStreams: the pages of one browser read a channel through one connection. In most of these tests
// the test is the server of the channel, because it decides what the page with the connection hears.
func TestSharedStreams(t *testing.T) {
	t.Parallel()
	d := startNotes(t)
	for name, test := range map[string]func(t *testing.T, d *devServer){
		"SevenWindows":    testSevenWindows,
		"Handover":        testHandover,
		"OtherPerson":     testStreamOfAnother,
		"WithoutChannels": testStreamsAlone,
		"ThreeAtMost":     testThreeStreams,
		"Notices":         testReachNotices,
	} {
		t.Run(name, func(t *testing.T) {
			if name == "SevenWindows" {
				leaveToProof(t, "it opens seven windows")
			}
			t.Parallel()
			test(t, d)
		})
	}
}

// beside opens the page of Notes in another tab of the same browser, with a script that runs before it.
func (h *fixture) beside(p *tab, script string) *tab {
	h.t.Helper()
	second := p.openTab("about:blank")
	second.onNewDocument(script)
	second.do(chromedp.Navigate(h.URL + "/#/m/notes"))
	return second
}

// windows opens a browser with an empty tab, so that every page can be closed.
func (h *fixture) windows() *tab {
	h.t.Helper()
	p := openPage(h.t, "about:blank", desktop)
	p.setSession(h)
	return p
}

// testSevenWindows: seven windows side by side follow the real channel, and their requests go through. A
// browser opens only six connections to one origin.
func testSevenWindows(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	var open atomic.Int32
	h.handle("GET /api/v1/module-realtime/notes/board", func(w http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Add(-1)
		h.platform.ServeHTTP(w, r)
	})
	browser := h.windows()
	windows := make([]*tab, 7)
	for n := range windows {
		windows[n] = h.beside(browser, "")
	}
	for _, p := range windows {
		p.waitFor(`window.told?.includes("live") && told.splice(0)`)
	}
	browser.waitUntil("one connection", func() bool { return open.Load() == 1 })
	d.send(t, d.signedInOwner(t), "POST", "/api/v1/modules/notes/notes", nil)
	for _, p := range windows {
		p.waitFor(`told.filter((word) => word.startsWith("update")).length === 1`)
		p.runScript(`await (await context.api("/latest")).json()`)
	}
}

// testHandover: when the page with the connection is closed, crashes or does not answer any more, another one
// connects. Nobody misses a change or hears one twice.
func testHandover(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	browser := h.windows()
	first := h.beside(browser, pageClock)
	one := board.waitForConnection(t)
	one.sendEvent("snapshot", "1")
	first.waitForUpdate("snapshot 1, live")
	second := h.beside(browser, pageClock)
	one.waitForClose(t)
	two := board.waitForConnection(t)
	two.sendEvent("snapshot", "2")
	first.waitForUpdate("snapshot 2")
	second.waitForUpdate("snapshot 2, live")
	two.sendEvent("update", "3")
	first.waitForUpdate("update 3")
	second.waitForUpdate("update 3")

	_ = chromedp.Cancel(first.ctx)
	two.waitForClose(t)
	three := board.waitForConnection(t)
	three.sendEvent("snapshot", "4")
	second.waitForUpdate("snapshot 4")

	third := h.beside(browser, pageClock)
	three.waitForClose(t)
	four := board.waitForConnection(t)
	four.sendEvent("snapshot", "5")
	third.waitForUpdate("snapshot 5, live")
	go func() {
		_ = chromedp.Do(second.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, page.Crash, cdp.Empty{})
			return err
		}))
	}()
	four.waitForClose(t)
	five := board.waitForConnection(t)
	five.sendEvent("snapshot", "6")
	third.waitForUpdate("snapshot 6")

	fourth := h.beside(browser, pageClock)
	five.waitForClose(t)
	six := board.waitForConnection(t)
	six.sendEvent("snapshot", "7")
	third.waitForUpdate("snapshot 7")
	fourth.waitForUpdate("snapshot 7, live")
	const latest = "/api/v1/modules/notes/latest"
	thaw := h.hold("GET " + latest)
	third.runScript(`setTimeout(() => {
		const request = new XMLHttpRequest();
		request.open("GET", "` + latest + `", false);
		request.send();
	})`)
	browser.waitUntil("the page is blocked", func() bool { return h.countRequests("GET "+latest) == 1 })
	six.sendEvent("update", "8") // the page that has the connection hears it later
	var seven *fakeConnection
	fourth.waitUntil("the connection of another page", func() bool {
		fourth.runScript("later(6000)")
		select {
		case seven = <-board.connections:
			return true
		default:
			return false
		}
	})
	seven.sendEvent("snapshot", "9")
	fourth.waitForUpdate("snapshot 9")
	seven.sendEvent("update", "10")
	fourth.waitForUpdate("update 10")
	thaw()
	six.waitForClose(t)
	seven.waitForClose(t) // the page that is back asks for a snapshot
	eight := board.waitForConnection(t)
	eight.sendEvent("snapshot", "11")
	fourth.waitForUpdate("snapshot 11")
	third.waitFor(`told.at(-1) === "snapshot 11"`)
}

// testStreamOfAnother: somebody who signs in in another tab has a connection of their own, and neither hears
// the other's. A sign-out ends the connections.
func testStreamOfAnother(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	browser := h.windows()
	ada := h.beside(browser, pageClock)
	one := board.waitForConnection(t)
	one.sendEvent("snapshot", "1")
	ada.waitForUpdate("snapshot 1, live")
	h.session = d.signIn(t, d.member(t, "Eve"))
	browser.setSession(h)
	eve := h.beside(browser, pageClock)
	two := board.waitForConnection(t)
	one.sendEvent("update", "2")
	ada.waitForUpdate("update 2")
	two.sendEvent("snapshot", "3")
	eve.waitForUpdate("snapshot 3, live")
	two.sendEvent("update", "4")
	eve.waitForUpdate("update 4")
	one.sendEvent("update", "5")
	ada.waitForUpdate("update 5")
	two.sendEvent("update", "6")
	eve.waitForUpdate("update 6")

	eve.runScript(`document.querySelector(".host-account > button").click()`)
	eve.click("button", "Sign out")
	two.waitForClose(t)
	ada.waitForHeading("Sign in")
	one.waitForClose(t)
}

// testStreamsAlone: pages that cannot share have a connection each, and connect again every few seconds, so
// that others have their turn.
func testStreamsAlone(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	board := h.channel("board")
	browser := h.windows()
	const refused = pageClock + `window.BroadcastChannel = class {
		constructor() {
			throw new DOMException("The operation is insecure.", "SecurityError");
		}
	};`
	first := h.beside(browser, refused)
	one := board.waitForConnection(t)
	one.sendEvent("snapshot", "1")
	first.waitForUpdate("snapshot 1, live")
	second := h.beside(browser, refused)
	two := board.waitForConnection(t)
	two.sendEvent("snapshot", "2")
	second.waitForUpdate("snapshot 2, live")
	one.sendEvent("update", "3")
	first.waitForUpdate("update 3")
	first.runScript("later(16000)")
	one.waitForClose(t)
	board.waitForConnection(t).sendEvent("snapshot", "4")
	first.waitForUpdate("snapshot 4")
	two.sendEvent("update", "5")
	second.waitForUpdate("update 5")
}

// testThreeStreams: over HTTP/1.1 the pages have three connections. A fourth channel waits for its turn.
func testThreeStreams(t *testing.T, d *devServer) {
	h := d.notes(t, reading)
	channels := map[string]*fakeChannel{}
	for _, name := range []string{"board", "control", "third", "fourth"} {
		channels[name] = h.channel(name)
	}
	browser := h.windows()
	const turns = `const usual = setTimeout;
		window.turns = [];
		window.setTimeout = (end, after, ...more) => after === 4000 ? turns.push(end) : usual(end, after, ...more);`
	answer := func(name string) *fakeConnection {
		connection := channels[name].waitForConnection(t)
		connection.sendEvent("snapshot", `"`+name+`"`)
		return connection
	}
	first := h.beside(browser, turns)
	answer("board")
	first.waitFor(`told.includes("live")`)
	first.runScript(`read("control")`)
	control := answer("control")
	second := h.beside(browser, turns)
	board := answer("board")
	second.waitFor(`told.includes("live")`)
	second.runScript(`read("third")`)
	third := answer("third")
	second.waitFor(`told.includes('snapshot "third"')`)
	second.runScript(`stop(); read("fourth")`)
	second.waitFor(`turns.length === 2`) // of the connection that it has had, and of the one that it waits for
	select {
	case <-channels["fourth"].connections:
		t.Fatal("there are four connections")
	default:
	}
	second.runScript(`turns.splice(0).forEach((end) => end())`)
	answer("fourth")
	second.waitFor(`told.includes('snapshot "fourth"')`)
	select {
	case <-board.ended:
	case <-control.ended:
	case <-third.ended:
	}
}

// testReachNotices: a page says once that its stream is cut, or that it waits for an answer, and takes that
// back.
func testReachNotices(t *testing.T, d *devServer) {
	const lost, waits = "The connection is lost.", "Still waiting for an answer."
	h := d.notes(t, reading)
	board, control := h.channel("board"), h.channel("control")
	browser := h.windows()
	p := h.beside(browser, `const usual = setTimeout;
		window.setTimeout = (end, after, ...more) =>
			usual(end, after >= 5000 ? after / 10 : after, ...more);`)
	one := board.waitForConnection(t)
	one.sendEvent("snapshot", "1")
	p.runScript(`read("control")`)
	two := control.waitForConnection(t)
	two.sendEvent("snapshot", "1")
	p.waitFor(`told.filter((word) => word === "live").length === 2`)
	close(one.send)
	close(two.send)
	p.waitForText(lost)
	if text := eval[string](p, `document.body.innerText`); strings.Count(text, lost) != 1 {
		t.Errorf("the page does not say once that the connection is lost:\n%s", text)
	}
	p.screenshot("reach-lost-en")
	board.waitForConnection(t).sendEvent("snapshot", "2")
	control.waitForConnection(t).sendEvent("snapshot", "2")
	p.waitFor(`!document.body.innerText.includes("` + lost + `")`)

	answer := h.hold("GET /api/v1/modules/notes/latest")
	p.runScript(`void context.api("/latest")`)
	p.waitForText(waits)
	p.setView(phone)
	p.screenshot("reach-waits-en")
	answer()
	p.waitFor(`!document.body.innerText.includes("` + waits + `")`)
}

// TestWindowsOfAHouse: with three displays and three windows on one machine a seventh page opens, and what is
// asked for in it comes. The streams of six channels take turns.
func TestWindowsOfAHouse(t *testing.T) {
	leaveToProof(t, "it opens seven windows")
	t.Parallel()
	d := startHouse(t)
	first := d.openAs(t, "owner@example.org", "/#/m/rota", desktop)
	for _, path := range []string{"/#/m/calendar", "/#/m/stage"} {
		first.openTab(d.address + path)
	}
	var displays []*tab
	for _, module := range []string{"announcements", "calendar", "stage"} {
		displays = append(displays, first.openTab(d.address+"/display/"+module))
	}
	p := first.openTab(d.address + "/#/m/calendar")
	p.waitForHeading("Calendar")
	before := eval[string](p, `document.querySelector("main").innerText`)
	p.click("button", "Next month")
	p.waitFor("document.querySelector('main').innerText !== " + jsonOf(t, before))
	for _, display := range displays {
		display.waitFor(`document.querySelector(".host-layer") && !document.querySelector("[data-stale]") &&
			!/Starting|Waiting/.test(document.body.innerText)`)
	}
}
