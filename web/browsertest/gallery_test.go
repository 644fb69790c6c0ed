package browsertest

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/narthex-platform/narthex/web"
)

// gallery opens the gallery of the kit, as "narthex dev" serves it.
func gallery(t *testing.T, query string, v view) *tab {
	t.Helper()
	server := httptest.NewServer(withFonts(web.Gallery()))
	t.Cleanup(server.Close)
	p := openPage(t, server.URL+"/"+query, v)
	p.find("heading", "Kit")
	p.waitFor(`document.querySelector(".d-skeleton i")`)
	return p
}

// TestGallery checks every component in every size, in both themes, in both writing directions, in German,
// and in forced colours.
func TestGallery(t *testing.T) {
	t.Parallel()
	for _, query := range few("", "?theme=dark", "?dir=rtl", "?lang=de") {
		t.Run("gallery"+query, func(t *testing.T) {
			t.Parallel()
			p := gallery(t, query, view{width: desktop.width, height: desktop.height, reduced: true})
			for _, size := range []view{desktop, {width: 700, height: 800}, narrow} {
				size.reduced = true
				p.setView(size)
				p.assertFits()
				if !testing.Short() || size.width == narrow.width {
					p.assertAccessible(fmt.Sprintf("gallery%s at %d pixels", query, size.width))
				}
				p.screenshot(fmt.Sprintf("gallery%s-%d", query, size.width))
			}
			p.forceColors()
			p.waitFor(`matchMedia("(forced-colors: active)").matches`)
			// A switch that is on must differ from one that is off by more than a background that the browser
			// removes.
			p.waitFor(`(() => {
				const [on, off] = document.querySelectorAll("[role=switch]");
				return getComputedStyle(on).backgroundColor !== getComputedStyle(off).backgroundColor;
			})()`)
			p.screenshot("gallery" + query + "-forced")
		})
	}
}

// TestKitMenu: arrows, Home, End and letters move the focus, Escape and a choice return it, and a disabled
// item does nothing.
func TestKitMenu(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	focused := func(name string) {
		t.Helper()
		p.waitFor(
			fmt.Sprintf(`(document.activeElement.textContent.trim() || document.activeElement.ariaLabel) === %q`,
				name),
		)
	}
	p.click("button", "More for Welcome")
	focused("Edit")
	for _, step := range []struct{ key, name string }{
		{kb.ArrowDown, "Show now"}, {kb.ArrowDown, "Copy as text"}, {kb.ArrowDown, "Delete …"},
		{kb.ArrowDown, "Edit"},
		{kb.ArrowUp, "Delete …"}, {kb.Home, "Edit"}, {kb.End, "Delete …"}, {"s", "Show now"}, {"c", "Copy as text"},
	} {
		p.key(step.key)
		focused(step.name)
	}
	p.key("\r")
	focused("Copy as text")
	p.key("\x1b")
	focused("More for Welcome")
	p.waitForNone("menu", "More for Welcome")
	p.key(kb.ArrowDown)
	focused("Edit")
	p.key("\r")
	p.waitForAnnouncement("Edit")
	focused("More for Welcome")
	p.click("button", "More for Welcome")
	p.find("menu", "More for Welcome")
	p.click("heading", "Kit")
	p.waitForNone("menu", "More for Welcome")
}

// TestKitCombobox: Down opens the list, Enter chooses, Escape first closes and then clears, and the number of
// results is announced.
func TestKitCombobox(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.runScript(`document.querySelector("[role=combobox]").focus()`)
	expanded := func(open bool) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.querySelector("[role=combobox]").ariaExpanded === "%t"`, open))
	}
	value := func(text string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`document.querySelector("[role=combobox]").value === %q`, text))
	}
	expanded(false)
	p.key(kb.ArrowDown)
	expanded(true)
	p.key("\x1b")
	expanded(false)
	p.key("read")
	p.waitForAnnouncement("2 matches")
	p.key(kb.ArrowDown)
	p.waitFor(`document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).` +
		`textContent.includes("Reader 3")`)
	p.key("\r")
	expanded(false)
	value("Reader 3")
	p.key("\x1b")
	value("")
	p.key("nobody")
	p.waitForAnnouncement("0 matches")
	p.waitForVisibleText("Nothing matches.")
}

// TestKitBusyButton: while its action is in progress a button shows so and ignores further presses.
func TestKitBusyButton(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	for _, started := range []string{"Started: 1", "Started: 2"} {
		p.click("button", "Send")
		p.waitFor(`[...document.querySelectorAll("[aria-busy=true] .d-ring")].length === 3`)
		p.click("button", "Send")
		p.click("button", "Let it arrive")
		p.waitForAnnouncement(started)
		p.waitFor(`[...document.querySelectorAll("[aria-busy=true] .d-ring")].length === 2`)
	}
}

// TestKitDirection: an empty field has the page's direction, and one with text the direction of its text.
func TestKitDirection(t *testing.T) {
	t.Parallel()
	p := gallery(t, "?dir=rtl", desktop)
	for _, field := range []struct{ role, name string }{{"combobox", "Person"}, {"textbox", "Title"}} {
		assertDirection := func(what, want string) {
			t.Helper()
			p.waitFor(fmt.Sprintf(`document.activeElement.labels?.[0]?.textContent === %q && `+
				`getComputedStyle(document.activeElement).direction === %q /* %s */`, field.name, want, what))
		}
		p.click(field.role, field.name)
		assertDirection("empty", "rtl")
		p.enter(field.role, field.name, "Reader")
		assertDirection("of Latin letters", "ltr")
		p.enter(field.role, field.name, "קורא")
		assertDirection("of Hebrew letters", "rtl")
	}
}

// TestKitDialogs: the safe choice has the focus, Escape means no, and the focus returns.
func TestKitDialogs(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.click("button", "Switch off")
	p.find("dialog", "Switch off Announcements?")
	p.waitFor(`document.activeElement.textContent === "Leave it on"`)
	p.key("\x1b")
	p.waitForAnnouncement("Left on")
	p.waitForNone("dialog", "Switch off Announcements?")
	p.waitFor(`document.activeElement.textContent === "Switch off"`)
	p.click("button", "Rename")
	p.find("dialog", "Rename Back wall")
	p.waitFor(`document.activeElement.tagName === "INPUT"`)
	p.key("\x1b")
	p.waitForNone("dialog", "Rename Back wall")
	p.waitFor(`document.activeElement.textContent === "Rename"`)
}

// TestKitToasts: a success disappears by itself, unless the pointer or the focus is on it; an error stays
// until it is closed.
func TestKitToasts(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.click("button", "Move it")
	p.waitForAnnouncement("Not moved.")
	p.click("button", "Close")
	p.waitFor(`document.querySelector(".d-toast[data-empty]")`)
	p.click("button", "Take it down")
	p.waitForVisibleText("Choir practice taken down.")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone")
	p.click("button", "Move it")
	p.click("button", "Try again")
	p.waitForAnnouncement("Moved")
}

// TestKitToastOverDialog: everything but the uppermost dialog is inert, so a toast is shown inside that
// dialog. It is visible and can be clicked there, covers nothing of the dialog, and outlives it.
func TestKitToastOverDialog(t *testing.T) {
	t.Parallel()
	for name, view := range map[string]view{"desktop": desktop, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := gallery(t, "", view)
			p.click("button", "Rename")
			p.click("button", "Rename without the network")
			p.waitForAnnouncement("Not renamed.")
			p.find("alert", "")
			free := eval[bool](p, `(() => {
				const toast = document.querySelector(".d-toast").getBoundingClientRect();
				return toast.top >= 0 && toast.bottom <= document.querySelector("dialog").getBoundingClientRect().top;
			})()`)
			if !free {
				t.Error("the toast covers a part of the dialog, or is outside the page")
			}
			p.click("button", "Try again")
			p.waitForAnnouncement("Renamed")
			p.find("dialog", "Rename Back wall")

			p.click("button", "Rename without the network")
			p.waitForAnnouncement("Not renamed.")
			p.runScript(`document.querySelector(".d-toast button.d-icon").focus()`)
			p.key("\x1b") // closes only the toast
			p.waitFor(`document.querySelector(".d-toast[data-empty]")`)
			p.find("dialog", "Rename Back wall")
			p.click("button", "Rename without the network")
			p.waitForAnnouncement("Not renamed.")
			p.click("button", "Rename it")
			p.waitForNone("dialog", "Rename Back wall")
			p.click("button", "Try again")
			p.waitForAnnouncement("Renamed")
		})
	}
}

// TestKitReorder: a row can be moved with keys, buttons and by dragging, which Escape cancels.
func TestKitReorder(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	order := func(want string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("ol.d-list .d-name")].map((name) => `+
			`name.textContent).join() === %q`, want))
	}
	order("Stage,Rota,Announcements")
	p.runScript(`document.querySelector("[aria-label='Move Stage']").focus()`)
	p.key(kb.ArrowUp, chromedp.ModifierAlt) // is the first already
	order("Stage,Rota,Announcements")
	p.key(kb.ArrowDown, chromedp.ModifierAlt)
	p.waitForAnnouncement("stage moved, position 2 of 3")
	order("Rota,Stage,Announcements")
	p.waitFor(`document.activeElement.ariaLabel === "Move Stage"`)
	p.click("button", "Move up: Announcements")
	order("Rota,Announcements,Stage")
	drag := `
		const grip = document.querySelector("[aria-label='Move Rota']");
		grip.scrollIntoView({ block: "center" });
		grip.setPointerCapture = () => undefined; // a pointer that only this test has
		const { y } = grip.getBoundingClientRect();
		const point = (type, dy) => grip.dispatchEvent(
			new PointerEvent(type, { bubbles: true, button: 0, pointerId: 7, clientY: y + 5 + dy }));
		const paint = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
		point("pointerdown", 0);
		point("pointermove", 5);
		await paint();`
	p.runScript(drag + `point("pointermove", 300); await paint();`)
	order("Announcements,Stage,Rota")
	p.runScript(
		`document.querySelector("[aria-label='Move Rota']").dispatchEvent(new KeyboardEvent("keydown", { ` +
			`key: "Escape", bubbles: true }))`,
	)
	order("Rota,Announcements,Stage")
	p.runScript(drag + `point("pointerup", 5);`) // a movement below the threshold is not a drag
	order("Rota,Announcements,Stage")
	p.runScript(drag + `point("pointermove", 300); await paint(); point("pointerup", 300);`)
	order("Announcements,Stage,Rota")
	p.waitForAnnouncement("rota moved, position 3 of 3")
}

// TestKitFields: the first invalid field gets the focus, and a code may be typed with spaces or hyphens.
func TestKitFields(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.click("button", "Check the form")
	p.waitForText("A notice needs a title.")
	p.waitFor(`document.activeElement.labels?.[0]?.textContent === "Title"`)
	p.fill("Code on the screen", "48-29 13x7")
	p.waitFor(`document.querySelector(".d-code-input").value === "482 913"`)
	p.click("switch", "Start after restart")
	p.waitFor(`!document.querySelector("[role=switch]").checked`)
	p.key(" ")
	p.waitFor(`document.querySelector("[role=switch]").checked`)
}
