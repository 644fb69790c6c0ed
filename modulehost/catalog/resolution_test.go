package catalog_test

import (
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

func TestEligible(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "base", fields{"provides": provides("base.thing", "1.0.0")})
	install(t, dir, "by-module", fields{"dependencies": needs([]string{"module base *"})})
	install(t, dir, "by-capability", fields{"dependencies": needs([]string{"capability base.thing *"})})
	install(t, dir, "chained", fields{"dependencies": needs([]string{"module by-module *"})})
	install(t, dir, "optional", fields{"dependencies": needs(nil, "module base *", "capability base.thing *")})
	installed, err := catalog.Discover(dir, true, platform)
	must(t, err)

	for _, row := range []struct {
		disabled string
		want     []string
	}{
		{"", []string{"base", "by-capability", "by-module", "optional", "chained"}},
		{"base", []string{"optional"}},
		{"by-module", []string{"base", "by-capability", "optional"}},
		{"chained", []string{"base", "by-capability", "by-module", "optional"}},
	} {
		var got []string
		for _, m := range installed.Eligible(func(id string) bool { return id != row.disabled }) {
			got = append(got, m.Manifest.ID)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("without %q: %v, want %v", row.disabled, got, row.want)
		}
	}
}
