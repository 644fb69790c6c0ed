package catalog_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/catalog/catalogtest"
)

// stored is a state in which every module of severalModules runs, unless the fields say otherwise.
// Configuration and secrets are those of the module full.
type stored struct {
	disabled  string // ids
	values    map[string]string
	secrets   string // keys
	noStorage bool
}

func (s stored) state() catalog.State {
	return catalog.State{
		Enabled: func(id string) bool { return !slices.Contains(strings.Fields(s.disabled), id) },
		Stored: func(id string) map[string]string {
			if id != "full" {
				return nil
			}
			return s.values
		},
		Secret: func(id, key string) bool {
			return id == "full" &&
				slices.Contains(strings.Fields(s.secrets), key)
		},
		Storage: !s.noStorage,
	}
}

// enough returns the configuration that the module full needs, with changes; an empty text removes a value.
func enough(changes ...string) map[string]string {
	values := map[string]string{"limit": "5", "choice": "a"}
	for _, change := range changes {
		key, text, _ := strings.Cut(change, "=")
		values[key] = text
	}
	maps.DeleteFunc(values, func(_, text string) bool { return text == "" })
	return values
}

func severalModules(t *testing.T) *catalog.Catalog {
	t.Helper()
	dir := t.TempDir()
	install(t, dir, "base", fields{"provides": provides("base.thing", "1.0.0")})
	install(t, dir, "by-module", fields{"dependencies": needs([]string{"module base *"})})
	install(t, dir, "by-capability", fields{"dependencies": needs([]string{"capability base.thing *"})})
	install(t, dir, "chained", fields{"dependencies": needs([]string{"module by-module *"})})
	install(t, dir, "both", fields{"dependencies": needs(
		[]string{"module by-module *", "capability base.thing *", "module base *"})})
	install(t, dir, "late", fields{"dependencies": needs(
		[]string{"module by-module *", "module by-capability *"})})
	install(t, dir, "optional", fields{"dependencies": needs(nil, "module base *", "capability base.thing *",
		"module full *")})
	withServer(t, dir, "full", fields{
		"dependencies": needs([]string{"module by-capability *"}),
		"storage":      fields{"buckets": []string{"images", "files"}},
		"configuration": []fields{
			{"key": "limit", "type": "integer", "required": true, "minimum": 1, "maximum": 10},
			{"key": "title", "type": "string", "required": true, "default": "Hello", "maxLength": 5},
			{"key": "link", "type": "url"},
			{"key": "choice", "type": "enum", "required": true, "values": []string{"a", "b"}},
			{"key": "spare", "type": "secret"},
			{"key": "token", "type": "secret", "required": true},
			{"key": "otherToken", "type": "secret", "required": true},
		}})
	installed, err := catalog.Discover(dir, true, platform)
	must(t, err)
	return installed
}

func withServer(t testing.TB, dir, id string, more fields) {
	t.Helper()
	more["entrypoints"] = fields{"server": "server"}
	write(t, filepath.Join(install(t, dir, id, more), "server"), catalogtest.Executable(t))
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const secrets = "token otherToken"
	installed := severalModules(t)
	full := func(outcome string) map[string]string { return map[string]string{"full": outcome} }
	for name, row := range map[string]struct {
		stored
		want map[string]string // the modules that must not run
	}{
		"all there": {stored{values: enough(), secrets: secrets}, nil},
		"one disabled": {stored{disabled: "base", values: enough(), secrets: secrets}, map[string]string{
			"base":          "disabled",
			"by-module":     "blocked required_dependency_disabled {module base base true}",
			"by-capability": "blocked required_dependency_disabled {capability base.thing base true}",
			"chained":       "blocked required_dependency_blocked {module by-module by-module true}",
			"late":          "blocked required_dependency_blocked {module by-module by-module true}",
			"both":          "blocked required_dependency_disabled {capability base.thing base true}",
			"full":          "blocked required_dependency_blocked {module by-capability by-capability true}"}},
		"two disabled": {stored{disabled: "base by-module", values: enough(), secrets: secrets}, map[string]string{
			"base": "disabled", "by-module": "disabled",
			"by-capability": "blocked required_dependency_disabled {capability base.thing base true}",
			"chained":       "blocked required_dependency_disabled {module by-module by-module true}",
			"late":          "blocked required_dependency_disabled {module by-module by-module true}",
			"both":          "blocked required_dependency_disabled {module by-module by-module true}",
			"full":          "blocked required_dependency_blocked {module by-capability by-capability true}"}},
		"not installed":       {stored{disabled: "gone base.thing", values: enough(), secrets: secrets}, nil},
		"disabled before all": {stored{disabled: "full", noStorage: true}, full("disabled")},
		"dependency before rest": {stored{disabled: "by-capability", values: enough("limit=11"), noStorage: true},
			map[string]string{
				"by-capability": "disabled",
				"late":          "blocked required_dependency_disabled {module by-capability by-capability true}",
				"full":          "blocked required_dependency_disabled {module by-capability by-capability true}"}},
		"missing before invalid": {stored{values: enough("limit=11", "choice="), noStorage: true},
			full("blocked configuration_missing choice")},
		"first missing": {stored{}, full("blocked configuration_missing limit")},
		"invalid before secret": {stored{values: enough("choice=z", "limit=11"), noStorage: true},
			full("blocked configuration_invalid limit")},
		"secret before storage": {stored{values: enough(), noStorage: true},
			full("blocked secret_missing token")},
		"second secret": {stored{values: enough(), secrets: "spare token"},
			full("blocked secret_missing otherToken")},
		"storage": {stored{values: enough(), secrets: secrets, noStorage: true},
			full("blocked storage_unavailable images")},
		"invalid despite default": {stored{values: enough("title=longer"), secrets: secrets},
			full("blocked configuration_invalid title")},
		"invalid though optional": {stored{values: enough("link=example.org"), secrets: secrets},
			full("blocked configuration_invalid link")},
		"another format": {stored{values: enough("limit=05"), secrets: secrets},
			full("blocked configuration_invalid limit")},
		"stored is no secret": {stored{values: enough("token=x"), secrets: "otherToken"},
			full("blocked secret_missing token")},
		"stale and unknown keys": {stored{values: enough("token=\x00", "spare=x", "gone=x"), secrets: secrets},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resolution := installed.Resolve(row.state())
			var running []string
			for _, m := range installed.Modules {
				id := m.Manifest.ID
				want, stopped := row.want[id]
				if !stopped {
					want, running = "running", append(running, id)
				}
				if got := describe(resolution.Outcome(id)); got != want {
					t.Errorf("%s: got %s, want %s", id, got, want)
				}
			}
			if got := ids(resolution.Running()); !slices.Equal(got, running) {
				t.Errorf("running %v, want %v", got, running)
			}
		})
	}
}

// describe returns an outcome as one line, without the configuration.
func describe(o catalog.Outcome) string {
	line := []string{string(o.State), string(o.Reason), "", o.ConfigurationKey, o.StorageBucketID}
	if o.Dependency != nil {
		line[2] = fmt.Sprint(*o.Dependency)
	}
	if (o.Configuration != nil) != (o.State == catalog.Running) {
		line = append(line, "with the snapshot", fmt.Sprint(o.Configuration))
	}
	return strings.Join(slices.DeleteFunc(line, func(part string) bool { return part == "" }), " ")
}

func ids(modules []*catalog.Module) []string {
	var ids []string
	for _, m := range modules {
		ids = append(ids, m.Manifest.ID)
	}
	return ids
}

func TestResolveWithoutStoredState(t *testing.T) {
	t.Parallel()
	installed := severalModules(t)
	resolution := installed.Resolve(catalog.State{})
	const want = "blocked configuration_missing limit"
	if got := describe(resolution.Outcome("full")); got != want ||
		len(resolution.Running()) != len(installed.Modules)-1 {
		t.Errorf("full is %s, want %s; running %v, want all others", got, want, ids(resolution.Running()))
	}
	state := stored{values: enough()}.state()
	state.Secret = nil
	if got := describe(installed.Resolve(state).Outcome("full")); got != "blocked secret_missing token" {
		t.Errorf("full without secrets is %s, want blocked secret_missing token", got)
	}
	if got := describe(resolution.Outcome("gone")); got != "" ||
		resolution.RestartRequired(installed.Resolve(state),
			"gone") {
		t.Errorf("not installed: %q", got)
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "without", nil)
	withServer(t, dir, "with", fields{"configuration": []fields{
		{"key": "text", "type": "string", "default": ""}, {"key": "word", "type": "string"},
		{"key": "zero", "type": "integer", "default": 0}, {"key": "number", "type": "integer"},
		{"key": "off", "type": "boolean", "default": false}, {"key": "flag", "type": "boolean", "required": true,
			"default": true},
		{"key": "first", "type": "enum", "values": []string{"a", "b"}, "default": "a"},
		{"key": "link", "type": "url", "default": "https://example.org"},
		{"key": "token", "type": "secret", "required": true}, {"key": "spare", "type": "secret"},
	}})
	installed, err := catalog.Discover(dir, true, platform)
	must(t, err)
	defaults := map[string]any{"text": "", "zero": int64(0), "off": false, "flag": true, "first": "a",
		"link": "https://example.org"}
	for name, row := range map[string]struct {
		stored map[string]string
		want   map[string]any
	}{
		"defaults":         {nil, defaults},
		"secrets, unknown": {map[string]string{"token": "x", "spare": "x", "gone": "x"}, defaults},
		"all stored": {map[string]string{"text": "é", "word": "", "zero": "-7", "number": "9007199254740992",
			"off": "true", "flag": "false",
			"first": "b", "link": "http://[::1]/"},
			map[string]any{"text": "é", "word": "", "zero": int64(-7), "number": int64(1) << 53, "off": true,
				"flag":  false,
				"first": "b", "link": "http://[::1]/"}},
	} {
		resolution := installed.Resolve(catalog.State{
			Stored: func(string) map[string]string { return row.stored },
			Secret: func(id, key string) bool { return id == "with" && key == "token" },
		})
		if got := resolution.Outcome("with").Configuration; !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: configuration %v, want %v", name, got, row.want)
		}
		if got := resolution.Outcome("without").Configuration; got == nil || len(got) != 0 {
			t.Errorf("%s: without configuration: %v", name, got)
		}
	}
}

func TestRestartRequired(t *testing.T) {
	t.Parallel()
	const secrets = "token otherToken"
	installed := severalModules(t)
	running := stored{values: enough(), secrets: secrets}
	for name, row := range map[string]struct {
		started, now stored
		want         string // ids, sorted
	}{
		"nothing changed": {running, running, ""},
		"dependents too": {running, stored{disabled: "base", values: enough(), secrets: secrets},
			"base both by-capability by-module chained full late"},
		"one without any": {running, stored{disabled: "optional", values: enough(), secrets: secrets}, "optional"},
		"another reason":  {stored{disabled: "full"}, stored{}, ""},
		"another root": {stored{disabled: "base", values: enough(), secrets: secrets},
			stored{disabled: "by-module", values: enough(), secrets: secrets}, "base by-capability full"},
		"value":             {running, stored{values: enough("limit=6"), secrets: secrets}, "full"},
		"value more":        {running, stored{values: enough("link=http://a"), secrets: secrets}, "full"},
		"value or default":  {running, stored{values: enough("title=Hello"), secrets: secrets}, ""},
		"default or value":  {running, stored{values: enough("title=Bye"), secrets: secrets}, "full"},
		"value invalid":     {running, stored{values: enough("limit=x"), secrets: secrets}, "full"},
		"value gone":        {running, stored{values: enough("limit="), secrets: secrets}, "full"},
		"ignored texts":     {running, stored{values: enough("token=x", "gone=x"), secrets: secrets}, ""},
		"required secret":   {running, stored{values: enough(), secrets: "token"}, "full"},
		"optional secret":   {running, stored{values: enough(), secrets: secrets + " spare"}, ""},
		"storage":           {running, stored{values: enough(), secrets: secrets, noStorage: true}, "full"},
		"values of blocked": {stored{values: enough()}, stored{values: enough("limit=6")}, ""},
	} {
		started, now := installed.Resolve(row.started.state()), installed.Resolve(row.now.state())
		var got []string
		for _, m := range installed.Modules {
			id := m.Manifest.ID
			if now.RestartRequired(started, id) {
				got = append(got, id)
			}
			if now.RestartRequired(started, id) != started.RestartRequired(now, id) {
				t.Errorf("%s: %s: RestartRequired differs when the two resolutions are swapped", name, id)
			}
		}
		if slices.Sort(got); strings.Join(got, " ") != row.want {
			t.Errorf("%s: restart required for %v, want %s", name, got, row.want)
		}
	}
}

// TestFindingsOfARunningModuleAreSolved: what blocked a module is solved once it runs, or once something that
// is checked later blocks it.
func TestFindingsOfARunningModuleAreSolved(t *testing.T) {
	t.Parallel()
	installed := severalModules(t)
	for name, row := range map[string]struct {
		moduleID     string
		started, now stored
		want         bool
	}{
		"unchanged": {"full", stored{values: enough("limit=")}, stored{values: enough("limit=")}, false},
		"it runs":   {"chained", stored{disabled: "base"}, stored{}, true},
		"it ran":    {"chained", stored{}, stored{disabled: "base"}, false},
		"it is off": {"chained", stored{disabled: "base"}, stored{disabled: "chained"}, false},
		"a later key": {"full", stored{values: enough("limit=", "choice=")}, stored{values: enough("choice=")},
			true},
		"an earlier key":   {"full", stored{values: enough("choice=")}, stored{values: enough("limit=")}, false},
		"a later reason":   {"full", stored{values: enough("limit=")}, stored{values: enough("limit=x")}, true},
		"an earlier one":   {"full", stored{values: enough("limit=x")}, stored{values: enough("limit=")}, false},
		"now a secret":     {"full", stored{values: enough("limit=")}, stored{values: enough()}, true},
		"another module":   {"late", stored{disabled: "by-module"}, stored{disabled: "by-capability"}, true},
		"an earlier other": {"late", stored{disabled: "by-capability"}, stored{disabled: "by-module"}, false},
	} {
		started, now := installed.Resolve(row.started.state()), installed.Resolve(row.now.state())
		if got := now.Solved(started, row.moduleID); got != row.want {
			t.Errorf("%s: solved %v, want %v", name, got, row.want)
		}
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	install(t, dir, "base", fields{"provides": []fields{{"capability": "base.thing", "version": "1.0.0"},
		{"capability": "base.base", "version": "1.0.0"}}})
	install(t, dir, "other", nil)
	install(t, dir, "user", fields{"dependencies": needs([]string{"capability base.thing *", "module other *"},
		"module gone *", "module base ^2.0.0", "capability base.gone *", "capability base.base *",
		"capability gone.base *")})
	installed, err := catalog.Discover(dir, true, platform)
	must(t, err)
	user, _ := installed.Module("user")
	const want = "[{capability base.thing base true} {module other other true} {module gone  false} {module " +
		"base  false} " +
		"{capability base.gone  false} {capability base.base base false} {capability gone.base  false}]"
	for range 2 { // each call must return a new slice
		got := user.Declared()
		if fmt.Sprint(got) != want {
			t.Errorf("Declared: %v, want %v", got, want)
		}
		clear(got)
	}
	if base, _ := installed.Module("base"); base.Declared() == nil || len(base.Declared()) != 0 {
		t.Errorf("Declared of a module without dependencies: %v, want none", base.Declared())
	}
}
