package dev

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// TestSampleSettings: the modules declare these settings and allow these values. No required setting is
// missing except secrets, which dev supplies.
func TestSampleSettings(t *testing.T) {
	t.Parallel()
	for id, values := range sampleSettings("http://localhost:3000") {
		text, err := os.ReadFile(filepath.Join("../../../modules", id, "module.json"))
		if err != nil {
			t.Fatal(err)
		}
		declared, findings := manifest.Parse(text)
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		known := 0
		for _, d := range declared.Configuration {
			value, given := values[d.Key]
			if given {
				known++
			}
			if given && !d.Accepts(value) || !given && d.Required && d.Type != manifest.TypeSecret {
				t.Errorf("%s of %s is %q, want a value that the module takes", d.Key, id, value)
			}
		}
		if known != len(values) {
			t.Errorf("%s declares %d of the settings %v, want all", id, known, values)
		}
	}
}
