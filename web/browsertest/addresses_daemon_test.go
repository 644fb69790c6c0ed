package browsertest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// typedAddresses are what people type: the address that it leads to, and a text of what is there.
var typedAddresses = map[string][2]string{
	"/m/rota":                      {"/#/m/rota", "My dates"},
	"/m/rota/":                     {"/#/m/rota/", "Rota"},
	"/#/m/Rota/volunteers/":        {"/#/m/Rota/volunteers/", "Add a volunteer"},
	"/account":                     {"/#/account", "Save name"},
	"/.well-known/change-password": {"/#/account", "Save name"},
	"/#/account/":                  {"/#/account/", "Save name"},
	"/#account":                    {"/#account", "Save name"},
	"/#/Account//":                 {"/#/Account//", "Save name"},
	"/#/admin/people/":             {"/#/admin/people/", "People"},
	"/calender":                    {"/#/calender", "There is nothing at this address."},
	"/index.html":                  {"/#/index.html", "There is nothing at this address."},
	"/m/nowhere/at/all":            {"/#/m/nowhere/at/all", "There is no such module here"},
	"/display":                     {"/display", "There is no display at this address."},
	"/display/":                    {"/display/", "There is no display at this address."},
	"/display//":                   {"/display//", "There is no display at this address."},
	"/display/announcements/":      {"/display/announcements", ""},
}

// TestTypedAddresses: an address that a person has typed or abridged leads to what they meant, or says that
// nothing is there.
func TestTypedAddresses(t *testing.T) {
	leaveToProof(t, "it opens many addresses")
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/", desktop)
	p.waitForHome()
	for typed, want := range typedAddresses {
		p.do(chromedp.Navigate("about:blank"))
		p.runScript(fmt.Sprintf(`setTimeout(() => location.assign(%q))`, d.address+typed))
		p.waitFor(fmt.Sprintf(`location.href === %q`, d.address+want[0]))
		p.waitForText(want[1])
	}
	p.screenshot("typed-display")
	for _, row := range []struct{ path, accept, kind string }{
		{"/m/rota", "text/html,*/*;q=0.8", "text/html; charset=utf-8"},
		{"/m/rota", "*/*", "application/json"},
		{"/m/rota", "application/json", "application/json"},
		{"/api/v1/nowhere", "text/html", "application/json"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.address+row.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", row.accept)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		isCode := string(body) == `{"code":"NOT_FOUND"}`
		if response.StatusCode != http.StatusNotFound || response.Header.Get("Content-Type") != row.kind ||
			isCode != (row.kind == "application/json") {
			t.Errorf("GET %s, Accept %s: status %d, %v, want 404 and %s; body %.60s", row.path, row.accept,
				response.StatusCode, response.Header, row.kind, body)
		}
	}
}

// TestMonthInTheAddress: the month that the calendar shows is shown again after a reload, in a second tab,
// and after Back. The button that leads from month to month keeps the focus.
func TestMonthInTheAddress(t *testing.T) {
	leaveToProof(t, "it opens the calendar in several tabs")
	t.Parallel()
	d := startHouse(t)
	p := d.openAs(t, "owner@example.org", "/", desktop)
	p.waitForHome()
	p.do(chromedp.Navigate(d.address + "/#/m/calendar/month/2027-03-10"))
	p.waitForText("March 2027")
	for _, month := range []string{"April", "May"} {
		p.click("button", "Next month")
		p.waitForText(month + " 2027")
		p.waitFor(fmt.Sprintf(`location.hash.startsWith("#/m/calendar/month/2027-%s")`,
			map[string]string{"April": "04", "May": "05"}[month]))
		p.waitFor(`document.activeElement.ariaLabel === "Next month"`)
	}
	p.openTab(eval[string](p, "location.href")).waitForText("May 2027")
	p.reload()
	p.waitForText("May 2027")
	p.click("radio", "Week")
	p.waitFor(`location.hash.startsWith("#/m/calendar/week/2027-05")`)
	for _, before := range []string{"May 2027", "April 2027", "March 2027"} {
		p.runScript(`history.back()`)
		p.waitForText(before)
	}
	p.runScript(`document.querySelector('[data-day="2027-03-10"]').focus()`)
	for _, day := range []string{"11", "12", "13"} { // a day is no step of Back
		p.key(kb.ArrowRight)
		p.waitFor(`document.activeElement.dataset.day === "2027-03-` + day + `"`)
		p.waitFor(`location.hash === "#/m/calendar/month/2027-03-` + day + `"`)
	}
	p.runScript(`history.back()`)
	p.waitForHome()

	// the address changes as soon as the month is there, and before the frame after which Calendar follows it
	p.runScript(`window.requestAnimationFrame = () => 0;
	new MutationObserver((_, observer) => {
		if (!document.querySelector("main").innerText.includes("March 2027")) return;
		observer.disconnect();
		location.hash = "#/m/calendar/month/2027-04-10";
	}).observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
	location.hash = "#/m/calendar/month/2027-03-10"`)
	p.waitForText("April 2027")
}

// TestTooManyCookies: a browser that keeps more cookies of other sites than a head may have is told what to
// do.
func TestTooManyCookies(t *testing.T) {
	leaveToProof(t, "a browser seldom has so many cookies")
	t.Parallel()
	d := startHouse(t)
	p := openPage(t, "about:blank", desktop)
	for i := range 8 {
		if _, err := chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{
			Name: fmt.Sprint("foreign", i), Value: strings.Repeat("x", 4000), URL: d.address,
		}); err != nil {
			t.Fatal(err)
		}
	}
	p.runScript(fmt.Sprintf(`setTimeout(() => location.assign(%q))`, d.address+"/#/m/rota"))
	p.waitForText("Delete the cookies of this address")
	p.waitForText("Zu viele Cookies")
	p.assertAccessible("the page about cookies")
	p.screenshot("too-many-cookies")
}
