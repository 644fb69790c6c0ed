package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// pageMistake is a mistake in what browsers run, and what its author reads of it.
type pageMistake struct {
	title, change string
	old, words    string // replaced in ui-src/index.tsx
	message       string // the beginning of it
	failure       bool   // the step fails; else the page tells an error, with the place of "here" in the source
	onTerminal    bool   // only the terminal tells it
	remedy        string
}

const atMount = "function mount(container: HTMLElement, context: ModuleUiContext): () => void {\n"

// pageMistakes are in the order of the page.
var pageMistakes = []pageMistake{
	{
		title: "An error in a page's mount", change: "a field of something that is not there is read",
		old: atMount, words: atMount + "	(context as any).song.title; // here\n",
		message: "error: TypeError: Cannot read properties of undefined (reading 'title')",
		remedy:  "Everybody else reads that the module could not be shown.",
	},
	{
		title: "An error later on", change: "`setTimeout(() => { throw new Error(\"no note\"); })`",
		old: atMount, words: atMount + "	setTimeout(() => { throw new Error(\"no note\"); }); // here\n",
		message: "error: Error: no note",
		remedy:  "The page goes on without what failed, and nobody else is told.",
	},
	{
		title: "A promise that nobody awaits", change: "`void save()`, which throws",
		old: atMount, words: atMount + "	const save = async () => { throw new Error(\"not saved\"); }; // here\n" +
			"	void save();\n",
		message: "error in a promise that nobody awaits: Error: not saved",
		remedy:  "Await it and tell people what they can do, as with context.announce.",
	},
	{
		title: "A style element in the head", change: "`document.head.append(style)`",
		old: atMount, words: atMount + "	const style = document.createElement(\"style\");\n" +
			"	document.head.append(style); // here\n",
		message: "error: a style element in document.head changes the whole page, and stays when the module is " +
			"gone; use context.addStyle(css)",
		remedy: "A style sheet of addStyle applies to the module alone, and ends with it.",
	},
	{
		title: "No default export", change: "`export default` is missing in `ui-src/index.tsx`",
		old: "export default defineModuleUi({ mount });", words: "export const ui = defineModuleUi({ mount });",
		message: "ui-src/index.tsx: it has no default export", failure: true,
		remedy: "The page that is open shows the version before.",
	},
	{
		title: "A style sheet that is imported for nothing", change: "`import \"./style.css\"`",
		old: "import { defineModuleUi", words: "import \"./style.css\";\nimport { defineModuleUi",
		message: "prayer-list: warning: ui-src/style.css: ", onTerminal: true,
		remedy: "A style sheet is imported as its text.",
	},
}

// TestPageMistakes makes each mistake in a page that is open while dev runs, and compares what its author
// reads on the page with docs/modules-mistakes.md. REFERENCE=write writes its part of that page. The terminal
// has the same words.
func TestPageMistakes(t *testing.T) {
	leaveToProof(t, "it builds programs from sources")
	a := newAuthor(t)
	a.save("ui-src/style.css", "p { color: red }\n")
	source := a.read("ui-src/index.tsx")
	p := openPage(t, a.dev.address+"/#/m/prayer-list", desktop)
	p.expected = []string{"Uncaught Error: no note", "Uncaught (in promise) Error: not saved"}
	p.submit("owner@example.org", a.dev.password)
	p.find("button", "Add")
	var page strings.Builder
	page.WriteString(inBrowsers)
	for _, m := range pageMistakes {
		edited := strings.Replace(source, m.old, m.words, 1)
		before, _, _ := strings.Cut(edited, "// here")
		place := fmt.Sprintf("ui-src/index.tsx:%d:", strings.Count(before, "\n")+1)
		a.save("ui-src/index.tsx", edited)
		message := ""
		if m.onTerminal {
			message = m.message + a.dev.waitForLine(t, m.message)
		} else {
			p.waitFor(banner(m.message))
			message = eval[string](p,
				`document.querySelector("narthex-dev").shadowRoot.querySelector("pre").textContent`)
			if !m.failure && !strings.Contains(message, place) {
				t.Errorf("%s: the page tells\n%s\nwant %s in it", m.title, message, place)
			}
			for line := range strings.Lines(message) {
				a.dev.waitForLine(t, strings.TrimSpace(line))
			}
		}
		fmt.Fprintf(&page, "\n## %s\n\nThe mistake: %s.\n\n```text\n%s\n```\n\n%s\n", m.title, m.change,
			strings.TrimSpace(message), m.remedy)
		a.save("ui-src/index.tsx", source)
		p.waitFor(noBanner)
		p.find("button", "Add")
	}
	const path = "../../docs/modules-mistakes.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	server, written, _ := strings.Cut(string(text), inBrowsers)
	if os.Getenv("REFERENCE") == "write" {
		if err := os.WriteFile(path, []byte(server+page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if inBrowsers+written != page.String() {
		t.Errorf("%s is not what dev says; write it by REFERENCE=write\ngot\n%s\nwant\n%s", path,
			inBrowsers+written, page.String())
	}
}

// inBrowsers begins the part of the page that this test writes (cmd/narthex/e2e/mistakes_test.go).
const inBrowsers = "\n# In browsers\n\n" +
	"`narthex-dev dev` tells these on the terminal and on the open page, with places in the sources. A test\n" +
	"makes each mistake and writes this part (`REFERENCE=write go test -run TestPageMistakes " +
	"./web/browsertest`).\n"
