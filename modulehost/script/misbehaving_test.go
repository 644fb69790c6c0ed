package script_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/script"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
	"github.com/narthex-platform/narthex/services/waittest"
)

// TestInterrupted: whatever a turn was doing when it was interrupted, the request fails, others are served
// meanwhile or afterwards, and promises go on working.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("each case computes for a second; TestChanges and TestTransactions interrupt one each")
	}
	m := start(t, sample(`
	m.get("/fine", "sample.use", async () => { await null; return (await db.one("SELECT 1 AS n")).n; });
	const loop = () => { for (;;); };
	const cases = {
		sync: () => loop(),
		async: async () => { await null; loop(); },
		afterCall: async () => { await db.one("SELECT 1"); loop(); },
		nested: async () => {
			const inner = async () => { await db.one("SELECT 1"); loop(); };
			return await inner();
		},
		generator: () => { const g = (function* () { yield 1; loop(); })(); g.next(); g.next(); },
		caught: async () => { for (;;) { try { loop(); } catch (e) { loop(); } finally { loop(); } } },
		sort: () => [3, 2, 1].sort(() => loop()),
		getter: () => ({ get x() { loop(); } }),
		toJSON: () => ({ toJSON() { loop(); } }),
		microtasks: async () => { for (;;) await null; },
		recursion: () => { const f = () => f() + 1; return f(); },
		nativeRecursion: () => { const f = () => [1].map(f); return f(); },
		asyncRecursion: async () => { const f = async () => { await f(); }; await f(); },
		toString: () => { const o = { toString() { return "" + o; } }; return "" + o; },
		proxy: () => { const p = new Proxy({}, { get() { loop(); } }); return p.x; },
		timer: () => new Promise((resolve) => setTimeout(() => { loop(); resolve(); }, 0)),
	};
	for (const name of Object.keys(cases)) m.get("/" + name, "sample.use", cases[name]);
	`), sdktest.Options{})
	anna := m.Person()
	for _, name := range []string{"sync", "async", "afterCall", "nested", "generator", "caught", "sort",
		"getter", "toJSON", "microtasks", "recursion", "nativeRecursion", "asyncRecursion", "toString",
		"proxy", "timer"} {
		if got := anna.Do("GET", "/"+name, nil); got.Status != 500 {
			t.Errorf("GET /%s: %v, want 500", name, got)
		}
		if got := anna.Do("GET", "/fine", nil); got.Status != 200 || string(got.Body) != "1" {
			t.Fatalf("GET /fine after /%s: %v, want 200 1", name, got)
		}
	}
}

// TestNoCodeOfText: nothing turns text into code, and nothing outside of the language is there.
func TestNoCodeOfText(t *testing.T) {
	t.Parallel()
	m := start(t, sample(`
	const attempts = {
		eval: () => (0, eval)("1"),
		Function: () => new Function("return 1")(),
		call: () => Function("return 1")(),
		constructor: () => (() => {}).constructor("return 1")(),
		async: () => (async () => {}).constructor("return 1")(),
		generator: () => (function* () {}).constructor("return 1")(),
		bound: () => Object.getPrototypeOf(isNaN.bind()).constructor("return 1")(),
		reflect: () => Reflect.construct(Object.getPrototypeOf(function () {}).constructor, ["return 1"])(),
		overwrite: () => { Function.prototype.constructor = 1; },
		timer: () => setTimeout("1"),
		api: () => { narthex.db = 1; },
		replace: () => { globalThis.narthex = 1; },
	};
	m.get("/attempts", "sample.use", () => Object.keys(attempts).map((name) => {
		try {
			return name + " " + attempts[name]();
		} catch (error) {
			return "";
		}
	}).filter((line) => line !== ""));
	m.get("/names", "sample.use", () => ["require", "process", "Deno", "fetch", "XMLHttpRequest", "WebSocket",
		"eval", "importScripts", "module", "exports", "WebAssembly"].filter((name) => name in globalThis));
	`), sdktest.Options{})
	anna := m.Person()
	for _, path := range []string{"/attempts", "/names"} {
		if got := anna.Do("GET", path, nil); string(got.Body) != "[]" {
			t.Errorf("GET %s: %v, want []", path, got)
		}
	}
}

// TestRefusedScripts: what cannot run is refused with its place, before anything starts.
func TestRefusedScripts(t *testing.T) {
	t.Parallel()
	const end = "\nexport { x as default };\n"
	for _, c := range []struct{ source, want string }{
		{"const x = 1;\n", "must end with its one export"},
		{"const x = 1, y = 2;\nexport { x as default, y };\n", "must end with its one export"},
		{"const x = 1;" + end, "TypeError: the default export must be made by defineModule"},
		{"const x = ;" + end, "Line 1:11 Unexpected token ;"},
		{"import y from 'fs';\nconst x = 1;" + end, "Line 1:1 Unexpected reserved word"},
		{"undefinedName();\nvar x;" + end, "server/index.js:1:1"},
		{"var x = narthex.defineModule(async (m) => {});" + end, "declares without await"},
		{"var x = narthex.defineModule((m) => m.get('/a', 'sample.use', 7));" + end,
			"a handler must be a function"},
		{"var x = narthex.defineModule((m) => m.every('a', { weeks: 1 }, () => {}));" + end, "and not weeks"},
		{"for (;;);\nvar x;" + end, "was interrupted"},
	} {
		err := script.New("server/index.js", []byte(c.source)).Register(&sdk.Registry{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.source, err, c.want)
		}
	}
}

// TestUnhandled: an error that nobody catches, and a rejection that nobody handles, reach the author with
// their places in the source, and the module goes on.
func TestUnhandled(t *testing.T) {
	t.Parallel()
	// "a.ts" line 3, column 5 is what line 1 of the script is mapped to.
	source := []byte("var sample = narthex.defineModule((m) => { m.get('/late', 'sample.use', () => { " +
		"setTimeout(() => { throw new Error('too late') }, 0); Promise.reject(new Error('nobody')); }); });\n" +
		"export { sample as default };\n//# sourceMappingURL=data:application/json;base64," +
		"eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIi4uL3NlcnZlci1zcmMvYS" +
		"50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiQUFFSSw0U0FBQSJ9\n")
	said := &lines{}
	module := script.New("server/index.js", source)
	module.Tell(said)
	anna := startModule(t, module, sdktest.Options{}).Person()
	got, after := anna.Do("GET", "/late", nil), anna.Do("GET", "/late", nil)
	if got.Status != 204 || after.Status != 204 {
		t.Errorf("GET /late: %v and %v, want 204 twice", got, after)
	}
	for _, want := range []string{"error: unhandled rejection: Error: nobody\n\tat server-src/a.ts:3:5",
		"too late\n\tat server-src/a.ts:3:5"} {
		waittest.Until(t, fmt.Sprintf("the author reads %q", want), func() bool {
			return strings.Contains(said.String(), want)
		})
	}
}

// lines collects what the author of a module reads.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
