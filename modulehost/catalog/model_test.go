package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// The model says what spec.md § Module runtime state and contract.md §4 and §7 say, sentence by sentence and without regard to
// speed. It shares nothing with the code but the words: ranges and stored texts are tables, states a fixpoint, circles a closure.

// model is an installation; modelModule, modelEdge and modelKey are what its manifests say.
type model []*modelModule

type modelModule struct {
	id, version        string
	provides           map[string]string // capability → version
	required, optional []modelEdge
	keys               []modelKey
	buckets            []string
	contributes        string // to a capability, which is no dependency; "" = nothing
}

type modelEdge struct{ kind, id, span string }

type modelKey struct {
	name                string
	kind                *modelType
	required, defaulted bool
}

// modelType is a declaration with texts that may be found stored under it.
type modelType struct {
	declaration fields
	initial     any            // the default
	good        map[string]any // text → value
	bad         []string
}

var modelTypes = []*modelType{
	{fields{"type": "string", "minLength": 1, "maxLength": 2}, "ab", map[string]any{"ab": "ab", "日本": "日本", "\n": "\n"},
		[]string{"", "abc", "a\x00", "\xff"}},
	{fields{"type": "integer", "minimum": -4, "maximum": 120}, 12, map[string]any{"12": int64(12), "-4": int64(-4), "0": int64(0)},
		[]string{"", "121", "-5", "+7", "007", "-0", "1.0", "1e1", " 1", "9223372036854775808"}},
	{fields{"type": "boolean"}, false, map[string]any{"true": true, "false": false}, []string{"", "TRUE", "1", "yes", "false "}},
	{fields{"type": "enum", "values": []string{"a", "b"}}, "b", map[string]any{"a": "a", "b": "b"}, []string{"", "c", "A", "a,b"}},
	{fields{"type": "url"}, "https://a/", map[string]any{"https://a/": "https://a/", "http://b": "http://b"},
		[]string{"", "//a", "ftp://a", "https://", "a"}},
	{fields{"type": "secret"}, nil, nil, []string{"", "x"}},
}

// modelVersions are those that modules and capabilities have, modelRanges the versions that a range includes.
var (
	modelVersions = []string{"1.0.0", "1.2.0", "2.0.0", "1.3.0-rc.1"}
	modelRanges   = map[string][]string{"*": {"1.0.0", "1.2.0", "2.0.0"}, "^1.0.0": {"1.0.0", "1.2.0"}, "~1.2": {"1.2.0"}, "<1.0.0": nil,
		">=1.0.0-0": modelVersions}
)

// modelState is what is stored and supplied.
type modelState struct {
	disabled map[string]bool
	texts    map[string]map[string]string
	secrets  map[string]bool // module/key
	storage  bool
}

func TestModel(t *testing.T) {
	t.Parallel()
	base, seen := t.TempDir(), make(map[string]int)
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		installed, err := m.discover(t, rt, base)
		if want := m.findings(); len(want) > 0 || len(m.circles()) > 0 {
			m.compareFindings(rt, err, want)
			if len(m.circles()) > 0 {
				seen["circle"]++
			}
			for _, finding := range want {
				seen[strings.Fields(finding)[0]]++
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		m.compareOrder(rt, installed)
		again, err := catalog.Discover(m.moved(t, installed, base), true, platform)
		must(t, err)
		m.compareOrder(rt, again)

		before := m.drawState(rt)
		first := installed.Resolve(m.ask(rt, before))
		for range 8 {
			after := m.drawState(rt)
			second := installed.Resolve(m.ask(rt, after))
			m.compareOutcomes(rt, installed, second, after, seen)
			if !reflect.DeepEqual(second, installed.Resolve(m.ask(rt, after))) ||
				!reflect.DeepEqual(first, installed.Resolve(m.ask(rt, before))) {
				rt.Error("another answer to the same question")
			}
			m.compareRestarts(rt, first, second, before, after, seen)
			before, first = after, second
		}
	})
	for _, what := range []string{"circle", "DEPENDENCY_MISSING", "DEPENDENCY_INCOMPATIBLE", "running", "disabled",
		"required_dependency_disabled", "required_dependency_blocked", "configuration_missing", "configuration_invalid",
		"secret_missing", "storage_unavailable", "restart true", "restart false"} {
		if seen[what] == 0 && !t.Failed() && !testing.Short() {
			t.Errorf("nothing drawn came to %q", what)
		}
	}
}

// drawModel mostly draws what passes discovery. Only where dangling may a required edge lead nowhere, and only where circular may an
// edge lead to a module that was drawn later.
func drawModel(t *rapid.T) model {
	some := rapid.Bool() // coins, for numbers of a range would be small mostly
	seldom := func(what string) bool {
		first := some.Draw(t, what)
		return first && some.Draw(t, what)
	}
	dangling, circular := seldom("dangling"), some.Draw(t, "circular")
	var names []string
	for _, name := range rapid.Permutation(strings.Fields("ant bee cat dog-1 eel fox gnu hen ibex jay kiwi lynx")).Draw(t, "ids") {
		if len(names) == 0 || some.Draw(t, "installed") {
			names = append(names, name)
		}
	}
	m := make(model, len(names))
	for i, id := range names {
		module := &modelModule{id: id, version: rapid.SampledFrom(modelVersions).Draw(t, "version"), provides: make(map[string]string)}
		m[i] = module
		for _, capability := range []string{id + ".x", id + ".y"} {
			if some.Draw(t, "provides") {
				module.provides[capability] = rapid.SampledFrom(modelVersions).Draw(t, "version")
			}
		}
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(modelTypes), 0, 4).Draw(t, "types") {
			key := modelKey{name: fmt.Sprintf("key%d", len(module.keys)), kind: kind, required: some.Draw(t, "required")}
			key.defaulted = kind.initial != nil && some.Draw(t, "defaulted")
			module.keys = append(module.keys, key)
		}
		module.buckets = rapid.SampledFrom([][]string{nil, nil, nil, {"zoo", "attic"}}).Draw(t, "buckets")
		module.contributes = rapid.SampledFrom([]string{"", "gone.x", names[(i+1)%len(names)] + ".x"}).Draw(t, "contributes")
		if strings.HasPrefix(module.contributes, id+".") {
			module.contributes = ""
		}
	}
	for i, module := range m {
		for _, id := range rapid.Permutation(targets(names, module.id)).Draw(t, "targets") {
			if !some.Draw(t, "edge") || !seldom("indeed") {
				continue
			}
			edge := modelEdge{"module", id, rapid.SampledFrom([]string{"*", "^1.0.0", "~1.2", "<1.0.0", ">=1.0.0-0"}).Draw(t, "range")}
			if strings.Contains(id, ".") {
				edge.kind = "capability"
			}
			provider, _ := m.follow(edge)
			switch {
			case !circular && provider != nil && slices.Index(m, provider) > i:
			case !dangling && provider == nil || some.Draw(t, "optional"):
				module.optional = append(module.optional, edge)
			default:
				module.required = append(module.required, edge)
			}
		}
	}
	return m
}

// targets are modules and capabilities, not all of which exist, but none of the module itself.
func targets(names []string, self string) []string {
	var targets []string
	for _, name := range append([]string{"gone"}, names...) {
		if name != self {
			targets = append(targets, name, name+".x", name+".y")
		}
	}
	return targets
}

func (m model) drawState(t *rapid.T) modelState {
	s := modelState{map[string]bool{}, map[string]map[string]string{}, map[string]bool{}, rapid.Bool().Draw(t, "storage")}
	rarely := rapid.SampledFrom([]bool{false, false, false, false, false, false, true})
	broken := rapid.Bool().Draw(t, "broken")
	for _, module := range m {
		s.disabled[module.id] = rarely.Draw(t, "disabled")
		texts := make(map[string]string)
		for _, key := range module.keys {
			s.secrets[module.id+"/"+key.name] = !rarely.Draw(t, "no secret")
			switch {
			case key.secret() || broken && rarely.Draw(t, "bad"):
				texts[key.name] = rapid.SampledFrom(key.kind.bad).Draw(t, "text")
			case !rarely.Draw(t, "nothing"):
				texts[key.name] = rapid.SampledFrom(slices.Sorted(maps.Keys(key.kind.good))).Draw(t, "text")
			}
		}
		if rarely.Draw(t, "unknown") {
			texts["key9"] = "x"
		}
		s.texts[module.id] = texts
	}
	return s
}

// ask also holds the resolver to asking of installed modules and their secrets only.
func (m model) ask(t *rapid.T, s modelState) catalog.State {
	return catalog.State{
		Enabled: func(id string) bool {
			disabled, known := s.disabled[id]
			if !known {
				t.Errorf("asked whether %q is enabled", id)
			}
			return !disabled
		},
		Stored: func(id string) map[string]string { return s.texts[id] },
		Secret: func(id, key string) bool {
			supplied, known := s.secrets[id+"/"+key]
			if !known {
				t.Errorf("asked for the secret %q of %q", key, id)
			}
			return supplied
		},
		Storage: s.storage,
	}
}

// discover installs the modules one by one into a new directory.
func (m model) discover(t *testing.T, rt *rapid.T, base string) (*catalog.Catalog, error) {
	dir, err := os.MkdirTemp(base, "")
	must(t, err)
	for _, module := range m {
		more := fields{"version": module.version, "dependencies": needs(edgeLines(module.required), edgeLines(module.optional)...)}
		var offered, declared []fields
		for _, capability := range slices.Sorted(maps.Keys(module.provides)) {
			offered = append(offered, fields{"capability": capability, "version": module.provides[capability]})
		}
		for _, key := range module.keys {
			declaration := fields{"key": key.name, "required": key.required}
			for name, value := range key.kind.declaration {
				declaration[name] = value
			}
			if key.defaulted {
				declaration["default"] = key.kind.initial
			}
			declared = append(declared, declaration)
		}
		if len(offered) > 0 {
			more["provides"] = offered
		}
		if len(declared) > 0 {
			more["configuration"] = declared
		}
		if len(module.buckets) > 0 {
			more["storage"] = fields{"buckets": module.buckets}
		}
		if module.contributes != "" {
			more["contributions"] = []fields{{"id": module.id + ".a", "version": "1.0.0", "capability": module.contributes,
				"range": "*", "artifact": "a.js"}}
			write(t, filepath.Join(dir, module.id, "a.js"), "")
		}
		if len(declared) > 0 || len(module.buckets) > 0 {
			withServer(t, dir, module.id, more)
		} else {
			install(t, dir, module.id, more)
		}
	}
	return catalog.Discover(dir, true, platform)
}

// moved answers a new directory, to which the modules came in the contrary order.
func (m model) moved(t *testing.T, installed *catalog.Catalog, base string) string {
	dir, err := os.MkdirTemp(base, "")
	must(t, err)
	for _, module := range slices.Backward(installed.Modules) {
		must(t, os.Rename(module.Folder, filepath.Join(dir, module.Manifest.ID)))
	}
	return dir
}

func edgeLines(edges []modelEdge) []string {
	var lines []string
	for _, e := range edges {
		lines = append(lines, e.kind+" "+e.id+" "+e.span)
	}
	return lines
}

// follow answers the module that an edge leads to, or the code of its finding when it is required.
func (m model) follow(e modelEdge) (provider *modelModule, code string) {
	for _, module := range m {
		version := module.provides[e.id]
		if e.kind == "module" && module.id == e.id {
			version = module.version
		}
		switch {
		case version != "" && slices.Contains(modelRanges[e.span], version):
			return module, ""
		case version != "":
			return nil, "DEPENDENCY_INCOMPATIBLE"
		}
	}
	return nil, "DEPENDENCY_MISSING"
}

func (m model) findings() []string {
	var findings []string
	for _, module := range slices.SortedFunc(slices.Values(m), func(a, b *modelModule) int { return strings.Compare(a.id, b.id) }) {
		for i, e := range module.required {
			if _, code := m.follow(e); code != "" {
				findings = append(findings, fmt.Sprintf("%s %s /dependencies/required/%d", code, module.id, i))
			}
		}
	}
	return findings
}

// dependsOn: by an edge of its own, required or optional.
func (m model) dependsOn(module, other *modelModule) bool {
	return slices.ContainsFunc(slices.Concat(module.required, module.optional), func(e modelEdge) bool {
		provider, _ := m.follow(e)
		return provider == other
	})
}

// circles answers the modules that depend on themselves, over however many others.
func (m model) circles() map[string]bool {
	reach := make(map[[2]*modelModule]bool)
	for _, a := range m {
		for _, b := range m {
			reach[[2]*modelModule{a, b}] = m.dependsOn(a, b)
		}
	}
	for _, by := range m {
		for _, a := range m {
			for _, b := range m {
				if reach[[2]*modelModule{a, by}] && reach[[2]*modelModule{by, b}] {
					reach[[2]*modelModule{a, b}] = true
				}
			}
		}
	}
	members := make(map[string]bool)
	for _, a := range m {
		if reach[[2]*modelModule{a, a}] {
			members[a.id] = true
		}
	}
	return members
}

// compareFindings: required edges as predicted, in order; every circle told is one, and together they name all modules in circles.
func (m model) compareFindings(t *rapid.T, err error, want []string) {
	var findings catalog.Findings
	if !errors.As(err, &findings) {
		t.Fatalf("got %v, want %v and circles of %v", err, want, slices.Sorted(maps.Keys(m.circles())))
	}
	var got []string
	inCircles := make(map[string]bool)
	for _, f := range findings {
		if f.Code != catalog.ErrDependencyCycle {
			got = append(got, fmt.Sprintf("%s %s %s", f.Code, f.Module, f.Pointer))
			continue
		}
		_, text, _ := strings.Cut(strings.TrimSuffix(f.Message, "."), ": ")
		circle := strings.Split(text, " -> ")
		if circle[0] != f.Module || circle[len(circle)-1] != f.Module || inCircles[f.Module] {
			t.Errorf("%v is not told once, at its first module", f)
		}
		for i, id := range circle[:len(circle)-1] {
			if inCircles[id] = true; !m.dependsOn(m.module(id), m.module(circle[i+1])) {
				t.Errorf("%v: %s does not depend on its next", f, id)
			}
		}
	}
	if !slices.Equal(got, want) || !slices.Equal(slices.Sorted(maps.Keys(inCircles)), slices.Sorted(maps.Keys(m.circles()))) {
		t.Errorf("got\n%v\nwant\n%v\nand circles of %v", err, strings.Join(want, "\n"), slices.Sorted(maps.Keys(m.circles())))
	}
}

func (m model) module(id string) *modelModule {
	for _, module := range m {
		if module.id == id {
			return module
		}
	}
	return &modelModule{id: id}
}

// level is the length of the longest way down.
func (m model) level(module *modelModule) int {
	level := 0
	for _, other := range m {
		if m.dependsOn(module, other) {
			level = max(level, m.level(other)+1)
		}
	}
	return level
}

// compareOrder: by level, then id, whatever the order of installation; and every declared edge is told with its provider.
func (m model) compareOrder(t *rapid.T, installed *catalog.Catalog) {
	var got, want []string
	started := make(map[string]bool)
	for _, module := range installed.Modules {
		got = append(got, fmt.Sprintf("%02d %s %v", module.Level, module.Manifest.ID, module.Declared()))
		for _, edge := range module.Dependencies {
			if !started[edge.Provider] {
				t.Errorf("%s stands before %s, which it depends on", module.Manifest.ID, edge.Provider)
			}
		}
		started[module.Manifest.ID] = true
	}
	for _, module := range m {
		declared := []string{}
		for i, e := range slices.Concat(module.required, module.optional) {
			id := ""
			if provider, _ := m.follow(e); provider != nil {
				id = provider.id
			}
			declared = append(declared, fmt.Sprintf("{%s %s %s %v}", e.kind, e.id, id, i < len(module.required)))
		}
		want = append(want, fmt.Sprintf("%02d %s %v", m.level(module), module.id, declared))
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// runs begins with all that could and takes away what lacks something, until nothing changes.
func (m model) runs(s modelState) map[string]bool {
	runs := make(map[string]bool)
	for _, module := range m {
		runs[module.id] = !s.disabled[module.id] && module.lacks(s) == ""
	}
	for changed := true; changed; {
		changed = false
		for _, module := range m {
			for _, e := range module.required {
				if provider, _ := m.follow(e); runs[module.id] && !runs[provider.id] {
					runs[module.id], changed = false, true
				}
			}
		}
	}
	return runs
}

// outcome is the table of spec.md, a row after the other.
func (m model) outcome(module *modelModule, s modelState, runs map[string]bool) string {
	if s.disabled[module.id] {
		return "disabled"
	}
	for _, e := range module.required {
		if provider, _ := m.follow(e); s.disabled[provider.id] {
			return fmt.Sprintf("blocked required_dependency_disabled {%s %s %s true}", e.kind, e.id, provider.id)
		}
	}
	for _, e := range module.required {
		if provider, _ := m.follow(e); !runs[provider.id] {
			return fmt.Sprintf("blocked required_dependency_blocked {%s %s %s true}", e.kind, e.id, provider.id)
		}
	}
	if lack := module.lacks(s); lack != "" {
		return "blocked " + lack
	}
	return "running"
}

// lacks is the part of the table that looks at the module alone.
func (m *modelModule) lacks(s modelState) string {
	for _, row := range []struct {
		reason  string
		applies func(key modelKey, stored bool, text string) bool
	}{
		{"configuration_missing", func(key modelKey, stored bool, _ string) bool {
			return key.required && !key.secret() && !stored && !key.defaulted
		}},
		{"configuration_invalid", func(key modelKey, stored bool, text string) bool {
			return stored && !key.secret() && slices.Contains(key.kind.bad, text)
		}},
		{"secret_missing", func(key modelKey, _ bool, _ string) bool {
			return key.required && key.secret() && !s.secrets[m.id+"/"+key.name]
		}},
	} {
		for _, key := range m.keys {
			if text, stored := s.texts[m.id][key.name]; row.applies(key, stored, text) {
				return row.reason + " " + key.name
			}
		}
	}
	if len(m.buckets) > 0 && !s.storage {
		return "storage_unavailable " + m.buckets[0]
	}
	return ""
}

func (k modelKey) secret() bool { return k.kind.declaration["type"] == "secret" }

// snapshot is of a module that runs.
func (m *modelModule) snapshot(s modelState) map[string]any {
	values := make(map[string]any)
	for _, key := range m.keys {
		text, stored := s.texts[m.id][key.name]
		switch {
		case key.secret():
		case stored:
			values[key.name] = key.kind.good[text]
		case key.defaulted && key.kind.declaration["type"] == "integer":
			values[key.name] = int64(key.kind.initial.(int))
		case key.defaulted:
			values[key.name] = key.kind.initial
		}
	}
	return values
}

func (m model) compareOutcomes(t *rapid.T, installed *catalog.Catalog, resolution catalog.Resolution, s modelState, seen map[string]int) {
	runs := m.runs(s)
	for _, module := range m {
		got, want := resolution.Outcome(module.id), m.outcome(module, s, runs)
		if told(got) != want {
			t.Errorf("%s: got %s, want %s", module.id, told(got), want)
		}
		if runs[module.id] {
			if want := module.snapshot(s); !reflect.DeepEqual(got.Configuration, want) {
				t.Errorf("%s: configured with %v, want %v", module.id, got.Configuration, want)
			}
		}
		seen[string(got.State)]++
		seen[string(got.Reason)]++
		m.compareChain(t, resolution, module.id)
	}
	want := slices.DeleteFunc(ids(installed.Modules), func(id string) bool { return !runs[id] })
	if got := ids(resolution.Running()); !slices.Equal(got, want) {
		t.Errorf("running: got %v, want %v", got, want)
	}
}

func (m model) compareRestarts(t *rapid.T, first, second catalog.Resolution, before, after modelState, seen map[string]int) {
	ran, runs := m.runs(before), m.runs(after)
	for _, module := range m {
		want := ran[module.id] != runs[module.id] ||
			ran[module.id] && !reflect.DeepEqual(module.snapshot(before), module.snapshot(after))
		if got := second.RestartRequired(first, module.id); got != want || got != first.RestartRequired(second, module.id) {
			t.Errorf("%s: restart required: %v, want %v", module.id, got, want)
		}
		seen[fmt.Sprint("restart ", want)]++
	}
}

// compareChain goes along the dependencies that block: it ends at a module that is disabled, or blocked by what it lacks itself.
func (m model) compareChain(t *rapid.T, resolution catalog.Resolution, id string) {
	o := resolution.Outcome(id)
	for range m {
		if o.Dependency == nil {
			break
		}
		next := resolution.Outcome(o.Dependency.Provider)
		disabled := o.Reason == catalog.ReasonDependencyDisabled
		if !o.Dependency.Required || disabled != (next.State == catalog.Disabled) || !disabled && next.State != catalog.Blocked {
			t.Errorf("%s: %s leads to a module that is %s", id, told(o), told(next))
		}
		o = next
	}
	if o.Dependency != nil {
		t.Errorf("%s: the chain does not end", id)
	}
}
