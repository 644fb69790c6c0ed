package browsertest

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
)

// foreignAnswers are responses that a proxy in front of the platform gives in its place.
var foreignAnswers = map[string]struct {
	status     int
	kind, body string
}{
	"404 with text":  {http.StatusNotFound, "text/plain", "404 page not found"},
	"404 with JSON":  {http.StatusNotFound, "application/json", `{"code":"route_not_found"}`},
	"403 with HTML":  {http.StatusForbidden, "text/html", "<!doctype html><p>Blocked by the guest network."},
	"401 with HTML":  {http.StatusUnauthorized, "text/html", "<!doctype html><p>Sign in to the guest network."},
	"200 with HTML":  {http.StatusOK, "text/html", "<!doctype html><p>Sign in to the guest network."},
	"403 with words": {http.StatusForbidden, "application/json", `{"message":"Forbidden"}`},
}

// answerInstead answers the requests below a path in the platform's place until clearScriptFault, and ends
// open connections. It returns the number of such answers.
func (f *faultProxy) answerInstead(path, name string) *atomic.Int32 {
	answer, count := foreignAnswers[name], new(atomic.Int32)
	f.scriptFault.Store(&scriptFault{path, func(w http.ResponseWriter, _ *http.Request) {
		count.Add(1)
		w.Header().Set("Content-Type", answer.kind)
		w.WriteHeader(answer.status)
		_, _ = io.WriteString(w, answer.body)
	}})
	f.open.cut()
	return count
}

// TestForeignAnswers: what a proxy says in the platform's place is a network that fails, on every route of a
// display. Afterwards everything goes on by itself.
func TestForeignAnswers(t *testing.T) {
	leaveToProof(t, "a screen reconnects after each answer of each path")
	t.Parallel()
	w := startWalls(t, 2)
	f := w.fronts[0]
	w.publishText("welcome")
	w.testForeignPages(t, w.fronts[1])
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("welcome (1.0.0)")
	p.waitForWorker()
	for name := range foreignAnswers {
		for _, path := range []string{"/api/v1/module-realtime/", "/api/v1/module-displays/", "/api/"} {
			count := f.answerInstead(path, name)
			p.runScript(`dispatchEvent(new Event("online"))`)
			p.waitUntil("an answer of the proxy", func() bool { return count.Load() > 0 })
			w.publishText(name + " at " + path)
			p.waitFor(`later(5000) || !document.body.innerText.includes("welcome")`)
			p.assertNoText("switched off")
			p.assertNoText("removed")
			f.clearScriptFault()
			p.waitForText(name + " at " + path)
		}
	}
	p.waitForWorker()
	for name := range foreignAnswers {
		f.answerInstead("/", name)
		p.reload()
		p.waitForText("Waiting for the network")
		p.assertNoText("guest network")
		f.clearScriptFault()
		p.waitForText("(1.0.0)")
	}
}

// TestWallIsNeverEmpty: whatever keeps a module's content away, the screen shows the module's name and a
// sentence.
func TestWallIsNeverEmpty(t *testing.T) {
	leaveToProof(t, "it goes through every fault of a module on a screen")
	t.Parallel()
	w := startWalls(t, 1)
	f := w.fronts[0]
	held := f.closeGate("/api/v1/module-realtime/") // as behind a proxy that buffers
	p, deviceID := w.openPairedScreen(t, f, "wall")
	p.waitFor(`!document.body.innerText.includes("Back wall") && window.mounts >= 1`)
	p.screenshot("wall-without-content")
	p.waitForText("Foyer wall")
	p.waitForText("Waiting for content")
	p.assertNoText("last update")
	p.saveBothOrientations("without-content")
	w.publishText("throw in update")
	held.open()
	p.waitForText("Foyer wall cannot start on this screen.")
	w.publishText("welcome")
	p.waitForText("welcome (1.0.0)")

	for status, code := range map[int]string{429: "TOO_MANY_REQUESTS", 503: "PAIRING_CAPACITY"} {
		f.scriptFault.Store(&scriptFault{"/api/v1/device-pairing", func(w http.ResponseWriter, _ *http.Request) {
			reply(w, status, `{"code":"`+code+`"}`)
		}})
		w.send("POST", "/api/v1/devices/"+deviceID+"/revoke", `{}`)
		p.runScript(`dispatchEvent(new Event("online"))`)
		p.waitForText("Foyer wall")
		p.waitForText("This screen was removed.")
		p.waitForText("No code is free at the moment.")
		p.saveBothOrientations("no-code")
		p.reload()
		p.waitForText("This screen is not paired.")
		f.clearScriptFault()
		deviceID = w.approveCode(p.pairingCode())
		p.waitForText("welcome (1.0.0)")
	}
}

// testForeignPages: on a screen that has its worker but no cached page, a page of a proxy counts as no
// network, too, and the screen goes on by itself.
func (w *displayFixture) testForeignPages(t *testing.T, f *faultProxy) {
	p := w.openScreen(t, f, "wall")
	p.pairingCode()
	p.waitFor(`navigator.serviceWorker.controller !== null`)
	for name := range foreignAnswers {
		f.answerInstead("/", name)
		p.reload()
		p.screenshot("wall-foreign-page-" + name)
		p.waitForText("Waiting for the network")
		p.waitForText("Wall")
		p.assertNoText("guest network")
		f.clearScriptFault()
		p.pairingCode()
	}
}

// TestStartOnASilentNetwork: a screen that was paired before is dark and has words at once, although the
// network takes requests and never answers.
func TestStartOnASilentNetwork(t *testing.T) {
	leaveToProof(t, "a network is seldom silent at a start; TestDisplays has the other faults")
	t.Parallel()
	w := startWalls(t, 1)
	f := w.fronts[0]
	w.publishText("welcome")
	p, _ := w.openPairedScreen(t, f, "wall")
	p.waitForText("welcome (1.0.0)")
	p.waitForWorker()
	held := f.closeGate("/")
	p.reload() // waits for the page's load event, which no response of the network precedes
	p.waitFor(`getComputedStyle(document.body).backgroundColor === "rgb(14, 17, 22)"`)
	p.screenshot("wall-silent-start")
	p.waitForText("Wall")
	p.waitForText("Starting")
	p.waitForText("Waiting for the network")
	held.open()
	p.waitForText("welcome (1.0.0)")
}

// TestScreenOfASignedInPerson: a browser in which somebody without the permission is signed in is not
// paired. It says why, and becomes a screen when they have signed out.
func TestScreenOfASignedInPerson(t *testing.T) {
	leaveToProof(t, "a screen seldom has a person who is signed in")
	t.Parallel()
	d := startHouse(t)
	d.addPerson(t, "nora@example.org", "Nora")
	p := d.openAs(t, "nora@example.org", "/display/stage", tv)
	p.waitForText("Somebody is signed in here. Sign out first to make this a screen.")
	p.waitForText("Stage")
	p.assertAccessible("a signed-in person at a display")
	p.saveBothOrientations("signed-in")
	p.click("button", "Sign out")
	p.pairingCode()
}
