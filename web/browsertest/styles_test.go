package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The style sheets of the kit, and those of its hosts.
var (
	kitSheets  = []string{"elements", "parts", "tokens", "accents"}
	hostSheets = []string{"dashboard/styles.css", "dashboard/screens/administration.css",
		"dashboard/screens/account/account.css", "dashboard/screens/feeds/feeds.css", "display/styles.css"}
)

var (
	cssNoise     = regexp.MustCompile(`(?s)/\*.*?\*/|url\([^)]*\)`)
	cssRule      = regexp.MustCompile(`([^{};]+)\{`)
	cssClass     = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
	cssID        = regexp.MustCompile(`#([a-zA-Z][\w-]*)`)
	cssData      = regexp.MustCompile(`\[(data-[\w-]+)(?:="([^"]*)")?\]`)
	cssOfThePage = regexp.MustCompile(`^(:root|html|body)\b|^(html|body)$|^:root$`)
)

// selectors returns the selectors of the rules in a style sheet of the checkout.
func selectors(t *testing.T, file string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range cssRule.FindAllStringSubmatch(cssNoise.ReplaceAllString(string(text), ""), -1) {
		if rule := strings.TrimSpace(rule[1]); !strings.HasPrefix(rule, "@") {
			found = append(found, splitSelectors(rule)...)
		}
	}
	return found
}

// splitSelectors splits a list of selectors at its commas outside of parentheses.
func splitSelectors(list string) (parts []string) {
	depth, from := 0, 0
	for at, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, strings.TrimSpace(list[from:at])), at+1
			}
		}
	}
	return append(parts, strings.TrimSpace(list[from:]))
}

func kitSelectors(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range kitSheets {
		all = append(all, selectors(t, "kit/styles/"+name+".css")...)
	}
	return all
}

// TestNamesOfStyles: every class of the kit begins with d-, every other class of a host with host-, and a
// host's rule applies only to something with such a name. So a module that uses neither prefix is not styled
// by accident.
func TestNamesOfStyles(t *testing.T) {
	t.Parallel()
	for _, selector := range kitSelectors(t) {
		for _, class := range cssClass.FindAllStringSubmatch(selector, -1) {
			if !strings.HasPrefix(class[1], "d-") {
				t.Errorf("kit: the class %s in %q does not begin with d-", class[1], selector)
			}
		}
	}
	for _, selector := range selectors(t, "kit/styles/parts.css") {
		if !strings.Contains(selector, ".d-") && !strings.HasPrefix(selector, "dialog") && selector != "to" {
			t.Errorf("kit/styles/parts.css: %q has no class of the kit", selector)
		}
	}
	for _, file := range hostSheets {
		for _, selector := range selectors(t, file) {
			for _, class := range cssClass.FindAllStringSubmatch(selector, -1) {
				if !strings.HasPrefix(class[1], "host-") && !strings.HasPrefix(class[1], "d-") {
					t.Errorf("%s: the class %s in %q does not begin with host-", file, class[1], selector)
				}
			}
			if !strings.Contains(selector, ".host-") && !cssOfThePage.MatchString(selector) && selector != "from" {
				t.Errorf("%s: %q has no class of the host", file, selector)
			}
		}
	}
}

// stylingNames returns what the style sheets select by, without the prefixes: classes, ids, and attributes
// with a value each.
func stylingNames(t *testing.T) (classes, ids []string, attributes map[string]string) {
	t.Helper()
	all := kitSelectors(t)
	for _, file := range hostSheets {
		all = append(all, selectors(t, file)...)
	}
	attributes = map[string]string{}
	for _, selector := range all {
		for _, class := range cssClass.FindAllStringSubmatch(selector, -1) {
			classes = append(classes, strings.TrimPrefix(strings.TrimPrefix(class[1], "d-"), "host-"))
		}
		for _, id := range cssID.FindAllStringSubmatch(selector, -1) {
			ids = append(ids, id[1])
		}
		for _, attribute := range cssData.FindAllStringSubmatch(selector, -1) {
			attributes[attribute[1]] = attribute[2]
		}
	}
	slices.Sort(classes)
	slices.Sort(ids)
	return slices.Compact(classes), slices.Compact(ids), attributes
}

// stylesProbe is the script of a module that compares how its elements look with and without these names. It
// writes what differs into window.reached, and window.compared counts the comparisons.
const stylesProbe = `
const { classes, ids, attributes } = %s;
const tags = ["div", "span", "p", "h1", "h2", "h3", "a", "ul", "li", "section", "header", "main", "nav",
	"form", "fieldset", "label", "input", "select", "textarea", "button", "table", "td", "svg", "path",
	"i", "b"];
const looksOf = (root) => [root, ...root.querySelectorAll("*")].map((one) =>
	[null, "::before", "::after"].map((part) => {
		const style = getComputedStyle(one, part);
		return Object.fromEntries([...style].map((name) => [name, style.getPropertyValue(name)]));
	}));
function compare(container, what, build, change) {
	const place = container.appendChild(document.createElement("div"));
	const plain = build();
	place.append(plain);
	const before = looksOf(plain);
	const named = build();
	place.replaceChildren(named);
	change(named);
	const after = looksOf(named);
	place.remove();
	window.compared++;
	const changed = new Set();
	before.forEach((parts, at) => parts.forEach((looks, part) => {
		for (const name in looks) if (looks[name] !== after[at][part][name]) changed.add(name);
	}));
	if (changed.size > 0) window.reached.push(what + ": " + [...changed].slice(0, 4).join(" "));
}
const made = (tag) => tag === "svg" || tag === "path"
	? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
function simple() {
	const one = made("div");
	one.append("words", made("span"), made("svg"));
	return one;
}
function nested() {
	const root = made("div");
	for (const tag of tags) {
		const outer = root.appendChild(made(tag));
		for (const inner of ["div", "p", "button", "input", "h2", "svg"]) outer.append(made(inner));
	}
	return root;
}
function probe(container) {
	window.reached = [];
	window.compared = 0;
	for (const name of classes) compare(container, "." + name, simple, (one) => (one.className = name));
	for (const id of ids) compare(container, "#" + id, simple, (one) => (one.id = id));
	for (const [name, value] of Object.entries(attributes))
		compare(container, "[" + name + "=" + value + "]", simple, (one) => one.setAttribute(name, value));
	compare(container, "all names at once", nested, (root) => {
		for (const one of root.querySelectorAll("*")) one.setAttribute("class", classes.join(" "));
	});
	// Plain elements look as they do outside of the host's own elements.
	const holders = [container, document.body].map((place) => {
		const holder = place.appendChild(document.createElement("div"));
		holder.style.cssText = "position: fixed; inset: 0 auto auto 0; inline-size: 600px; block-size: auto";
		holder.append(nested());
		return holder;
	});
	const [inside, outside] = holders.map((holder) => looksOf(holder)), changed = new Set();
	[...holders[0].querySelectorAll("*")].forEach((one, at) => {
		for (const name in inside[at + 1][0])
			// A display is covered until it is mounted.
			if (!["-webkit-locale", "visibility"].includes(name) &&
					inside[at + 1][0][name] !== outside[at + 1][0][name])
				changed.add(one.parentNode.localName + " > " + one.localName + " " + name + " " +
					inside[at + 1][0][name] + ", outside " + outside[at + 1][0][name]);
	});
	if (changed.size > 0) window.reached.push("plain elements: " + [...changed].slice(0, 6).join(", "));
	for (const holder of holders) holder.remove();
	container.append("The probe has ended.");
}`

// TestStylesStayOutsideOfModules: on a real platform nothing that a module names reaches a rule of the host
// or of the kit: not on a display, not on a page, and not on Home.
func TestStylesStayOutsideOfModules(t *testing.T) {
	leaveToProof(t, "it compares the styles of an element of each class")
	t.Parallel()
	classes, ids, attributes := stylingNames(t)
	names := jsonOf(t, object{"classes": classes, "ids": ids, "attributes": attributes})
	folder := install(t)
	for _, id := range []string{"probe", "home"} {
		script := func(kind string) string {
			return fmt.Sprintf(stylesProbe, names) + fmt.Sprintf(`
				export default { narthex: %q, abi: 1, definition: { mount(container) {
					container.append("Probing. "); // a display is hidden until it is mounted
					const begin = () => container.offsetWidth > 0 ? probe(container) : setTimeout(begin, 50);
					begin();
				} } };`, kind)
		}
		(&displayFixture{t: t, folder: folder}).writeModule(id, map[string]string{
			"module.json": fmt.Sprintf(`{ "manifestVersion": 7, "id": %q, "name": "Probe", "version": "1.0.0",
				"compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" },
				"permissions": [{ "id": "%[1]s.view", "baseline": "authenticated" }],
				"entrypoints": { "ui": "ui/index.js",
					"display": { "artifact": "display/index.js", "permission": "%[1]s.view" } } }`, id),
			"ui/index.js":      script("module-ui"),
			"display/index.js": script("display"),
		})
	}
	d := startIn(t, folder)
	p := openPage(t, d.address+"/#/m/probe", desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForText("The probe has ended.")
	assertNothingReached(p, "a page", len(classes))
	for _, place := range []string{"/?home#/", "/display/probe"} {
		p.do(chromedp.Navigate(d.address + place))
		p.waitForText("The probe has ended.")
		assertNothingReached(p, place, len(classes))
	}
}

func assertNothingReached(p *tab, place string, classes int) {
	p.t.Helper()
	if compared := eval[int](p, `compared`); compared <= classes {
		p.t.Errorf("%s: %d comparisons, want more than one for each of %d classes", place, compared, classes)
	}
	for _, what := range eval[[]string](p, `reached`) {
		p.t.Errorf("%s: a style of the platform reaches a module's element: %s", place, what)
	}
}

// TestCalendarOnAScreen: the real calendar on a real screen can be read from metres away, whatever the names
// of its elements are,
// with four, six and ten of them.
func TestCalendarOnAScreen(t *testing.T) {
	t.Parallel()
	d := startIn(t, install(t, "../../modules/calendar"))
	p := openPage(t, d.address, desktop)
	p.signInAs("owner@example.org", d.password)
	p.waitForHome()
	day := func(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	allDay := func(title string, rooms ...any) {
		p.request("POST", calendarRoot+"/events",
			object{"title": title, "start": day(-1), "end": day(1), "rooms": append([]any{}, rooms...)})
	}
	allDay("Wedding rehearsal") // in no room, so that there is a fourth box beside the sample's three rooms
	boxes := 4
	for _, more := range few(0, 2, 4) {
		for n := range more {
			room := p.request("POST", calendarRoot+"/rooms",
				object{"name": fmt.Sprintf("Gemeindesaal %d", boxes+n)})
			allDay("Seniorennachmittag mit Kaffeetafel", room["id"])
		}
		boxes += more
		for name, v := range map[string]view{"landscape": landscape, "portrait": portrait} {
			w := p.openTab(d.address + "/display/calendar")
			w.setView(v)
			w.waitForText("Wedding rehearsal")
			w.waitFor(fmt.Sprintf(`document.querySelectorAll("[data-module=calendar] section").length === %d`, boxes))
			w.screenshot(fmt.Sprintf("calendar-on-a-screen-%s-%d", name, boxes))
			assertReadableDoors(w, fmt.Sprintf("%s, %d rooms", name, boxes))
		}
	}
}

// assertReadableDoors: the rooms fill most of the screen, their words are large, and none is cut off.
func assertReadableDoors(w *tab, which string) {
	w.t.Helper()
	const sections = `[...document.querySelectorAll("[data-module=calendar] section")]`
	filled := eval[float64](w, sections+`.reduce((sum, one) => sum + one.offsetWidth * one.offsetHeight, 0) /
		(innerWidth * innerHeight)`)
	if filled < 0.5 {
		w.t.Errorf("%s: the rooms fill %.0f %% of the screen, want most of it", which, 100*filled)
	}
	for _, small := range eval[[]string](w, `[...document.querySelectorAll("[data-module=calendar] *")]
		.filter((one) => one.children.length === 0 && one.textContent.trim() !== "")
		.filter((one) => parseFloat(getComputedStyle(one).fontSize) < Math.min(innerWidth, innerHeight) * 0.024)
		.map((one) => one.textContent + " " + getComputedStyle(one).fontSize)`) {
		w.t.Errorf("%s: too small to be read from a seat: %s", which, small)
	}
	for _, cut := range eval[[]string](w, sections+`.flatMap((room) => {
		const box = room.getBoundingClientRect();
		const words = [...room.querySelectorAll("*")]
			.filter((one) => one.children.length === 0 && one.textContent !== "");
		return words.filter((one) => {
			const range = document.createRange();
			range.selectNodeContents(one);
			const { left, right, top, bottom } = range.getBoundingClientRect();
			return left < box.left || right > box.right + 1 || top < box.top || bottom > box.bottom + 1 ||
				one.scrollWidth > one.clientWidth + 1;
		}).map((one) => one.textContent + " in " + Math.round(box.width) + "x" + Math.round(box.height));
	})`) {
		w.t.Errorf("%s: cut off: %s", which, cut)
	}
}
