package bundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/web/bundle"
)

// TestEnginesOfScripts: what runs on displays is written for the older browsers that they have (Chromium 94
// has no ranges in media queries), and what people open is not.
func TestEnginesOfScripts(t *testing.T) {
	folder := t.TempDir()
	for _, part := range []string{"ui", "link", "display"} {
		write(t, filepath.Join(folder, part+"-src/style.css"), "@media (width >= 40em) { p { color: red } }")
		write(t, filepath.Join(folder, part+"-src/index.ts"),
			"import styles from \"./style.css\";\nexport default { styles };\n")
	}
	scripts, err := bundle.Module(folder, bundle.SDK{})
	if err != nil || len(scripts) != 3 {
		t.Fatalf("%d scripts, error %v; want 3", len(scripts), err)
	}
	for _, script := range scripts {
		lowered := !strings.Contains(string(script.Bytes), "width>=")
		if want := script.Path == "display/index.js"; lowered != want {
			t.Errorf("%s is written for the browsers of displays: %v, want %v", script.Path, lowered, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
