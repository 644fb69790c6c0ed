package manifest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

var update = flag.Bool("update", false, "write what Parse finds into the cases of testdata")

// separator separates a case's manifest from its expected findings: `CODE pointer sentence` a line, or
// `valid`.
const separator = "\n----- findings\n"

func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.case")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata has %d cases, want some; error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".case"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, ok := strings.Cut(string(raw), separator)
			if !ok && !*update {
				t.Fatal("the case has no findings section")
			}
			m, findings := manifest.Parse([]byte(input))
			if (m == nil) != (len(findings) > 0) {
				t.Errorf("a manifest and findings together, or neither: %v, %v", m, findings)
			}
			got := listed(findings)
			if *update {
				if err := os.WriteFile(file, []byte(input+separator+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("found\n%swant\n%s", got, want)
			}
		})
	}
}

func listed(findings []manifest.Finding) string {
	if len(findings) == 0 {
		return "valid\n"
	}
	var out strings.Builder
	for _, f := range findings {
		pointer := f.Pointer
		if pointer == "" {
			pointer = "(file)"
		}
		fmt.Fprintf(&out, "%s %s %s\n", f.Code, pointer, f.Message)
	}
	return out.String()
}
