package browsertest

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/narthex-platform/narthex/web"
)

// gallery opens the kit's gallery, as "narthex dev" serves it.
func gallery(t *testing.T, query string, v view) *tab {
	t.Helper()
	server := httptest.NewServer(withFonts(web.Gallery()))
	t.Cleanup(server.Close)
	p := openPage(t, server.URL+"/"+query, v)
	p.find("heading", "Kit")
	p.waitFor(`document.querySelector(".skeleton i")`)
	return p
}

// TestGallery looks at every component in every size, in both themes and both directions of writing, and in
// forced colours.
func TestGallery(t *testing.T) {
	t.Parallel()
	for _, query := range []string{"", "?theme=dark", "?dir=rtl"} {
		t.Run("gallery"+query, func(t *testing.T) {
			t.Parallel()
			p := gallery(t, query, view{width: desktop.width, height: desktop.height, reduced: true})
			for _, size := range []view{desktop, {width: 700, height: 800}, narrow} {
				size.reduced = true
				p.setView(size)
				p.assertFits()
				p.assertAccessible(fmt.Sprintf("gallery%s at %d pixels", query, size.width))
				p.screenshot(fmt.Sprintf("gallery%s-%d", query, size.width))
			}
			p.forceColors()
			p.waitFor(`matchMedia("(forced-colors: active)").matches`)
			// What tells a switch that is on from one that is off must not be a ground that the browser takes away.
			p.waitFor(`(() => {
				const [on, off] = document.querySelectorAll("[role=switch]");
				return getComputedStyle(on).backgroundColor !== getComputedStyle(off).backgroundColor;
			})()`)
			p.screenshot("gallery" + query + "-forced")
		})
	}
}

// TestKitMenu: arrows, Home, End and letters move, Escape and a choice give the focus back, what is idle
// does nothing.
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

// TestKitCombobox: Down opens, Enter takes, Escape closes and then clears, and the count is said.
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

// TestKitBusyButton: while the work of a button is under way it shows so and takes no further press.
func TestKitBusyButton(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	for _, begun := range []string{"Begun: 1", "Begun: 2"} {
		p.click("button", "Send")
		p.waitFor(`[...document.querySelectorAll("[aria-busy=true] .ring")].length === 3`)
		p.click("button", "Send")
		p.click("button", "Let it arrive")
		p.waitForAnnouncement(begun)
		p.waitFor(`[...document.querySelectorAll("[aria-busy=true] .ring")].length === 2`)
	}
}

// TestKitDirection: an empty field runs as the page does, and one with text as its text.
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

// TestKitDialogs: the safe answer has the focus, Escape is no, and the focus returns.
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

// TestKitToasts: good news goes by itself but not while it is held, errors stay until they are closed.
func TestKitToasts(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.click("button", "Move it")
	p.waitForAnnouncement("Not moved.")
	p.click("button", "Close")
	p.waitFor(`document.querySelector(".toast[data-empty]")`)
	p.click("button", "Take it down")
	p.waitForVisibleText("Choir practice taken down.")
	p.click("button", "Undo")
	p.waitForAnnouncement("Undone")
	p.click("button", "Move it")
	p.click("button", "Try again")
	p.waitForAnnouncement("Moved")
}

// TestKitToastOverDialog: all but the uppermost dialog is inert, so a toast stands in that. It can be seen
// and pressed there, covers none of the dialog's buttons, and outlives the dialog.
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
				const toast = document.querySelector(".toast").getBoundingClientRect();
				const footer = document.querySelector("dialog .dialog-footer").getBoundingClientRect();
				return toast.top >= 0 && (toast.bottom <= footer.top || toast.right <= footer.left);
			})()`)
			if !free {
				t.Error("the toast covers the buttons of the dialog, or is outside the page")
			}
			p.click("button", "Try again")
			p.waitForAnnouncement("Renamed")
			p.find("dialog", "Rename Back wall")

			p.click("button", "Rename without the network")
			p.waitForAnnouncement("Not renamed.")
			p.runScript(`document.querySelector(".toast button.icon").focus()`)
			p.key("\x1b") // closes the toast alone
			p.waitFor(`document.querySelector(".toast[data-empty]")`)
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

// TestKitReorder: a row moves by keys, by buttons and by dragging, which Escape cancels.
func TestKitReorder(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	order := func(want string) {
		t.Helper()
		p.waitFor(fmt.Sprintf(`[...document.querySelectorAll("ol.list .name")].map((name) => `+
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
	p.runScript(drag + `point("pointerup", 5);`) // less than the slop is no drag
	order("Rota,Announcements,Stage")
	p.runScript(drag + `point("pointermove", 300); await paint(); point("pointerup", 300);`)
	order("Announcements,Stage,Rota")
	p.waitForAnnouncement("rota moved, position 3 of 3")
}

// TestKitFields: the first field that is wrong takes the focus, a code is read as people write it.
func TestKitFields(t *testing.T) {
	t.Parallel()
	p := gallery(t, "", desktop)
	p.click("button", "Check the form")
	p.waitForText("A notice needs a title.")
	p.waitFor(`document.activeElement.labels?.[0]?.textContent === "Title"`)
	p.fill("Code on the screen", "48-29 13x7")
	p.waitFor(`document.querySelector(".code-input").value === "482 913"`)
	p.click("switch", "Start after restart")
	p.waitFor(`!document.querySelector("[role=switch]").checked`)
	p.key(" ")
	p.waitFor(`document.querySelector("[role=switch]").checked`)
}
