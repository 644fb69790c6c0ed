package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	narthexweb "github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

// inCheckout changes to the checkout's root, and skips the test if the packages of the front end are missing.
func inCheckout(t *testing.T) {
	t.Helper()
	t.Chdir("../..")
	if _, err := os.Stat("web/node_modules/preact"); err != nil {
		t.Fatal("the packages of the front end are needed: npm ci in web")
	}
}

func TestCommittedIsCurrent(t *testing.T) {
	inCheckout(t)
	if err := run(true, nil); err != nil {
		t.Error(err)
	}
}

// wholeAddress matches complete URLs. A URL in the text of a screen may consist of only its scheme.
var wholeAddress = regexp.MustCompile(`https://[0-9A-Za-z\[][^"\s]*`)

// TestPageNeedsNobodyElse: the page loads only its script, and the script loads only what the server names.
func TestPageNeedsNobodyElse(t *testing.T) {
	if testing.Short() {
		t.Skip("bundles the dashboard again")
	}
	inCheckout(t)
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	outputs, _, err := platform()
	if err != nil {
		t.Fatal(err)
	}
	built := map[string][]byte{}
	for _, o := range outputs {
		if strings.HasPrefix(o.path, "web/dist/dashboard/") || o.path == "web/dist/sdk/narthex-sdk.js" {
			built[filepath.Base(o.path)] = o.bytes
		}
	}
	sources := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllSubmatch(built["index.html"], -1)
	for _, source := range sources {
		if address := string(source[1]); address != "/assets/service-dashboard/app.js" &&
			address != "/api/v1/principal" && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page loads %s", address)
		}
	}
	for name, script := range built {
		if name == "index.html" {
			continue
		}
		if address := wholeAddress.Find(script); address != nil {
			t.Errorf("%s holds the address %s", name, address)
		}
		for _, forbidden := range []string{"sourceMappingURL", "@import", "url(http", "node_modules", root} {
			if bytes.Contains(script, []byte(forbidden)) {
				t.Errorf("%s contains %q, want nothing that names a source or another place", name, forbidden)
			}
		}
	}
}

func TestStaleFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	outputs := []output{{filepath.Join(dir, "deep", "same.js"), []byte("a")},
		{filepath.Join(dir, "other.js"), []byte("b")}}
	if err := write(outputs); err != nil {
		t.Fatal(err)
	}
	if err := compare(outputs); err != nil {
		t.Errorf("just written: %v", err)
	}
	outputs[1].bytes = []byte("c")
	outputs = append(outputs, output{filepath.Join(dir, "missing.js"), nil})
	err := compare(outputs)
	if err == nil || strings.Contains(err.Error(), "same.js") || !strings.Contains(err.Error(), "other.js") ||
		!strings.Contains(err.Error(), "missing.js") {
		t.Errorf("compare: error %v, want it to name other.js and missing.js alone", err)
	}
	err = leftOver(dir, outputs[:1])
	if err == nil || strings.Contains(err.Error(), "same.js") || !strings.Contains(err.Error(), "other.js") {
		t.Errorf("other.js is built of nothing: %v, want it to be named", err)
	}
}

// TestModuleOfAnotherFolder builds the scripts of a module outside the checkout's own modules.
func TestModuleOfAnotherFolder(t *testing.T) {
	inCheckout(t)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "ui-src"), 0o755); err != nil {
		t.Fatal(err)
	}
	source := `import { defineModuleUi } from "@narthex/sdk"; export default defineModuleUi({ mount() {} });`
	if err := os.WriteFile(filepath.Join(dir, "ui-src", "index.ts"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(false, []string{dir}); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(dir, "ui", "index.js"))
	if err != nil || !bytes.Contains(script, []byte("module-ui")) || !bytes.Contains(script, []byte("export{")) {
		t.Errorf("ui/index.js: %s, want a bundle that exports; error %v", script, err)
	}
}

// TestModuleScriptsWithoutACheckout: an author's program builds the same scripts as the checkout, in any
// folder, and without the packages of the front end; the scripts use the kit of the page.
func TestModuleScriptsWithoutACheckout(t *testing.T) {
	inCheckout(t)
	folder := t.TempDir()
	for _, part := range []string{"ui-src", "display-src"} {
		if err := os.CopyFS(filepath.Join(folder, part), os.DirFS("modules/announcements/"+part)); err != nil {
			t.Fatal(err)
		}
	}
	sdk, err := bundle.ReadSDK(narthexweb.SDK())
	if err != nil {
		t.Fatal(err)
	}
	got, err := bundle.Module(folder, sdk)
	if err != nil || len(got) != 2 {
		t.Fatalf("bundle.Module of announcements: %d scripts, error %v; want 2", len(got), err)
	}
	for _, script := range got {
		want, err := os.ReadFile(filepath.Join("modules/announcements", script.Path))
		if err != nil || !bytes.Equal(script.Bytes, want) {
			t.Errorf("%s: %d bytes, want the %d of the checkout; error %v", script.Path, len(script.Bytes),
				len(want), err)
		}
	}
	if !bytes.Contains(got[0].Bytes, []byte(`globalThis[Symbol.for("narthex.kit.1")]`)) {
		t.Errorf("%s does not use the page's kit", got[0].Path)
	}
	for name, source := range map[string]string{
		"tile.tsx": `import { words } from "./shared/words"; import { defineContribution } from "@narthex/sdk";
			export default defineContribution({ words, element: <p>{words}</p> });`,
		"slide.ts":         `export default 1;`,
		"types.d.ts":       `declare const unused: number;`,
		"shared/words.ts":  `export const words = "shared words";`,
		"shared/style.css": `p { margin: 0 }`,
	} {
		path := filepath.Join(folder, "contributions-src", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(source), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	got, err = bundle.Module(folder, sdk)
	var paths []string
	for _, script := range got {
		paths = append(paths, script.Path)
	}
	wanted := []string{"ui/index.js", "display/index.js", "contributions/slide.js", "contributions/tile.js"}
	if err != nil || !slices.Equal(paths, wanted) || !bytes.Contains(got[3].Bytes, []byte("shared words")) {
		t.Errorf("bundle.Module with contributions: %v, want %v, the last one with its words; error %v", paths,
			wanted, err)
	}
	broken := filepath.Join(folder, "ui-src", "index.ts")
	_ = os.Remove(filepath.Join(folder, "ui-src", "index.tsx"))
	if err := os.WriteFile(broken, []byte("\nconst x = ;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bundle.Module(folder, sdk); err == nil ||
		!strings.HasPrefix(err.Error(), "ui-src/index.ts:2:11: ") {
		t.Errorf("a mistake in the second line: %v, want its file, line and column", err)
	}
}

// TestModuleScriptsThatWouldNotDoWhatIsMeant: an author learns from the build what a page would only show as
// an old module, or not at all.
func TestModuleScriptsThatWouldNotDoWhatIsMeant(t *testing.T) {
	inCheckout(t)
	sdk, err := bundle.ReadSDK(narthexweb.SDK())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ source, refusal, warning string }{
		"no default export": {source: "export const mount = 1;",
			refusal: "ui-src/index.ts: it has no default export"},
		"a style sheet that nobody uses": {source: "import \"./style.css\";\nexport default 1;",
			warning: "ui-src/style.css: nothing uses"},
		"a comparison that is never true": {source: "export default (x: number) => typeof x === \"nummer\";",
			warning: "index.ts:1:"},
		"nothing": {source: "export default 1;"},
	} {
		folder := t.TempDir()
		err := os.Mkdir(filepath.Join(folder, "ui-src"), 0o755)
		for file, text := range map[string]string{"index.ts": c.source, "style.css": "p { margin: 0 }"} {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, "ui-src", file), []byte(text), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
		scripts, err := bundle.Module(folder, sdk)
		if c.refusal != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.refusal) {
				t.Errorf("%s: error %v, want %s", name, err, c.refusal)
			}
			continue
		}
		if err != nil || len(scripts) != 1 {
			t.Errorf("%s: %d scripts, want 1; error %v", name, len(scripts), err)
			continue
		}
		if said := strings.Join(scripts[0].Warnings, "\n"); !strings.Contains(said, c.warning) ||
			c.warning == "" && said != "" {
			t.Errorf("%s: warnings %q, want %q", name, said, c.warning)
		}
	}
}

// TestLogic runs the tests of web/logictest, which need no browser, in Node.
func TestLogic(t *testing.T) {
	inCheckout(t)
	script, err := bundle.Build("web/logictest/run.ts", api.FormatESModule, bundle.Readable,
		bundle.External("node:*"), func(options *api.BuildOptions) {
			options.Alias["@narthex/kit"] = "./web/logictest/kit.ts"
		})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "logic.test.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "--test", "--test-reporter=spec", file)
	node.Env = append(os.Environ(), "TZ=Europe/Berlin") // a zone with summer time
	if report, err := node.CombinedOutput(); err != nil {
		t.Errorf("node --test: %v, want success; report %s", err, report)
	}
}

// TestTypes type-checks all sources in strict mode.
func TestTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("npm run check does the same in web")
	}
	inCheckout(t)
	if report, err := exec.CommandContext(t.Context(), "web/node_modules/.bin/tsc", "--project",
		"web").CombinedOutput(); err != nil {
		t.Errorf("tsc: %v, want success; report %s", err, report)
	}
}

// TestLines finds lines of the sources that are longer than 110 columns.
func TestLines(t *testing.T) {
	inCheckout(t)
	for _, root := range []string{"web", "modules"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.Name() == "node_modules" || entry.Name() == "dist" {
				return filepath.SkipDir
			}
			if ending := filepath.Ext(path); ending != ".ts" && ending != ".tsx" {
				return nil
			}
			source, err := os.ReadFile(path)
			for i, line := range strings.Split(string(source), "\n") {
				if length := utf8.RuneCountInString(line); length > 110 {
					t.Errorf("%s:%d has %d columns, want at most 110", path, i+1, length)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
