package scripttest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/scripttest"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func TestMain(m *testing.M) { sdktest.Main(m) }

// TestModules runs the tests of the sample modules whose server is TypeScript.
func TestModules(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../../modules/*/server-src")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no module in TypeScript was found: %v", err)
	}
	for _, folder := range folders {
		suite, err := scripttest.Load(filepath.Dir(folder), os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(suite.Close)
		for _, test := range suite.Tests() {
			t.Run(test.Name, func(t *testing.T) {
				if err := suite.Run(t.Context(), test); err != nil {
					t.Errorf("%s: %s: %v", test.File, test.Name, err)
				}
			})
		}
	}
}

// TestGuide runs the tests of docs/modules-typescript.md with the module of the page.
func TestGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/modules-typescript.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "checklists")
	block := regexp.MustCompile("(?ms)^```(?:json|sql|ts) (\\S+)\n(.*?)^```$")
	for _, found := range block.FindAllStringSubmatch(string(page), -1) {
		writeFile(t, filepath.Join(folder, found[1]), found[2])
	}
	suite, err := scripttest.Load(folder, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(suite.Close)
	for _, test := range suite.Tests() {
		if err := suite.Run(t.Context(), test); err != nil {
			t.Errorf("%s: %v", test.Name, err)
		}
	}
}

const manifest = `{"manifestVersion": 7, "id": "sample", "name": "Sample", "version": "1.0.0",
	"compatibility": {"platform": "^0.1.0", "moduleSdk": "^0.1.0"},
	"permissions": [{"id": "sample.use", "baseline": "authenticated"}],
	"entrypoints": {"server": {"script": "server/index.js", "abi": 1}}}`

const server = `import { defineModule } from "@narthex/server";
export default defineModule((m) => m.get("/fine", "sample.use", () => ({ fine: true })));
`

// TestFailures: a test that fails says where in its TypeScript, and the next one runs.
func TestFailures(t *testing.T) {
	t.Parallel()
	suite := load(t, `import { equal, ok, test } from "@narthex/server/test";

test("a wrong value", async (m) => {
	const anna = await m.person();
	equal((await anna.get("/fine")).body, { fine: false }, "the answer");
});
test("a rejection", async () => { throw new Error("as wanted"); });
test("no such permission", async (m) => { await m.person("sample.manage"); });
test("no such route", async (m) => ok((await (await m.visitor()).get("/fine")).status === 200));
test("an unknown fault", (m) => m.loseDatabase("at noon"));
test("fine", async (m) => equal((await (await m.person()).get("/fine")).body, { fine: true }));
test("an option that is none", { zone: "UTC" }, () => {});
`)
	want := []string{`the answer: got {"fine":true}, want {"fine":false}` + "\n\tat server-src/a.test.ts:5:",
		"Error: as wanted\n\tat server-src/a.test.ts:7:", "does not declare the permission sample.manage",
		"got false, want something true\n\tat server-src/a.test.ts:9:", "and not at noon", "",
		"unknown field \"zone\""}
	for n, test := range suite.Tests() {
		err := suite.Run(t.Context(), test)
		if want[n] == "" && err != nil || want[n] != "" && (err == nil || !strings.Contains(err.Error(), want[n])) {
			t.Errorf("%s: %v, want %q", test.Name, err, want[n])
		}
	}
}

// TestUnreadableTests: a file of tests that fails at its beginning is named.
func TestUnreadableTests(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"undefinedName();":         "server-src/a.test.ts: ReferenceError: undefinedName is not defined",
		"const x = ;":              "server-src/a.test.ts:1:11",
		"const fine = 1; fine + 1": "no file whose name ends in .test.ts",
	} {
		folder := write(t, source)
		if strings.HasPrefix(want, "no file") {
			_ = os.Remove(filepath.Join(folder, "server-src", "a.test.ts"))
		}
		if _, err := scripttest.Load(folder, os.Stderr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", source, err, want)
		}
	}
}

func write(t *testing.T, tests string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "sample")
	for name, text := range map[string]string{"module.json": manifest, "server-src/index.ts": server,
		"server-src/a.test.ts": tests} {
		writeFile(t, filepath.Join(folder, name), text)
	}
	return folder
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, tests string) *scripttest.Suite {
	t.Helper()
	suite, err := scripttest.Load(write(t, tests), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(suite.Close)
	return suite
}
