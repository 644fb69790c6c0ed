package browsertest

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// holdFirst lets the next request of a route wait until open is called; waiting is closed when it is there.
func (h *fixture) holdFirst(route string) (waiting <-chan struct{}, open func()) {
	came, opened := make(chan struct{}), make(chan struct{})
	var later atomic.Bool
	h.handle(route, func(w http.ResponseWriter, r *http.Request) {
		if later.CompareAndSwap(false, true) {
			close(came)
			select {
			case <-opened:
			case <-r.Context().Done():
			}
		}
		h.platform.ServeHTTP(w, r)
	})
	return came, func() { close(opened) }
}

// toldOfSessions notes the messages of other tabs about who is signed in. Requests wait however long the
// machine needs for what happens meanwhile.
const toldOfSessions = `new BroadcastChannel("narthex-session").onmessage = () => (window.told = true);
	AbortSignal.timeout = () => new AbortController().signal;`

// TestSignInWhileAnotherTabAsks: a tab that has asked who is signed in before somebody signed in in another
// tab, and gets its answer afterwards, shows that person, and not the form to sign in.
func TestSignInWhileAnotherTabAsks(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	waiting, open := h.holdFirst("GET /api/v1/principal")
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(toldOfSessions)
	p.do(chromedp.Navigate(h.URL))
	<-waiting
	other := p.openTab(h.URL)
	other.fill("E-mail", "owner@example.org")
	other.fill("Password", d.password)
	other.click("button", "Sign in")
	other.waitForHome()
	p.waitFor(`window.told`)
	open()
	p.waitForHome()
}

// TestRefusalOlderThanASignIn: a request that was sent with a session that has ended, and is refused only
// after somebody has signed in again in another tab, signs nobody out: what is shown stays, and is read
// again.
func TestRefusalOlderThanASignIn(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	h := d.front(t)
	p := h.openAs("owner@example.org", "/#/account", desktop)
	p.waitForText("This browser") // the sections that come later have read, too
	p.find("button", "Add")
	h.awaitRead(p)
	waiting, open := h.holdFirst("GET /api/v1/account")
	p.runScript(toldOfSessions + `dispatchEvent(new Event("online"))`)
	<-waiting
	h.awaitReadBut(p, 1) // a later response would truly say that nobody is signed in
	p.fill("Name", "Half")
	d.exec(t, `DELETE FROM core.session`)
	other := p.openTab(h.URL)
	other.fill("E-mail", "owner@example.org")
	other.fill("Password", d.password)
	other.click("button", "Sign in")
	other.waitForHome()
	p.waitFor(`window.told`)
	read := h.countRequests("GET /api/v1/account")
	open()
	p.waitUntil("the account is read again", func() bool {
		return h.countRequests("GET /api/v1/account") > read
	})
	p.find("button", "Save name")
	p.waitFor(`document.querySelector("main form input").value === "Half"`)
}
