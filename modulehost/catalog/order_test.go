package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

func provides(capability, version string) []fields {
	return []fields{{"capability": capability, "version": version}}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "apple", fields{"dependencies": needs([]string{"module zebra ^1.0.0"})})
	install(t, dir, "bee", fields{"dependencies": needs(
		[]string{"capability zebra.stripes ~1.2", "module apple *"}, "module yak >=1.0.0", "module zebra ^1.0.0")})
	install(t, dir, "cat", nil)
	install(t, dir, "yak", fields{"dependencies": needs(nil, "module gone ^1.0.0", "module zebra ^2.0.0",
		"capability zebra.spots *")})
	install(t, dir, "zebra", fields{"provides": provides("zebra.stripes", "1.2.9")})
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	var got strings.Builder
	for _, m := range found.Modules {
		fmt.Fprintf(&got, "%d %s %v\n", m.Level, m.Manifest.ID, m.Dependencies)
	}
	const want = `0 cat []
0 yak []
0 zebra []
1 apple [{module zebra zebra true}]
2 bee [{capability zebra.stripes zebra true} {module apple apple true} ` +
		`{module yak yak false} {module zebra zebra false}]
`
	if got.String() != want {
		t.Errorf("order\n%s\nwant\n%s", got.String(), want)
	}
}

func TestDependencyFindings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		modules map[string]fields
		want    []string
	}{
		"module missing": {map[string]fields{"a": {"dependencies": needs([]string{"module b ^1.0.0"})}},
			[]string{"DEPENDENCY_MISSING: module a at /dependencies/required/0: dependencies.required[] needs the " +
				"module b, which is not installed."}},
		"capability missing": {map[string]fields{"a": {"dependencies": needs([]string{"capability b.x ^1.0.0"})},
			"b": {"provides": provides("b.y", "1.0.0")}},
			[]string{"DEPENDENCY_MISSING: module a at /dependencies/required/0: dependencies.required[] needs the " +
				"capability b.x, which is not installed."}},
		"out of range": {map[string]fields{"a": {"dependencies": needs(
			[]string{"module b ^2.0.0", "capability b.x <1.0.0"})}, "b": {"provides": provides("b.x", "1.5.0")}},
			[]string{"DEPENDENCY_INCOMPATIBLE: module a at /dependencies/required/0: dependencies.required[] needs " +
				"the module b in another version than the installed 1.0.0.",
				"DEPENDENCY_INCOMPATIBLE: module a at /dependencies/required/1: dependencies.required[] needs the " +
					"capability b.x in another version than the installed 1.5.0."}},
		"pre-release is no release": {map[string]fields{"a": {"dependencies": needs([]string{"module b ^1.0.0"})},
			"b": {"version": "1.1.0-rc.1"}},
			[]string{"DEPENDENCY_INCOMPATIBLE: module a at /dependencies/required/0: "}},
		"provider is broken": {map[string]fields{"a": {"dependencies": needs(
			[]string{"module b ^1.0.0", "capability b.x ^1.0.0"})}, "b": {"name": 1}},
			[]string{"MANIFEST_INVALID: module b at /name: "}},
		"circle of two": {map[string]fields{"a": {"dependencies": needs([]string{"module b *"})},
			"b": {"dependencies": needs([]string{"module a *"})}},
			[]string{"DEPENDENCY_CYCLE: module a at /dependencies: dependencies must not form a circle: a -> b -> " +
				"a."}},
		"circle of optional and capability edges": {map[string]fields{
			"a": {"dependencies": needs(nil, "module c *"), "provides": provides("a.x", "1.0.0")},
			"b": {"dependencies": needs(nil, "capability a.x *")},
			"c": {"dependencies": needs([]string{"module b *"})},
			"d": {"dependencies": needs([]string{"module a *"})}},
			[]string{"DEPENDENCY_CYCLE: module a at /dependencies: dependencies must not form a circle: a -> c -> " +
				"b -> a."}},
		"two circles": {map[string]fields{
			"a": {"dependencies": needs([]string{"module c *"})},
			"b": {"dependencies": needs([]string{"module c *", "module e *"})},
			"c": {"dependencies": needs([]string{"module a *", "module b *"})},
			"d": {"dependencies": needs([]string{"module e *"})},
			"e": {"dependencies": needs([]string{"module d *"})}},
			[]string{"DEPENDENCY_CYCLE: module a at /dependencies: dependencies must not form a circle: a -> c -> a.",
				"DEPENDENCY_CYCLE: module b at /dependencies: dependencies must not form a circle: b -> c -> b.",
				"DEPENDENCY_CYCLE: module d at /dependencies: dependencies must not form a circle: d -> e -> d."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for id, more := range c.modules {
				install(t, dir, id, more)
			}
			assertFindings(t, dir, c.want...)
		})
	}
}

// TestAbsentEdgeClosesNoCircle: an optional edge whose provider is out of range is absent, so it closes no
// cycle.
func TestAbsentEdgeClosesNoCircle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "a", fields{"dependencies": needs(nil, "module b ^2.0.0")})
	install(t, dir, "b", fields{"dependencies": needs([]string{"module a ^1.0.0"})})
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	if found.Modules[0].Manifest.ID != "a" || len(found.Modules[0].Dependencies) != 0 {
		t.Errorf("Discover: %+v, want a module without edges", found.Modules[0])
	}
}

func TestLongChain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const length = 300
	for i := range length {
		var more fields
		if i > 0 {
			more = fields{"dependencies": needs([]string{fmt.Sprintf("module m%d ^1.0.0", i-1)})}
		}
		install(t, dir, fmt.Sprintf("m%d", i), more)
	}
	found, err := catalog.Discover(dir, true, platform)
	must(t, err)
	for i, m := range found.Modules {
		if m.Level != i || m.Manifest.ID != fmt.Sprintf("m%d", i) {
			t.Fatalf("module %d is %s at level %d, want m%d at level %d", i, m.Manifest.ID, m.Level, i, i)
		}
	}
}
