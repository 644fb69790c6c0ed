package bundle_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/web/bundle"
)

// TestSourceMap finds places of a bundled script in its sources.
func TestSourceMap(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "ui-src/index.ts"), "import { greet } from \"./parts/greet\";\n\n"+
		"export default { greet, at: \"the entry\" };\n")
	write(t, filepath.Join(folder, "ui-src/parts/greet.ts"), "// a comment\n"+
		"export function greet(name: string) {\n"+
		"	if (name === \"\") throw new Error(\"nobody\");\n	return name;\n}\n")
	scripts, err := bundle.Module(folder, bundle.SDK{})
	if err != nil || len(scripts) != 1 {
		t.Fatalf("%d scripts, error %v; want 1", len(scripts), err)
	}
	m, err := bundle.ReadSourceMap(scripts[0].Map)
	if err != nil {
		t.Fatal(err)
	}
	text := string(scripts[0].Bytes)
	if strings.Contains(text, "sourceMappingURL") {
		t.Errorf("the script is %q, want no reference to a map in it", text)
	}
	for words, want := range map[string]string{
		"throw new":   "ui-src/parts/greet.ts:3:19",
		"new Error":   "ui-src/parts/greet.ts:3:25",
		`"the entry"`: "ui-src/index.ts:3:29",
	} {
		line := strings.Count(text[:strings.Index(text, words)], "\n") + 1
		column := strings.Index(text, words) - strings.LastIndex(text[:strings.Index(text, words)], "\n")
		if got := m.Source(line, column); got != want {
			t.Errorf("%s at %d:%d of %q is %q, want %q", words, line, column, text, got, want)
		}
	}
	for _, at := range [][2]int{{0, 1}, {1, 0}, {1000, 1}} {
		if got := m.Source(at[0], at[1]); got != "" {
			t.Errorf("%v, which is not in the script, is %q, want nothing", at, got)
		}
	}
}

func TestDamagedSourceMap(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"mappings":"A!A"}`, `{"mappings":"AAAA"}`, `{"mappings":"g"}`,
		`{"mappings":"ggggggggggggA"}`} {
		if _, err := bundle.ReadSourceMap([]byte(text)); err == nil {
			t.Errorf("ReadSourceMap of %q: no error, want one", text)
		}
	}
}
