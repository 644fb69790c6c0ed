package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// textSettings are what people do with the text of pages (WCAG 2.2, 1.4.4, 1.4.10 and 1.4.12).
var textSettings = []struct {
	name string
	view
	css string
}{
	{"200 percent", view{width: 390, height: 844, reduced: true}, `html { font-size: 200% }`},
	{"200 percent wide", view{width: 1280, height: 800, reduced: true}, `html { font-size: 200% }`},
	{"spaced", view{width: 320, height: 640, reduced: true}, `
		* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
		p { margin-block-end: 2em !important }`},
}

// illegible describes text that is cut off, that is under other text, or whose lines overlap. Text may be
// shortened where it ends in an ellipsis, where it is only for screen readers, and in a picture of a screen.
const illegible = `(() => {
	const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
	const found = [], pieces = [], texts = [];
	const above = (e) => e.parentElement ?? e.getRootNode().host;
	const collect = (root) => {
		const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		while (walker.nextNode())
			if (above(walker.currentNode).localName !== "style") texts.push(walker.currentNode);
		for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) collect(shadowRoot);
	};
	collect(top);
	const boxesOf = (text) => { // without the space at the end of a line, which may stick out
		const words = getComputedStyle(above(text)).whiteSpace === "pre-wrap" ? /\S+/g : /[^]+/g;
		return [...text.data.matchAll(words)].flatMap(({ 0: word, index }) => {
			const range = document.createRange();
			range.setStart(text, index);
			range.setEnd(text, index + word.length);
			return [...range.getClientRects()];
		});
	};
	const describe = (e) => e.localName + "." + e.className + " " + JSON.stringify(e.textContent.slice(0, 40));
	const shortened = (look) =>
		look.clipPath !== "none" || look.webkitLineClamp !== "none" || look.textOverflow === "ellipsis";
	const visible = (line, edge) => {
		const [x, y] = [Math.max(line.left, edge.left), Math.max(line.top, edge.top)];
		return new DOMRect(x, y, Math.min(line.right, edge.right) - x, Math.min(line.bottom, edge.bottom) - y);
	};
	const outside = (line, edge) => line.right > edge.right + 2 || line.left < edge.left - 2 ||
		line.bottom > edge.bottom + 2 || line.top < edge.top - 2;
	for (const text of texts) {
		const parent = above(text);
		if (text.data.trim() === "" || parent.closest("main .screen, .d-toast, option")) continue;
		if (!parent.checkVisibility({ visibilityProperty: true })) continue;
		const { lineHeight, fontSize } = getComputedStyle(parent);
		const size = parseFloat(fontSize);
		const shown = ({ width, height }) => width > 1 && height > 1;
		let lines = boxesOf(text).filter(shown);
		if (lines.length > 1 && parseFloat(lineHeight) < 1.1 * size)
			found.push("lines overlap in " + describe(parent));
		for (let box = parent; box && box !== top.parentElement; box = above(box)) {
			const look = getComputedStyle(box);
			const edge = box.getBoundingClientRect();
			if (box.matches("button, .d-button, .d-chip") && lines.some((line) => outside(line, edge)))
				found.push(describe(parent) + " sticks out of " + describe(box));
			if (shortened(look) || /fixed|sticky/.test(look.position)) lines = [];
			else if (/auto|scroll/.test(look.overflow)) lines = lines.map((line) => visible(line, edge)).filter(shown);
			else if (/hidden|clip/.test(look.overflow) && lines.some((line) => outside(line, edge)))
				found.push("cut off: " + describe(parent));
		}
		for (const line of lines) pieces.push({ line, parent, above: (line.height - size) / 2 });
	}
	for (const field of top.querySelectorAll("input:is([type=date], [type=time])")) {
		const [before, has] = [field.style.cssText, field.offsetWidth];
		field.style.cssText = "flex: none; inline-size: min-content; min-inline-size: 0; max-inline-size: none";
		if (has < field.offsetWidth - 1) found.push("cut off: the text of " + field.outerHTML.slice(0, 80));
		field.style.cssText = before;
	}
	for (const [at, one] of pieces.entries())
		for (const other of pieces.slice(at + 1)) {
			if (one.parent === other.parent) continue;
			const across = Math.min(one.line.right, other.line.right) - Math.max(one.line.left, other.line.left);
			const down = Math.min(one.line.bottom - one.above, other.line.bottom - other.above) -
				Math.max(one.line.top + one.above, other.line.top + other.above);
			if (across > 3 && down > 3) found.push(describe(one.parent) + " is under " + describe(other.parent));
		}
	return [...new Set(found)].slice(0, 6).join("\n");
})()`

// screensOfHouse are the screens without a form; forms are the others.
var screensOfHouse = []string{
	"", "admin/modules", "admin/modules/rota", "admin/activity", "admin/screens", "admin/people",
	"admin/permissions", "admin/navigation", "m/announcements", "m/announcements/preview", "m/calendar",
	"m/calendar/week", "m/calendar/list", "m/calendar/transfer", "m/checklists",
	"m/checklists/lists", "m/checklists/round/{round}", "m/rota", "m/rota/volunteers", "m/rota/mine",
	"m/rota/transfer", "m/stage", "m/stage/past", "m/stage/songs", "m/stage/service/{service}",
	"m/stage/live/{service}", "nowhere",
}

// TestLargerText: on every screen, text of twice the size and text with wide spacing need no horizontal
// scrolling, and no text is cut off or under other text.
func TestLargerText(t *testing.T) {
	leaveToProof(t, "it opens every screen and form in two settings of text")
	t.Parallel()
	d := startHouse(t)
	addresses := d.houseAddresses(t)
	p := d.openAs(t, "owner@example.org", "/#/"+addresses.Replace("m/stage/live/{service}"), desktop)
	p.click("button", "Take control")
	p.find("button", "Message")
	check := func(name string) {
		for _, setting := range textSettings {
			p.setView(setting.view)
			p.runScript(fmt.Sprintf(`document.getElementById("text-setting")?.remove();
				const style = Object.assign(document.createElement("style"), { id: "text-setting", textContent: %q });
				document.head.append(style);
				await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`,
				setting.css))
			over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`)
			if over > 0 {
				t.Errorf("%s, %s: %d pixels too wide: %s", name, setting.name, over, eval[string](p, tooWide))
			}
			if faults := eval[string](p, illegible); faults != "" {
				t.Errorf("%s, %s:\n%s", name, setting.name, faults)
			}
			p.screenshot("text-" + strings.ReplaceAll(name+"-"+setting.name, "/", "-"))
		}
		p.setView(desktop)
		p.runScript(`document.getElementById("text-setting").remove()`)
	}
	settled := `!document.querySelector("main [aria-busy=true], main .d-skeleton")`
	for _, path := range screensOfHouse {
		p.runScript(`location.hash = "#/` + addresses.Replace(path) + `"`)
		p.waitFor(`document.querySelector("main h1") && document.activeElement.tagName === "H1" && ` + settled)
		check(path)
	}
	for _, form := range forms {
		p.runScript(`location.hash = "#/admin/activity"`) // some forms have the same field
		p.waitForHeading("Activity")
		p.openForm(addresses.Replace(form.path), form.opener, form.field)
		p.waitFor(settled)
		check(form.name)
	}
}

// tooWide lists the innermost elements that reach out of the window.
const tooWide = `(() => {
	const out = (e) => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1;
	return [...document.querySelectorAll("body *")].filter((e) => out(e) && ![...e.children].some(out))
		.map((e) => e.tagName + "." + e.className).slice(0, 6).join(" ");
})()`
