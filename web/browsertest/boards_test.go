package browsertest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// shapes are the screens that people hang up.
var shapes = []struct {
	name string
	view
}{
	{"16x9", landscape},
	{"4x3", view{width: 1600, height: 1200}},
	{"5x4", view{width: 1280, height: 1024}},
	{"portrait", portrait},
}

// boardHouse is a house in German, with screens that show its boards.
type boardHouse struct {
	*devServer
	t       *testing.T
	origin  string   // of the screens that are opened; "": that of the house
	service string   // of the stage, with one item for each of stageCases
	items   []string // of the service
	slide   string   // the only one of announcements
	rev     int      // of the slide
}

func startBoards(t *testing.T) *boardHouse {
	t.Helper()
	d := startHouse(t)
	b := &boardHouse{devServer: d, t: t}
	b.call("PUT", "/api/v1/house", object{"name": nil, "accent": "blue", "language": "de", "timeZone": nil,
		"secondFactor": "optional"})
	for _, kept := range b.call("GET", announcementsRoot+"/slides", nil)["slides"].([]any) {
		b.call("DELETE", announcementsRoot+"/slides/"+kept.(map[string]any)["id"].(string), nil)
	}
	made := b.call("POST", announcementsRoot+"/slides", object{"title": "-", "enabled": true})
	b.slide, b.rev = made["id"].(string), 1
	b.fillCalendar()
	b.service = b.call("POST", stageRoot+"/services", object{"title": "Jahresgemeindeversammlungsgottesdienst",
		"startsAt": timestamp(time.Now().Add(time.Hour))})["id"].(string)
	for _, c := range stageCases {
		item := object{"kind": "notice", "title": c.title, "text": c.text, "seconds": 1500}
		b.items = append(b.items, b.call("POST", stageRoot+"/services/"+b.service+"/items", item)["id"].(string))
	}
	live := b.call("GET", stageRoot+"/live", nil)["live"].(map[string]any)
	b.call("POST", stageRoot+"/live/"+b.service+"/take", object{"rev": live["rev"]})
	return b
}

// fillCalendar adds events that last all day, so that they are on whenever the test runs.
func (b *boardHouse) fillCalendar() {
	b.t.Helper()
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	for room, event := range map[string]string{
		"Konfirmandenunterrichtsraum": "Jahreshauptversammlung des Kindergottesdienstvorbereitungskreises",
		"قاعة الاجتماعات الكبيرة":     "صلاة الجماعة مع جميع العائلات",
	} {
		id := b.call("POST", calendarRoot+"/rooms", object{"name": room})["id"]
		b.call("POST", calendarRoot+"/events", object{"title": event, "start": day(-1), "end": day(2),
			"rooms": []any{id}})
	}
}

const (
	announcementsRoot = "/api/v1/modules/announcements"
)

// call sends a request as the owner and returns the object in the response, if there is one.
func (b *boardHouse) call(method, path string, body object) object {
	b.t.Helper()
	return b.devServer.call(b.t, method, path, body)
}

func decoded(t *testing.T, body []byte) object {
	t.Helper()
	var value object
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return value
}

// openBoard is pairBoard, two minutes later by the page's clock: until then it asks people to leave the
// screen on.
func (b *boardHouse) openBoard(t *testing.T, browser context.Context, module, language string) *tab {
	t.Helper()
	p := b.pairBoard(t, browser, module, language)
	p.runScript(`later(120_000)`)
	p.waitFor(`!document.querySelector(".host-indicator")`)
	return p
}

// pairBoard pairs a screen with a module's display. The language is the house's one, or any other, which the
// page is told instead.
func (b *boardHouse) pairBoard(
	t *testing.T, browser context.Context, module, language string, scripts ...string,
) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.setView(landscape)
	p.onNewDocument(hurried)
	for _, script := range scripts {
		p.onNewDocument(script)
	}
	p.onNewDocument(fmt.Sprintf(`(() => {
		const real = fetch;
		window.fetch = (address, ...more) => String(address) === "/api/v1/house"
			? Promise.resolve(new Response('{"name":null,"accent":"blue","language":"%s","timeZone":null}'))
			: real(address, ...more);
	})()`, language))
	p.do(chromedp.Navigate(cmp.Or(b.origin, b.address) + "/display/" + module))
	b.call("POST", "/api/v1/device-pairing/"+p.pairingCode()+"/approve", object{"label": module})
	p.waitFor(`document.querySelector(".host-layer :is(.stage, .house, .screen)") &&
		!document.querySelector(".host-screen")`)
	return p
}

// showSlide changes the only slide of announcements and waits until a screen shows it.
func (b *boardHouse) showSlide(p *tab, c boardCase) {
	b.t.Helper()
	fields := object{"rev": b.rev, "enabled": c.slide != nil, "title": "-"}
	for _, field := range []string{"title", "body", "imageId", "payload"} {
		if c.slide != nil {
			fields[field] = c.slide[field]
		}
	}
	if size, ok := fields["imageId"].(string); ok {
		fields["imageId"] = b.upload(size)
	}
	b.rev = int(b.call("PUT", announcementsRoot+"/slides/"+b.slide, fields)["rev"].(float64))
	title, _ := fields["title"].(string)
	if c.slide == nil {
		title = ""
	}
	if payload, _ := fields["payload"].(object); payload["pictureOnly"] == true {
		p.waitFor(fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
			document.querySelector(".slide img")?.alt === %q`, title))
		return
	}
	p.waitFor(fmt.Sprintf(`document.querySelectorAll(".slide").length === 1 &&
		document.querySelector(".slide-title")?.textContent.replaceAll("\u00ad", "") === %q`, title))
}

// stageCase is one item of a service, with words as people might write them.
type stageCase struct{ title, text string }

var stageCases = []stageCase{
	{"Gypsy jig", "Glory, joy and peace,\nquietly given by grace,\nabide in everybody."},
	{"Kirchenvorstandswahlbenachrichtigungen",
		"Die Kirchenvorstandswahlbenachrichtigungen\nliegen im Gemeindebüro."},
	{"صلاة الجماعة", "أهلا وسهلا بكم في الكنيسة\nالقهوة والشاي في القاعة"},
}

// showItem lets the stage show an item and waits until a screen shows it.
func (b *boardHouse) showItem(p *tab, n int) {
	b.t.Helper()
	if b.call("GET", stageRoot+"/live", nil)["live"].(map[string]any)["itemId"] != b.items[n] {
		b.press(object{"action": "item", "item": b.items[n]})
	}
	p.waitFor(fmt.Sprintf(words+`.replaceAll("\u00ad", "") === %q`,
		strings.ReplaceAll(stageCases[n].text, "\n", "|")))
}

// press lets the stage do something.
func (b *boardHouse) press(action object) {
	b.t.Helper()
	rev := b.call("GET", stageRoot+"/live", nil)["live"].(map[string]any)["rev"].(float64)
	action["opId"], action["rev"] = fmt.Sprintf("00000000-0000-4000-8000-%012.0f", rev), rev
	b.call("POST", stageRoot+"/live/"+b.service+"/go", action)
}

// TestBoardsWithEveryFont: on paired screens of every shape, and with every system font, the words of each
// board are inside what clips them, apart from each other, whole or hyphenated, and large enough to be read
// from afar.
func TestBoardsWithEveryFont(t *testing.T) {
	leaveToProof(t, "it opens every board in each shape and font")
	t.Parallel()
	b := startBoards(t)
	eachFont(t, func(t *testing.T, browser context.Context) {
		b.t = t
		font := strings.ReplaceAll(strings.Split(t.Name(), "/")[1], " ", "-")
		german := b.openBoard(t, browser, "announcements", "de")
		arabic := b.openBoard(t, browser, "announcements", "ar")
		for name, c := range boardCases() {
			p := german
			if strings.HasPrefix(name, "rtl") {
				p = arabic
			}
			b.showSlide(p, c)
			p.assertBoard(name, font, c.cut)
		}
		_, _ = chromedp.Cancel(german.ctx), chromedp.Cancel(arabic.ctx)
		for _, language := range []string{"de", "ar"} {
			p := b.openBoard(t, browser, "calendar", language)
			p.waitForText("صلاة الجماعة")
			p.assertBoard("calendar-"+language, font, false)
			_ = chromedp.Cancel(p.ctx)
			p = b.openBoard(t, browser, "stage", language)
			for n := range stageCases {
				b.showItem(p, n)
				p.assertBoard(fmt.Sprint("stage-", n, "-", language), font, false)
			}
			_ = chromedp.Cancel(p.ctx)
		}
	})
}

// TestIndicatorBesideBoards: in no corner does the indicator of a lost connection cover words of a board.
func TestIndicatorBesideBoards(t *testing.T) {
	leaveToProof(t, "it looks at every board with the indicator in each corner")
	t.Parallel()
	b := startBoards(t)
	boards := map[string]*tab{}
	for _, module := range []string{"announcements", "calendar", "stage"} {
		boards[module] = b.openBoard(t, chromium, module, "de")
	}
	b.showSlide(boards["announcements"], boardCases()["text"])
	b.showItem(boards["stage"], 0)
	if err := b.process.Signal(syscall.SIGSTOP); err != nil { // it keeps its port, which another house might get
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.process.Signal(syscall.SIGCONT) })
	for module, p := range boards {
		p.waitFor(`later(46000) && document.querySelector(".host-indicator")`)
		for corner := range 4 {
			p.runScript(fmt.Sprintf(`const { classList } = document.querySelector(".host-indicator");
				classList.remove("host-corner-0", "host-corner-1", "host-corner-2", "host-corner-3");
				classList.add("host-corner-%d")`, corner))
			p.assertBoard(fmt.Sprint("indicator-", module, "-", corner), "usual", false)
		}
	}
}

// TestTickingBoardsStayBright: a board with a clock or a timer that ticks is not dimmed, even if nothing else
// on it changes.
func TestTickingBoardsStayBright(t *testing.T) {
	leaveToProof(t, "it waits for a clock to tick")
	t.Parallel()
	b := startBoards(t)
	for module, clock := range map[string]string{"announcements": ".stage-clock", "stage": ".timer"} {
		p := b.openBoard(t, chromium, module, "de")
		if module == "stage" {
			b.showItem(p, 0)
		} else {
			b.showSlide(p, boardCases()["text"])
		}
		ticks := `document.querySelector("` + clock + `").shadowRoot.textContent`
		p.waitFor(ticks + ` !== ""`)
		p.waitForTicks(10_000, 2)
		p.runScript(`window.before = ` + ticks + `; later(25 * 60_000)`)
		p.waitFor(ticks + ` !== before`)
		p.waitForTicks(10_000, 2)
		if eval[bool](p, `document.documentElement.hasAttribute("data-dimmed")`) {
			t.Errorf("%s is dimmed although its clock ticks", module)
		}
	}
}

// assertBoard checks what a paired screen shows, in every shape.
func (p *tab) assertBoard(name, font string, cut bool) {
	p.t.Helper()
	for _, shape := range shapes {
		p.setView(shape.view)
		p.waitFor(fmt.Sprintf(`document.querySelector(".host-layer").clientWidth === %d`, shape.width))
		p.waitForFrames()
		p.screenshot(fmt.Sprintf("boards-%s-%s-%s", strings.ReplaceAll(name, " ", "-"), shape.name, font))
		if is := eval[bool](p, `Boolean(document.querySelector(".cut"))`); is != cut {
			p.t.Errorf("%s, %s: the text is cut: %v, want %v", name, shape.name, is, cut)
		}
		for _, fault := range eval[[]string](p, boardFaults) {
			p.t.Errorf("%s, %s: %s", name, shape.name, fault)
		}
	}
}

// boardFaults returns what is wrong with the words of the mounted display. It compares the letters' ink,
// which may be more or less than the line that they are in. Everything moves by at most 8 pixels.
const boardFaults = `(() => {
	const found = new Set();
	const pen = document.createElement("canvas").getContext("2d");
	const inks = [];
	const above = (part) => part.parentElement ?? part.getRootNode().host;
	// In another language a German word has no hyphens.
	const hyphenates = (word) =>
		document.querySelector(".host-layer").lang.startsWith("de") || /\p{Script=Arabic}/u.test(word);
	const look = (root) => {
		for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot) look(shadowRoot);
		const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		for (let node = texts.nextNode(); node; node = texts.nextNode()) {
			const part = above(node);
			if (part.tagName === "STYLE" || !part.checkVisibility({ visibilityProperty: true })) continue;
			for (const { index, 0: word } of node.data.matchAll(/\S+/g)) lookAt(node, part, index, word);
		}
	};
	const lookAt = (node, part, index, word) => {
		const style = getComputedStyle(part);
		const least = 0.062 * Math.min(innerWidth, innerHeight);
		if (part.matches(".slide-title, .slide-body, .line") && parseFloat(style.fontSize) < least - 1)
			found.add("too small: " + part.className + " " + style.fontSize);
		pen.font = [style.fontStyle, style.fontWeight, style.fontSize, style.fontFamily].join(" ");
		const letters = [...word].map((letter, n) => {
			const range = document.createRange();
			const at = index + [...word].slice(0, n).join("").length;
			range.setStart(node, at);
			range.setEnd(node, at + letter.length);
			// The hyphen at the end of a line is also a box of the letter that begins the next one.
			return { letter, at, box: [...range.getClientRects()].at(-1) };
		}).filter(({ letter, box }) => box?.height > 0 && !/[\p{M}\u00ad]/u.test(letter));
		const lines = Map.groupBy(letters, ({ box }) => Math.round(box.top));
		let last;
		for (const [first, ...rest] of lines.values()) {
			const between = last ? node.data.slice(last.at, first.at) : "-";
			if (!/[\u00ad\p{P}]/u.test(between) && hyphenates(word)) found.add("broken: " + word);
			last = rest.at(-1) ?? first;
		}
		for (const line of lines.values()) {
			const text = line.map(({ letter }) => letter).join("");
			const ink = pen.measureText(text);
			const { top, height } = line[0].box;
			const base = top + (height * ink.fontBoundingBoxAscent) /
				(ink.fontBoundingBoxAscent + ink.fontBoundingBoxDescent);
			inside(part, text, {
				left: Math.min(...line.map(({ box }) => box.left)), right: Math.max(...line.map(({ box }) => box.right)),
				top: base - ink.actualBoundingBoxAscent, bottom: base + ink.actualBoundingBoxDescent,
			});
		}
	};
	const inside = (part, text, ink) => {
		for (let box = part; box; box = above(box)) {
			const style = getComputedStyle(box);
			if (style.overflowY === "visible" && box !== document.documentElement) continue;
			const clip = box.getBoundingClientRect();
			if (style.webkitLineClamp !== "none" && ink.top >= clip.bottom - 2) return; // cut after a whole line
			const moved = box.closest("#root") ? 2 : 10;
			const cut = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
			if (ink.top < clip.top - moved || ink.bottom > clip.bottom + moved) found.add("clipped: " + text);
			if (!cut) {
				if (ink.left < clip.left - moved || ink.right > clip.right + moved) found.add("outside: " + text);
				continue;
			}
			ink = { ...ink, left: Math.max(ink.left, clip.left), right: Math.min(ink.right, clip.right) };
			if (ink.left >= ink.right) return;
		}
		for (const other of inks) {
			if (other.part === part) continue;
			const across = Math.min(ink.right, other.ink.right) - Math.max(ink.left, other.ink.left);
			const down = Math.min(ink.bottom, other.ink.bottom) - Math.max(ink.top, other.ink.top);
			if (across > 1 && down > 1) found.add("one on the other: " + text + ", " + other.text);
		}
		inks.push({ part, text, ink });
	};
	look(document.querySelector(".host-layer"));
	const indicator = document.querySelector(".host-indicator")?.getBoundingClientRect();
	for (const { text, ink } of indicator ? inks : []) {
		if (ink.left < indicator.right && ink.right > indicator.left && ink.top < indicator.bottom &&
			ink.bottom > indicator.top) found.add("under the indicator: " + text);
	}
	for (const { textContent } of document.querySelectorAll(".door [hidden]"))
		found.add("left out: " + textContent);
	return [...found];
})()`
