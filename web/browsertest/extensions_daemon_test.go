package browsertest

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// extension is what extensions of browsers do to a page: attributes and an icon at every field, marks in
// lists and forms, elements of their own in the page, and a style sheet; again whenever it changes.
const extension = `
	const mark = (name) => Object.assign(document.createElement(name), { hidden: true });
	new MutationObserver(() => {
		for (const field of document.querySelectorAll(":is(input, textarea):not([data-lt])")) {
			field.setAttribute("data-lt", "1");
			field.setAttribute("data-gramm", "false");
			field.style.setProperty("background-image", "none", "important");
			field.after(mark("password-icon"));
			field.before(mark("spelling-overlay"));
		}
		const kinds = ":is(ul, ol, tbody, form, main, dialog, li, td)";
		for (const list of document.querySelectorAll(kinds + ":not([data-seen])")) {
			list.setAttribute("data-seen", "1");
			list.prepend(mark("ext-before"));
			list.append(mark("ext-after"));
		}
		const { body, head } = document;
		if (body && !document.querySelector("body > ext-root")) {
			body.prepend(mark("ext-root"));
			body.classList.add("ext-on");
			document.getElementById("root")?.prepend(mark("ext-inside"));
			document.getElementById("root")?.append(mark("ext-inside"));
			head.append(Object.assign(document.createElement("style"), { textContent: "ext-root { color: red }" }));
		}
	}).observe(document, { subtree: true, childList: true });`

// TestExtensions: what extensions insert into the page changes nothing of what it says and does.
func TestExtensions(t *testing.T) {
	t.Parallel()
	d := startHouse(t)
	p := openPage(t, "about:blank", desktop)
	p.onNewDocument(extension)
	p.do(chromedp.Navigate(d.address))
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	// The account lists the sessions, so both pages need the same one.
	cookies, err := chromedp.Call(p.ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil || len(cookies.Cookies) != 1 {
		t.Fatalf("the session after the sign-in: %v, %v, want one cookie", cookies, err)
	}
	session := &http.Cookie{Name: cookies.Cookies[0].Name, Value: cookies.Cookies[0].Value}
	plain := d.openIn(t, chromium, session, "/", desktop)
	plain.waitForHome()

	p.click("link", "Announcements")
	p.click("button", "Write a notice")
	p.fill("Title", "Harvest supper")
	p.click("button", "Save")
	p.find("link", "Harvest supper")
	p.chooseMenuItem("More for Harvest supper", "Move up")
	p.waitFor(`heard.some((words) => words.startsWith("Harvest supper moved, position"))`)
	p.click("button", "Take down Harvest supper")
	p.waitForAnnouncement("Harvest supper is taken down")
	p.runScript(`location.hash = "#/m/calendar/rooms"`)
	p.fill("New room", "Yard")
	p.key("\r")
	p.click("button", "Delete Yard")
	p.waitForNone("button", "Delete Yard")
	p.runScript(`location.hash = "#/admin/navigation"`)
	p.click("button", "Add group")
	p.fill("Name of the group", "Foyer")
	p.click("button", "Add")
	p.find("heading", "Foyer")
	const said = `document.querySelector("main h1") && !document.querySelector(
		"main [aria-busy=true], main .d-skeleton")
		? document.querySelector("main").innerText.replace(/\s+/g, " ") : ""`
	for _, path := range few("m/calendar/rooms", "m/calendar", "m/rota", "m/stage", "admin/navigation",
		"admin/people", "account") {
		for _, page := range []*tab{plain, p} {
			page.runScript(`location.hash = "#/` + path + `"`)
			page.waitFor(`document.activeElement.tagName === "H1"`)
		}
		plain.reload() // what the other page has changed
		p.waitUntil(path+" says the same with extensions", func() bool {
			words := eval[string](plain, said)
			return words != "" && eval[string](p, said) == words
		})
	}
}
