package browsertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// blockedCookies makes a page like that of a browser that blocks cookies: Firefox throws for channels and
// storage, others for workers and caches, too.
const blockedCookies = `
	const blocked = () => { throw new DOMException("The operation is insecure.", "SecurityError"); };
	window.BroadcastChannel = function () { blocked(); };
	for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"])
		Object.defineProperty(window, name, { get: blocked });
	Object.defineProperty(Navigator.prototype, "serviceWorker", { get: blocked });
	Object.defineProperty(Navigator.prototype, "locks", { get: blocked });
	Object.defineProperty(Navigator.prototype, "cookieEnabled", { get: () => false });`

// TestBlockedCookies: the Dashboard and a screen work as far as they can and say why they cannot do more.
func TestBlockedCookies(t *testing.T) {
	leaveToProof(t, "few browsers keep no cookies")
	t.Parallel()
	d := startHouse(t)
	for path, words := range map[string]string{
		"/": "Sign in",
		// it must not show a code, because the pairing would be lost
		"/display/stage": "A screen keeps its pairing in a cookie. Allow cookies for " +
			strings.TrimPrefix(d.address, "http://") + " in the browser's settings.",
	} {
		p := openPage(t, "about:blank", desktop)
		p.onNewDocument(blockedCookies)
		p.do(chromedp.Navigate(d.address + path))
		p.waitForText(words)
		p.screenshot("blocked-cookies" + strings.ReplaceAll(path, "/", "-"))
		p.assertNoText("type this code")
	}
}

// TestEnterThatEndsAComposition: the Enter that ends a word of an input method picks nothing from a list.
func TestEnterThatEndsAComposition(t *testing.T) {
	leaveToProof(t, "few people use input methods")
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/#/admin/activity", desktop)
	p.find("combobox", "Action")
	p.click("combobox", "Action")
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.ImeSetComposition, input.ImeSetCompositionParams{
			Text: "s", SelectionStart: 1, SelectionEnd: 1,
		})
		return err
	}))
	p.waitFor(`document.querySelector("[role=option]:not([hidden])")`)
	p.key("\r")
	if got := eval[string](p, `document.activeElement.value`); got != "s" {
		t.Errorf("Enter of a composition chose %q", got)
	}
}

// TestWrongComputerClock: what counts as live follows the server's time, also before a stream has sent it.
func TestWrongComputerClock(t *testing.T) {
	leaveToProof(t, "the clock of a computer is seldom wrong")
	t.Parallel()
	d := startHouse(t)
	session := d.signIn(t, "owner@example.org")
	now := time.Now().UTC()
	const layout = "2006-01-02T15:04:05.000Z"
	d.send(t, session, "POST", "/api/v1/modules/announcements/slides", strings.NewReader(jsonOf(t, object{
		"title": "Tea", "body": "", "enabled": true,
		"startsAt": now.Add(-30 * time.Minute).Format(layout), "endsAt": now.Add(30 * time.Minute).Format(layout),
	})))
	p := d.openIn(t, chromium, session, "/", desktop)
	p.onNewDocument(hourBehind)
	p.do(chromedp.Navigate(d.address + "/#/m/announcements"))
	p.reload()
	p.waitFor(`new Date().getTime() < performance.timeOrigin - 3_000_000`)
	p.waitForText("Tea")
	const counts = `document.querySelector("main").innerText.match(/\d+ live/)[0]`
	live := d.query(t, `SELECT count(*) || ' live' FROM module_announcements.slides
		WHERE enabled AND coalesce(starts_at <= now(), true) AND coalesce(ends_at > now(), true)`)
	if shown := eval[string](p, counts); shown != live {
		t.Errorf("a computer whose clock is an hour behind shows %s, want %s", shown, live)
	}
	p.screenshot("wrong-clock")
}

// hourBehind sets the clock of a page's computer an hour back.
const hourBehind = `
	const Right = Date;
	window.Date = class extends Right {
		constructor(...parts) { parts.length > 0 ? super(...parts) : super(Right.now() - 3_600_000); }
		static now() { return Right.now() - 3_600_000; }
	};`

// TestRoleWithoutTLS: on a plain HTTP address, where browsers have no crypto.randomUUID, a role can be added.
func TestRoleWithoutTLS(t *testing.T) {
	leaveToProof(t, "few use the platform without TLS")
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/", desktop)
	p.onNewDocument(`delete Crypto.prototype.randomUUID`)
	p.do(chromedp.Navigate(d.address + "/#/m/rota/roles"))
	p.reload()
	p.find("button", "Add a role")
	fields := eval[int](p, `document.querySelectorAll("main input").length`)
	p.click("button", "Add a role")
	p.waitUntil("a field for the new role", func() bool {
		return eval[int](p, `document.querySelectorAll("main input").length`) == fields+1
	})
}

// TestBackAfterLeavingAForm: whoever has left a form with unsaved words by Back or by an address is asked
// nothing, and Back leads to where they were before.
func TestBackAfterLeavingAForm(t *testing.T) {
	leaveToProof(t, "TestLeftFormsKeepADraft leaves forms, too")
	t.Parallel()
	d := startHouse(t)
	session := d.signIn(t, "owner@example.org")
	for name, row := range map[string]struct {
		leave func(p *tab)
		then  string // the heading after leaving
	}{
		"back":    {func(p *tab) { p.runScript(`history.back()`) }, "Announcements"},
		"address": {func(p *tab) { p.runScript(`location.hash = "#/m/calendar"`) }, "Calendar"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := d.openIn(t, chromium, session, "/", desktop)
			p.waitForHome()
			p.click("link", "Announcements")
			p.click("button", "Write a notice")
			p.waitForHeading("New notice")
			p.fill("Title", "Half")
			row.leave(p)
			p.waitForHeading(row.then)
			p.waitForAnnouncement("Your draft is kept.")
			p.runScript(`history.back()`)
			if name == "address" {
				p.waitForHeading("New notice") // with its words, which are kept
				p.waitFor(`document.querySelector("main [required]").value === "Half"`)
				return
			}
			p.waitForHome()
			p.runScript(`history.forward()`)
			p.waitForHeading("Announcements")
		})
	}
}
