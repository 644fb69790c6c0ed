package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// displayTextSettings are the settings of text on displays: twice the size, and what is left of a screen of
// 1280 pixels that shows its pages four times as large (WCAG 2.2, 1.4.4, 1.4.10 and 1.4.12).
var displayTextSettings = []struct {
	name string
	view
	css string
}{
	{"200 percent", tv, `html { font-size: 200% }`},
	{"200 percent at 320", narrow, `html { font-size: 200% }`},
	{"spaced at 320", narrow, textSettings[2].css},
	{"enlarged to 320", view{width: 320, height: 180}, ``},
}

// resize gives a display another size, and waits until it is drawn.
func (p *tab) resize(v view) {
	p.t.Helper()
	p.setView(v)
	p.waitFor(fmt.Sprintf(`innerWidth === %d && innerHeight === %d`, v.width, v.height))
	p.waitForFrames()
}

// assertTextOfDisplay checks what a screen shows in all settings of text.
func (p *tab) assertTextOfDisplay(name string) {
	p.t.Helper()
	for _, setting := range displayTextSettings {
		p.resize(landscape) // another size than the next one, so that displays measure their words again
		p.runScript(fmt.Sprintf(`const roots = [document.head];
			for (const { shadowRoot } of document.querySelectorAll("*")) if (shadowRoot) roots.push(shadowRoot);
			for (const root of roots) {
				root.querySelector(".text-setting")?.remove();
				root.append(Object.assign(document.createElement("style"), { className: "text-setting",
					textContent: %q }));
			}`, setting.css))
		p.resize(setting.view)
		p.screenshot("display-text-" + strings.ReplaceAll(name+"-"+setting.name, " ", "-"))
		if faults := eval[string](p, illegible); faults != "" {
			p.t.Errorf("%s, %s:\n%s", name, setting.name, faults)
		}
		if covered := eval[[]string](p, coveredWords); len(covered) > 0 {
			p.t.Errorf("%s, %s: something covers %q", name, setting.name, covered)
		}
	}
}

// coveredWords lists the texts that something else is painted over. Only the host's own screens scroll.
const coveredWords = `(() => {
	const texts = document.createTreeWalker(document.getElementById("root"), NodeFilter.SHOW_TEXT);
	const found = [];
	const paints = (e) => /^(svg|path|img|canvas)$/.test(e.localName) ||
		getComputedStyle(e).backgroundColor !== "rgba(0, 0, 0, 0)";
	const covered = (parent, across, down) => {
		const stack = document.elementsFromPoint(across, down);
		const under = stack.findIndex((e) => e.contains(parent));
		return under < 0 || stack.slice(0, under).some(paints);
	};
	while (texts.nextNode()) {
		const parent = texts.currentNode.parentElement;
		if (parent.closest(".d-unseen") || getComputedStyle(parent).textOverflow === "ellipsis") continue;
		if (!parent.checkVisibility({ visibilityProperty: true })) continue;
		if (parent.closest(".host-screen")) parent.scrollIntoView({ block: "nearest" });
		const range = document.createRange();
		range.selectNodeContents(texts.currentNode);
		for (const { left, right, top, bottom, width } of range.getClientRects()) {
			if (width < 2) continue;
			const points = [left + 1, (left + right) / 2, right - 1];
			if (points.some((across) => covered(parent, across, (top + bottom) / 2)))
				found.push(texts.currentNode.data);
		}
	}
	return found;
})()`

// TestLargerTextOnDisplays: on the displays of all modules, and on the screens that the host shows instead,
// text of twice the size, text with wide spacing and a narrow window cut no text off and put none under
// other text.
func TestLargerTextOnDisplays(t *testing.T) {
	leaveToProof(t, "it opens every display in four settings of text")
	t.Parallel()
	b := startBoards(t)
	p := b.pairBoard(t, chromium, "announcements", "de")
	p.find("status", "")
	p.assertTextOfDisplay("announcements with the indicator")
	p.runScript(`later(120_000)`)
	p.waitFor(`!document.querySelector(".host-indicator")`)
	for _, name := range []string{"text", "title", "german", "long title", "lines", "picture", "none"} {
		b.showSlide(p, boardCases()[name])
		p.assertTextOfDisplay("announcements " + name)
	}
	b.clearBoard()
	b.addSlide("Countdown", object{"kind": "countdown.slide", "payload": object{
		"label": "Der Gottesdienst beginnt in", "after": "zero",
		"target": timestamp(time.Now().Add(50 * time.Hour))}})
	p.waitFor(faceOf + `?.textContent.includes("beginnt")`)
	p.assertTextOfDisplay("countdown")
	_ = chromedp.Cancel(p.ctx)

	p = b.openBoard(t, chromium, "calendar", "de")
	p.assertTextOfDisplay("calendar")
	_ = chromedp.Cancel(p.ctx)

	p = b.openBoard(t, chromium, "stage", "de")
	for n := range stageCases {
		b.showItem(p, n)
		p.assertTextOfDisplay(fmt.Sprint("stage ", n))
	}
	b.press(object{"action": "message",
		"message": "Kindergottesdienstvorbereitungskreis bitte in den Gemeindesaal."})
	p.waitFor(`document.querySelector(".message:not([hidden])")`)
	p.assertTextOfDisplay("stage message")
	b.press(object{"action": "screen", "screen": "logo"})
	p.waitFor(`document.querySelector(".screen").dataset.screen === "logo"`)
	p.assertTextOfDisplay("stage logo")
	device := b.query(t, `SELECT id::text FROM core.device WHERE module_id = 'stage' AND revoked_at IS NULL`)
	b.call("POST", "/api/v1/devices/"+device+"/revoke", object{})
	p.runScript(`dispatchEvent(new Event("online"))`)
	p.pairingCode()
	p.assertTextOfDisplay("pairing code of a removed screen")
	p.do(chromedp.Navigate(b.address + "/display/kirchenvorstandswahlbenachrichtigungen"))
	p.waitForText("ist hier ausgeschaltet.")
	p.assertTextOfDisplay("switched off")
	b.addPerson(t, "nora@example.org", "Nora")
	p = b.openAs(t, "nora@example.org", "/display/announcements", tv)
	p.find("button", "Abmelden")
	p.assertTextOfDisplay("somebody is signed in")
}
