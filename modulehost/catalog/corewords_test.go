package catalog_test

import (
	"os"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// TestWordsOfCorePermissions: the Dashboard has the same words for the platform's permissions, for people who
// may not read the list of permissions.
func TestWordsOfCorePermissions(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../web/dashboard/words/permissions.ts")
	must(t, err)
	installed, err := catalog.Discover(t.TempDir(), true, platform)
	must(t, err)
	for _, p := range installed.Permissions {
		for _, text := range []string{p.Description, p.Translated["de"]} {
			if line := `"` + p.ID + `": "` + text + `",`; !strings.Contains(string(file), line) {
				t.Errorf("web/dashboard/words/permissions.ts lacks %s", line)
			}
		}
	}
}
