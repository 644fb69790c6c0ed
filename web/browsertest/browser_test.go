package browsertest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/waittest"
)

// patience limits every wait, even on a very busy machine.
const patience = 60 * time.Second

// chromium is the browser that all tests share, started with browserOptions.
var (
	chromium       context.Context
	browserOptions []chromedp.ExecAllocatorOption
)

// program returns the option that names the browser. With -short it is Chromium without its windows, if that
// is installed: it takes a sixth less processor time, and what it leaves out is not the pages' affair.
func program() []chromedp.ExecAllocatorOption {
	path, err := exec.LookPath("chromium-headless-shell")
	if _, whole := exec.LookPath("chromium"); err != nil || whole == nil && !testing.Short() {
		return nil
	}
	return []chromedp.ExecAllocatorOption{chromedp.ExecPath(path)}
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	_ = flag.Set("test.parallel", "4") // the tests wait for pages; -parallel on the command line wins
	flag.Parse()
	// All temporary files are below this folder, which is removed at the end. Chromium itself removes only
	// some of its own.
	folder, err := os.MkdirTemp("", "narthex-browsertest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := errors.Join(os.Chmod(folder, 0o755),
		os.Setenv("TMPDIR", folder)); err != nil { // PostgreSQL's own user must be able to enter it
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := useFont(folder, usualFont); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], program())
	options = append(options, chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("lang", "en-GB"),
		// Without these switches each window of a headless browser would load the suggestions of its address
		// bar twice, and pages would be kept in the back/forward cache, so that each page of a tab needed a
		// process of its own.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,"+
			"WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,BackForwardCache"),
		chromedp.Env("XDG_CONFIG_HOME="+folder,
			"XDG_CACHE_HOME="+folder)) // otherwise Chromium creates folders in the home folder
	// Chromium has no sandbox as root and in most containers, and the pages are the suite's own.
	options = append(options, chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	browserOptions = options
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, cancel := chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "Chromium is needed (apt-get install chromium):", err)
		return 1
	}
	chromium = browser
	code := m.Run()
	_ = chromedp.Cancel(browser) // waits for the end of the browser, which removes its folder
	return code
}

// leaveToProof skips a test with -short, because it is slow and what it checks is seldom broken.
func leaveToProof(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("for make proof: " + why)
	}
}

// usually skips a case with -short unless it is one of the kept ones, which show what the others do.
func usually(t *testing.T, name string, kept ...string) {
	t.Helper()
	if testing.Short() && !slices.Contains(kept, name) {
		t.Skip("for make proof: other cases show the same of most of the code")
	}
}

// few returns with -short only the first of these cases, else all.
func few[T any](cases ...T) []T {
	if testing.Short() {
		return cases[:1]
	}
	return cases
}

// view is the window size and the preferences of a tab.
type view struct {
	width, height int64
	dark          bool
	reduced       bool // prefers reduced motion
}

var (
	desktop = view{width: 1280, height: 800}
	phone   = view{width: 390, height: 844}
	narrow  = view{width: 320, height: 640}
)

// tab is one page of a browser context with its own cookies and storage.
type tab struct {
	t   *testing.T
	ctx context.Context
	// expected are the uncaught errors that the test makes.
	expected []string
}

// openPage opens a URL in a new browser context, without cookies or storage. An uncaught error in the page
// fails the test.
func openPage(t *testing.T, address string, v view) *tab {
	t.Helper()
	return openPageIn(t, chromium, address, v)
}

func openPageIn(t *testing.T, browser context.Context, address string, v view) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.setView(v)
	p.onNewDocument(listening)
	p.failOnErrors(cancel)
	p.do(chromedp.Navigate(address))
	return p
}

// failOnErrors fails the test at its end if the page had an uncaught error. It cancels the page's context.
func (p *tab) failOnErrors(cancel func()) {
	t := p.t // some tests go on with one page in subtests
	messages := chromedp.Console(p.ctx)
	var uncaught []string
	var listener sync.WaitGroup
	listener.Go(func() { // meanwhile, because what is not read is dropped when the context ends
		for message, err := range messages {
			if err == nil && message.IsException() {
				uncaught = append(uncaught, message.Text)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		listener.Wait()
		for _, text := range uncaught {
			if slices.Contains(p.expected, text) {
				continue
			}
			t.Errorf("uncaught in the page: %s", text)
		}
	})
}

// openTab opens a URL in another tab of the same browser context.
func (p *tab) openTab(address string) *tab {
	p.t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	p.t.Cleanup(cancel)
	second := &tab{t: p.t, ctx: ctx}
	second.failOnErrors(cancel)
	second.do(chromedp.Navigate(address))
	return second
}

// onNewDocument adds a script to every page that is loaded from now on; it runs before the page's own
// scripts.
func (p *tab) onNewDocument(script string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// setView sets the window size and the preferences.
func (p *tab) setView(v view) {
	p.t.Helper()
	scheme, motion := "light", "no-preference"
	if v.dark {
		scheme = "dark"
	}
	if v.reduced {
		motion = "reduce"
	}
	p.do(chromedp.EmulateViewport(v.width, v.height),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
					{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion},
				}})
			return err
		}))
}

// setTimeZone gives the browser's page another time zone than the machine's.
func (p *tab) setTimeZone(zone string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride,
			emulation.SetTimezoneOverrideParams{TimezoneID: zone})
		return err
	}))
}

// forceColors emulates forced colours, in which a page has only the few colours that the person has chosen.
func (p *tab) forceColors() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "forced-colors", Value: "active"}, {Name: "prefers-reduced-motion", Value: "reduce"},
			}})
		return err
	}))
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// reload loads the page again, and answers its question about unsaved words with yes. chromedp's Reload may
// end before the old page has gone, when that changes its address meanwhile.
func (p *tab) reload() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Listen(ctx, func(event any) {
		if _, asked := event.(*page.EventJavascriptDialogOpening); !asked {
			return
		}
		go func() { // the answer of this call waits for the events after this one
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}); err != nil {
		p.t.Fatal(err)
	}
	p.runScript(`window.beforeReload = true`)
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
		p.t.Fatal("reload:", err)
	}
	p.waitFor(`!window.beforeReload && document.readyState === "complete"`)
}

// eval evaluates a JavaScript expression in the page and returns its value.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// waitFor waits until a JavaScript expression is true. An expression that throws counts as false, and so does
// one that is evaluated while the page navigates.
func (p *tab) waitFor(expression string) {
	p.t.Helper()
	p.waitUntil(expression, func() bool {
		holds, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		return err == nil && holds
	})
}

// listening records the texts of the live regions, because each region is emptied again after a while. One
// that comes together with its words is an error: screen readers do not read those. Exempt are a region that
// is moved, a heading, which people meet as they read a new page, and the screens on walls.
const listening = `
	window.heard = [];
	const known = new WeakSet();
	new MutationObserver((changes) => {
		for (const { target, addedNodes } of changes) {
			for (const added of addedNodes) {
				const elements = added.matches ? [added, ...added.querySelectorAll("*")] : [];
				for (const region of elements) {
					if (!region.matches("[role=status], [aria-live=polite]:not(h2)") || known.has(region) ||
						region.closest(".host-screen, .host-indicator")) continue;
					known.add(region);
					if (region.textContent.trim() !== "")
						reportError(new Error("a live region came with its words: " + region.outerHTML));
				}
			}
			const region = (target.closest ? target : target.parentElement)?.closest("[role=status], [aria-live]");
			if (region?.textContent) heard.push(region.textContent);
		}
	}).observe(document, { subtree: true, childList: true, characterData: true });`

// waitForAnnouncement waits for a text in a live region, and discards the texts recorded up to it.
func (p *tab) waitForAnnouncement(words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf(`heard.includes(%[1]q) && heard.splice(0, heard.indexOf(%[1]q) + 1)`, words))
}

func (p *tab) waitUntil(what string, holds func() bool) {
	p.t.Helper()
	if !waittest.Seldom(holds) {
		p.t.Fatalf("never: %s\nthe focus is on: %s\nthe page says:\n%s", what,
			eval[string](p, "document.activeElement?.cloneNode().outerHTML ?? ''"),
			eval[string](p, "document.body.innerText"))
	}
}

// element is one node of the accessibility tree.
type element struct {
	node cdp.BackendNodeID
	text string
}

// findAll returns the elements with a role and, unless it is empty, a name, in the order of the page.
func (p *tab) findAll(role, name string) []element {
	p.t.Helper()
	nodes, err := chromedp.Run(p.ctx,
		func(ctx context.Context, t *chromedp.Target) ([]*accessibility.Node, error) {
			document, err := cdp.Call(ctx, t, dom.GetDocument, dom.GetDocumentParams{})
			if err != nil {
				return nil, err
			}
			found, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
				NodeID: document.Root.NodeID, Role: role, AccessibleName: name,
			})
			return found.Nodes, err
		})
	if err != nil {
		return nil // the document changed meanwhile: the caller tries again
	}
	var elements []element
	for _, node := range nodes {
		if !node.Ignored {
			elements = append(elements, element{node.BackendDOMNodeID, fmt.Sprint(node.Name.Value)})
		}
	}
	return elements
}

// find waits for an element with a role and a name, and returns the first.
func (p *tab) find(role, name string) element {
	p.t.Helper()
	var found []element
	p.waitUntil(role+" "+name, func() bool {
		found = p.findAll(role, name)
		return len(found) > 0
	})
	return found[0]
}

// waitForNone waits until no element has the role and the name.
func (p *tab) waitForNone(role, name string) {
	p.t.Helper()
	p.waitUntil("no "+role+" "+name, func() bool { return len(p.findAll(role, name)) == 0 })
}

// waitForText waits for a text anywhere on the page.
func (p *tab) waitForText(words string) {
	p.t.Helper()
	p.waitFor(fmt.Sprintf("document.body?.innerText.includes(%q)", words))
}

// assertNoText fails the test if the page contains the text now.
func (p *tab) assertNoText(words string) {
	p.t.Helper()
	if strings.Contains(eval[string](p, "document.body.innerText"), words) {
		p.t.Errorf("the page says %q", words)
	}
}

// withElement finds the first element with a role and a name, and calls do with it. If the element was
// removed meanwhile, it tries again with the one that replaced it.
func (p *tab) withElement(
	role, name string,
	do func(context.Context, *chromedp.Target, cdp.BackendNodeID) error,
) {
	p.t.Helper()
	p.waitUntil(role+" "+name, func() bool {
		found := p.findAll(role, name)
		return len(found) > 0 && chromedp.Do(p.ctx,
			chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
				return do(ctx, t, found[0].node)
			})) == nil
	})
}

// click clicks with the mouse on the first element with a role and a name. Like a person it waits until the
// element stands still and nothing covers it; and when the page moves below the pointer all the same, nothing
// else is clicked, and it aims again.
func (p *tab) click(role, name string) {
	p.t.Helper()
	p.withElement(role, name, func(ctx context.Context, t *chromedp.Target, node cdp.BackendNodeID) error {
		if _, err := cdp.Call(ctx, t, dom.ScrollIntoViewIfNeeded,
			dom.ScrollIntoViewIfNeededParams{BackendNodeID: node}); err != nil {
			return err
		}
		resolved, err := cdp.Call(ctx, t, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node})
		if err != nil {
			return err
		}
		if err := onObject(ctx, t, resolved.Object.ObjectID, aim); err != nil {
			return err
		}
		found, err := cdp.Call(ctx, t, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: node})
		if err != nil {
			return err
		}
		if len(found.Quads) == 0 {
			return errors.New("it has no place")
		}
		quad := found.Quads[0]
		if _, err := chromedp.MouseClickXY((quad[0]+quad[4])/2, (quad[1]+quad[5])/2)(ctx, t); err != nil {
			return err
		}
		if err := onObject(ctx, t, resolved.Object.ObjectID, assertHit); err == errMissed {
			return err
		}
		return nil // also when the click has replaced the document
	})
}

// aim is called on an element. It waits for two frames, is false if the element has moved meanwhile or is
// covered, and from then on keeps the events of a click from everything else.
const aim = `async function () {
	const middle = () => {
		const box = this.getClientRects()[0];
		return box ? [(box.left + box.right) / 2, (box.top + box.bottom) / 2] : undefined;
	};
	const frame = () => new Promise((go) => { requestAnimationFrame(go); setTimeout(go, 100); });
	const before = middle();
	await frame();
	await frame();
	const now = middle();
	if (!now || String(before) !== String(now)) return false;
	const root = this.getRootNode();
	const within = (node) => {
		for (; node; node = node.parentNode ?? node.host) {
			if (node === this || node.control === this || root.mode === "closed" && node === root.host) return true;
		}
		return false;
	};
	let at = this.ownerDocument.elementFromPoint(...now);
	for (let deeper; (deeper = at?.shadowRoot?.elementFromPoint(...now)) && deeper !== at; ) at = deeper;
	if (!within(at)) return false;
	const view = this.ownerDocument.defaultView;
	const kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
	const guard = (event) => {
		if (event.type === "pointerdown") view.missed = !within(event.composedPath()[0]);
		if (event.type === "click") view.clicked = !view.missed;
		if (!view.missed) return;
		event.stopImmediatePropagation();
		event.preventDefault();
	};
	view.unguard?.();
	view.missed = true;
	view.clicked = false;
	view.unguard = () => {
		for (const kind of kinds) view.removeEventListener(kind, guard, true);
	};
	for (const kind of kinds) view.addEventListener(kind, guard, true);
	return true;
}`

// assertHit is called on an element after a click, and is false if the click met something else, or if the
// element was replaced between the press and the release.
const assertHit = `async function () {
	const view = this.ownerDocument.defaultView;
	view?.unguard?.();
	return !view?.missed && (view?.clicked || this.disabled);
}`

// errMissed says that a function called on an element was false.
var errMissed = errors.New("the element was not where it had been")

// onObject calls a function on an object of the page, and returns errMissed if the result is false.
func onObject(ctx context.Context, t *chromedp.Target, id runtime.RemoteObjectID, function string) error {
	called, err := cdp.Call(ctx, t, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, ObjectID: id, AwaitPromise: new(true), ReturnByValue: new(true),
	})
	switch {
	case err != nil:
		return err
	case called.ExceptionDetails != nil:
		return errors.New(called.ExceptionDetails.Text)
	case string(called.Result.Value) != "true":
		return errMissed
	}
	return nil
}

// fill replaces the text of a field.
func (p *tab) fill(name, text string) {
	p.t.Helper()
	p.enter("textbox", name, text)
}

// enter replaces the text of a field with the given role.
func (p *tab) enter(role, name, text string) {
	p.t.Helper()
	p.withElement(role, name, func(ctx context.Context, t *chromedp.Target, node cdp.BackendNodeID) error {
		_, err := cdp.Call(ctx, t, dom.Focus, dom.FocusParams{BackendNodeID: node})
		return err
	})
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := chromedp.Evaluate[chromedp.Void](`document.activeElement.select?.()`)(ctx, t); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// key sends a key to the focused element.
func (p *tab) key(keys string, modifiers ...chromedp.Modifier) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

// waitForHeading waits until a heading has the focus.
func (p *tab) waitForHeading(title string) {
	p.t.Helper()
	p.find("heading", title)
	p.waitFor(fmt.Sprintf(`document.activeElement.tagName === "H1" && document.activeElement.innerText === %q`,
		title))
}

// retry clicks "Try again" on a page that also retries by itself. If the page was faster, the button is gone,
// and nothing is clicked.
func (p *tab) retry() {
	p.t.Helper()
	p.runScript(
		`[...document.querySelectorAll("main button")].find((b) => b.innerText === "Try again")?.click()`,
	)
}

// waitForHome waits for Home, whose heading depends on the time of day.
func (p *tab) waitForHome() {
	p.t.Helper()
	p.waitFor(`document.title === "Home - Dashboard" && document.activeElement.tagName === "H1"`)
}

// waitForFrames waits until what follows from a change of the page's size has been drawn.
func (p *tab) waitForFrames() {
	p.t.Helper()
	p.runScript(`return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`)
}

// assertFits fails the test if the page is wider than the window, because it must not need horizontal
// scrolling, or if text overflows its element.
func (p *tab) assertFits() {
	p.t.Helper()
	p.waitForFrames()
	over := eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth")
	if over > 0 {
		wide := eval[string](p, `[...document.querySelectorAll("body *")].filter(e =>
			e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1
		).map(e => e.tagName + "." + e.className).slice(0, 8).join(" ")`)
		p.t.Errorf("the page is %d pixels too wide for %d: %s", over, eval[int](p, "innerWidth"), wide)
	}
	out := eval[string](p, `[...document.querySelectorAll("body *")].filter(e =>
		e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1 && !e.closest(".d-unseen") &&
		getComputedStyle(e).clipPath !== "inset(50%)" &&
		[...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "")
	).map(e => e.outerHTML).join(" ")`)
	if out != "" {
		p.t.Errorf("words stick out of %s", out)
	}
}

// screenshot saves a picture of the whole page if NARTHEX_SCREENSHOTS is set.
func (p *tab) screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv("NARTHEX_SCREENSHOTS")
	if folder == "" {
		return
	}
	width, height := eval[int64](p, "innerWidth"), eval[int64](p, "innerHeight")
	p.do(chromedp.EmulateViewport(width, max(height, eval[int64](p, "document.documentElement.scrollHeight"))))
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), shot, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
	p.do(chromedp.EmulateViewport(width, height))
}
