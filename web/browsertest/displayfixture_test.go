package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/narthex-platform/narthex/services/database/cluster"
	"github.com/narthex-platform/narthex/services/porttest"
)

// displayFixture is the real platform with displays, a signed-in owner, and proxies in front of it.
type displayFixture struct {
	t                      *testing.T
	folder, port, database string
	fronts                 []*faultProxy
	daemon                 *daemon
	session                string   // the owner's cookie
	variables              []string // additional ones
}

const wallPassword = "correct horse battery"

// displayOnly returns a module that has only a display.
func displayOnly(id, version, more, script string) map[string]string {
	return map[string]string{
		"module.json": fmt.Sprintf(`{ "manifestVersion": 7, "id": %q, "name": %[1]q, "version": %q,
			"compatibility": { "platform": "^0.1.0", "moduleSdk": "^0.1.0" }, %s
			"permissions": [{ "id": "%[1]s.view", "baseline": "restricted" }],
			"entrypoints": { "display": { "artifact": "display/index.js", "permission": "%[1]s.view" } } }`,
			id, version, more),
		"display/index.js": script,
	}
}

func throwing(mount string) string {
	return `export default { narthex: "display", abi: 1, definition: {
		mount(container, context) {` + mount + `} } };`
}

// startWalls installs the platform with the wall module and some others, and starts it behind that many
// proxies.
func startWalls(t *testing.T, fronts int) *displayFixture {
	t.Helper()
	w := &displayFixture{t: t, port: strconv.Itoa(porttest.Free(t)), folder: install(t, "./testdata/wall")}
	for id, files := range map[string]map[string]string{
		"throws": displayOnly("throws", "1.0.0", "", throwing(`throw new Error("thrown at mount");`)),
		"older": displayOnly("older", "1.0.0", "",
			`export default { narthex: "display", abi: 0, definition: {} };`),
		"needy": displayOnly("needy", "1.0.0",
			`"dependencies": { "required": [{ "kind": "module", "id": "wall", "range": ">=1.0.0" }] },`,
			throwing(`container.textContent = "Here is the needy one.";`)),
	} {
		w.writeModule(id, files)
	}
	w.initialize(fronts)
	return w
}

// initialize creates a database and an owner, and starts the platform behind that many proxies.
func (w *displayFixture) initialize(fronts int) {
	t := w.t
	t.Helper()
	postgres, err := cluster.Start(t.Context(), cluster.Options{
		Dir: filepath.Join(w.folder, "postgresql"), Tools: "../../.tools", FsyncOff: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = postgres.Stop() })
	w.database = postgres.URL("postgres")
	for range fronts {
		w.fronts = append(w.fronts, newFront(t, w.port))
	}
	owner := w.command("identity:create-initial-owner", "--", "--email", "owner@example.org")
	owner.Stdin = strings.NewReader(wallPassword + "\n")
	for _, step := range []*exec.Cmd{w.command("migrations:apply"), owner} {
		if report, err := step.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
	}
	w.start()
}

// writeModule writes the files of a module.
func (w *displayFixture) writeModule(id string, files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.folder, "modules", id, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o644)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *displayFixture) command(arguments ...string) *exec.Cmd {
	var origins []string
	for _, f := range w.fronts {
		origins = append(origins, f.origin)
	}
	c := exec.Command(filepath.Join(w.folder, "narthex"), arguments...)
	c.Dir = w.folder
	c.Env = append([]string{
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"NODE_ENV=development",
		"DATABASE_URL=" + w.database,
		"SERVICE_API_PORT=" + w.port,
		"XDG_RUNTIME_DIR=" + w.folder,
		"SERVICE_IDENTITY_SECRET=8fK2mQzR4vXw9LpT7nYb3GcHdJ6sAeUi",
		"SERVICE_IDENTITY_BASE_URL=" + w.origin(),
		"SERVICE_IDENTITY_TRUSTED_ORIGINS=" + strings.Join(origins, ","),
	}, w.variables...)
	return c
}

// origin is the platform's own address, without a proxy.
func (w *displayFixture) origin() string { return "http://127.0.0.1:" + w.port }

// start starts the platform and signs the owner in.
func (w *displayFixture) start() {
	w.t.Helper()
	w.daemon = launch(w.t, w.command("api:start"))
	w.daemon.waitForLine(w.t, `"msg":"ready"`)
	if w.session == "" {
		_, header := w.send("POST", "/api/auth/sign-in/email",
			`{"email":"owner@example.org","password":"`+wallPassword+`"}`)
		w.session, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	}
}

// send sends a request as the owner. Any response but a success fails the test.
func (w *displayFixture) send(method, path, body string) (result []byte, header http.Header) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.origin()+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Origin", w.origin())
	r.Header.Set("Content-Type", "application/json")
	if w.session != "" {
		r.Header.Set("Cookie", w.session)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	result, err = io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		w.t.Fatalf("%s %s: status %d %s %v", method, path, response.StatusCode, result, err)
	}
	return result, response.Header
}

// publishText changes the text that the display shows.
func (w *displayFixture) publishText(text string) {
	w.t.Helper()
	w.send("POST", "/api/v1/modules/wall/say", text)
}

// approveCode pairs the screen that shows a code, and returns the device's id.
func (w *displayFixture) approveCode(code string) (deviceID string) {
	w.t.Helper()
	body, _ := w.send("POST", "/api/v1/device-pairing/"+code+"/approve", `{"label":"Back wall"}`)
	var device struct{ ID string }
	if err := json.Unmarshal(body, &device); err != nil {
		w.t.Fatal(err)
	}
	return device.ID
}

// hurried divides the page's longer pauses by ten, and lets a test advance its monotonic clock. Ten seconds
// are not a pause, but the limit of a request or a mount. While the page shows the text in window.holdAt, a
// pause that has ended is extended. window.intervals counts how often intervals have fired.
const hurried = `(() => {
	const { setTimeout: once, setInterval: often, performance } = window;
	const shorter = (after) => (after >= 3000 && after !== 10000 ? after / 10 : after);
	window.setTimeout = (run, after = 0, ...more) => {
		const over = () => {
			const held = after >= 3000 && window.holdAt && document.body.innerText.includes(window.holdAt);
			if (held) once(over, 100);
			else run(...more);
		};
		return once(after >= 3000 ? over : run, shorter(after), ...more);
	};
	window.intervals = {};
	window.setInterval = (run, after = 0, ...more) => often(() => {
		run(...more);
		intervals[after] = (intervals[after] ?? 0) + 1;
	}, after >= 3000 ? after / 10 : after);
	const now = performance.now.bind(performance);
	let skew = 0;
	performance.now = () => now() + skew;
	window.later = (milliseconds) => (skew += milliseconds);
})();`

// holdAt extends the page's pauses while it shows these words; "" ends that.
func (p *tab) holdAt(words string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("window.holdAt = %q", words)))
}

// tv is the window size of these tests.
var tv = view{width: 960, height: 540}

// openScreen opens a display in a new browser context.
func (w *displayFixture) openScreen(t *testing.T, f *faultProxy, module string) *tab {
	t.Helper()
	p := w.newTab(t)
	p.do(chromedp.Navigate(f.origin + "/display/" + module))
	return p
}

// newTab returns a new browser context without a page.
func (w *displayFixture) newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx}
	p.setView(tv)
	p.onNewDocument(hurried)
	return p
}

// pairingCode waits for the six digits on a screen and returns them.
func (p *tab) pairingCode() string {
	p.t.Helper()
	const digits = `document.querySelector(".host-digits")?.innerText.replace(/\D/g, "")`
	p.waitFor(digits + `?.length === 6`)
	return eval[string](p, digits)
}

// openPairedScreen opens a display and pairs it. Afterwards it shows the module, and its page is cached for a
// start without a network.
func (w *displayFixture) openPairedScreen(
	t *testing.T,
	f *faultProxy,
	module string,
) (p *tab, deviceID string) {
	t.Helper()
	p = w.openScreen(t, f, module)
	deviceID = w.approveCode(p.pairingCode())
	p.waitForText("Back wall") // the same in every language
	return p, deviceID
}

// waitForWorker waits until the service worker has cached the page.
func (p *tab) waitForWorker() {
	p.t.Helper()
	p.waitUntil("the page is kept", func() bool {
		for _, path := range p.cachedURLs() {
			if strings.HasPrefix(path, "/display/") && !strings.HasSuffix(path, ".js") {
				return true
			}
		}
		return false
	})
}

// cachedURLs returns every path in all caches of the page's origin.
func (p *tab) cachedURLs() []string {
	p.t.Helper()
	paths, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`(async () => {
		const paths = [];
		for (const name of await caches.keys())
			for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
		return paths.sort();
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil // the page navigates
	}
	return paths
}

func itoa(n int) string { return fmt.Sprint(n) }
