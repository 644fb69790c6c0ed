package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// waitForVisibleText waits for a text that is visible: on the screen and not covered. Text that is only for
// screen readers does not count.
func (p *tab) waitForVisibleText(words string) {
	p.t.Helper()
	p.waitFor(visibleText(words))
}

func visibleText(words string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("body *")].some((element) => {
		if (!element.innerText?.includes(%[1]q)) return false;
		if ([...element.children].some((child) => child.innerText?.includes(%[1]q))) return false;
		const { x, y, width, height } = element.getBoundingClientRect();
		if (width < 20 || height < 10) return false;
		const hit = document.elementFromPoint(x + width / 2, y + height / 2);
		return hit !== null && (element.contains(hit) || hit.contains(element));
	})`, words)
}

// offline disconnects the page from the network, or reconnects it.
func (p *tab) offline(offline bool) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		conditions := network.Conditions{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
		state := network.OverrideNetworkStateParams{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}
		if _, err := cdp.Call(ctx, t, network.OverrideNetworkState, state); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{
				MatchedNetworkConditions: []*network.Conditions{&conditions},
			})
		return err
	}))
}

// TestSignOutOffline: a person who presses "Sign out" without a network sees that they are still signed in,
// and can try again from that message.
func TestSignOutOffline(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept)
	p := openPage(t, h.URL+"/#/m/notes", desktop)
	p.waitForText("Here are the notes.")
	p.click("button", "Account")
	p.offline(true)
	p.click("button", "Sign out")
	p.waitForVisibleText("You are still signed in.")
	p.offline(false)
	p.click("button", "Try again")
	p.waitForHeading("Sign in")
}

// TestRefusedWritesAreSeen: every refused write in the list of notices is reported visibly.
func TestRefusedWritesAreSeen(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		refuse  int
		offline bool
		do      func(p *tab)
		words   string
	}{
		"take down, forbidden": {403, false, takeDown, "You no longer have access (announcements.slides.manage)."},
		"take down, conflict":  {409, false, takeDown, "Somebody else has changed this notice meanwhile."},
		"take down, failed":    {500, false, takeDown, "That did not work just now."},
		"take down, offline":   {0, true, takeDown, "You are offline. Nothing is lost, nothing is saved yet."},
		"move, forbidden":      {403, false, moveDown, "You no longer have access (announcements.slides.manage)."},
		"move, conflict":       {409, false, moveDown, "The notices have changed meanwhile."},
		"move, offline":        {0, true, moveDown, "You are offline. Nothing is lost, nothing is saved yet."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newFixture(t)
			h.setSignedIn(person)
			n := newNoticesFixture(t, h, "announcements.slides.read", "announcements.slides.manage")
			p := openPage(t, h.URL+"/#/m/announcements", desktop)
			p.waitForText("Welcome")
			n.mu.Lock()
			n.refuse = row.refuse
			n.mu.Unlock()
			p.offline(row.offline)
			row.do(p)
			p.waitForVisibleText(row.words)
		})
	}
}

func takeDown(p *tab) { p.click("button", "Take down Welcome") }

func moveDown(p *tab) { p.chooseMenuItem("More for Welcome", "Move down") }

// TestMountErrorReachesTheConsole: an error that a module's mount throws is in the browser's console, where
// its author looks.
func TestMountErrorReachesTheConsole(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, `throw new Error("no such shelf");`)
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(
		`window.logged = []; console.error = (...words) => logged.push(words.map(String).join(" "));`,
	)
	p.do(chromedp.Navigate(h.URL + "/#/m/notes"))
	p.waitForText("Notes could not be shown.")
	p.waitFor(`logged.some((line) => line.includes("notes") && line.includes("no such shelf"))`)
	p.assertNoText("no such shelf") // people see only the code; the page of "narthex dev" shows more
}

// TestMountErrorIsOnThePageInDev: under "narthex dev" the page shows the error in the place of the module.
func TestMountErrorIsOnThePageInDev(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, `throw new Error("no such shelf");`)
	h.dev = true
	p := openPage(t, h.URL+"/#/m/notes", desktop)
	p.waitForText("Notes could not be shown.")
	p.waitForVisibleText("no such shelf")
}

// TestFocusAfterRestartNotice: when the banner that had the focus disappears, the focus does not fall back to
// the page.
func TestFocusAfterRestartNotice(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.setSignedIn(person)
	setWaiting(h)
	h.setModuleScript("announcements", `container.textContent = "On the board.";`)
	p := openPage(t, h.URL+"/#/m/announcements", desktop)
	p.waitForText("2 changes wait for a restart.")
	h.respond("GET /api/v1/module-lifecycle", 200, `{"modules":[]}`)
	p.click("button", "Check again")
	p.waitForAnnouncement("Nothing waits for a restart.")
	p.waitForNone("button", "Check again")
	p.waitFor(`document.activeElement.tagName === "H1"`)
}

// TestBusyButtons: a pressed button shows that its action is in progress, and which one.
func TestBusyButtons(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	result := make(chan struct{})
	h.handle("POST /api/auth/sign-in/email", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-result:
		case <-r.Context().Done():
		}
		reply(w, 401, `{"code":"INVALID_EMAIL_OR_PASSWORD"}`)
	})
	p := openPage(t, h.URL, desktop)
	p.fill("E-mail", "owner@example.org")
	p.fill("Password", "wrong")
	before := eval[float64](p, `document.querySelector("[type=submit]").getBoundingClientRect().width`)
	p.click("button", "Sign in")
	p.waitForVisibleText("Signing in")
	p.waitFor(`document.querySelector("[type=submit] .d-ring").getBoundingClientRect().width >= 12`)
	after := eval[float64](p, `document.querySelector("[type=submit]").getBoundingClientRect().width`)
	if after != before {
		t.Errorf("the busy button is %v wide, want the same as before: %v", after, before)
	}
	p.runScript(`document.querySelector("[type=submit]").click()`)
	close(result)
	p.waitForText("That e-mail and password do not match.")
	if n := h.countRequests("POST /api/auth/sign-in/email"); n != 1 {
		t.Errorf("%d sign-ins were sent, want 1: a busy button takes no further press", n)
	}
}

// TestNewVersion: a tab that was open during an upgrade says so, but only when the person returns to it.
func TestNewVersion(t *testing.T) {
	t.Parallel()
	h := newNotesFixture(t, kept)
	p := openClockModule(t, h.URL+"/#/m/notes")
	p.waitForText("Here are the notes.")
	p.runScript(`later(3600000); see(false); see(true)`)
	p.runScript(`await new Promise((resolve) => setTimeout(resolve, 300))`)
	p.assertNoText("A new version is here.")
	h.setBuild("fedcba9876543210")
	p.runScript(`later(3600000); see(false); see(true)`)
	p.waitForVisibleText("A new version is here.")
	p.runScript(`window.first = true`)
	p.click("button", "Reload")
	p.waitFor(`window.first === undefined`)
	p.waitForText("Here are the notes.")
	p.assertNoText("A new version is here.")
}
