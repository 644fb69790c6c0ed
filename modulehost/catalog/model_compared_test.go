package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/services/randomtest"
)

func TestModel(t *testing.T) {
	randomtest.Rapid(t)
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
				rt.Error("resolving the same state again gave another result")
			}
			m.compareRestarts(rt, first, second, before, after, seen)
			before, first = after, second
		}
	})
	for _, what := range []string{"circle", "DEPENDENCY_MISSING", "DEPENDENCY_INCOMPATIBLE", "running",
		"disabled",
		"required_dependency_disabled", "required_dependency_blocked", "configuration_missing",
		"configuration_invalid",
		"secret_missing", "storage_unavailable", "restart true", "restart false"} {
		if seen[what] == 0 && !t.Failed() && !testing.Short() {
			t.Errorf("nothing drawn came to %q", what)
		}
	}
}

// compareFindings checks that required edges are reported as predicted, in order. Every reported cycle must
// be one, and together they must name every module in a cycle.
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
			t.Errorf("%v is not reported once, at its first module", f)
		}
		for i, id := range circle[:len(circle)-1] {
			if inCircles[id] = true; !m.dependsOn(m.module(id), m.module(circle[i+1])) {
				t.Errorf("%v: %s does not depend on its next", f, id)
			}
		}
	}
	if !slices.Equal(got, want) || !slices.Equal(slices.Sorted(maps.Keys(inCircles)),
		slices.Sorted(maps.Keys(m.circles()))) {
		t.Errorf("got\n%v\nwant\n%v\nand circles of %v", err, strings.Join(want, "\n"),
			slices.Sorted(maps.Keys(m.circles())))
	}
}

// compareOrder checks the order by level, then id, whatever the order of installation, and the provider of
// every edge.
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

func (m model) compareOutcomes(t *rapid.T, installed *catalog.Catalog, resolution catalog.Resolution,
	s modelState, seen map[string]int) {
	runs := m.runs(s)
	for _, module := range m {
		got, want := resolution.Outcome(module.id), m.outcome(module, s, runs)
		if describe(got) != want {
			t.Errorf("%s: got %s, want %s", module.id, describe(got), want)
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

// compareChain follows the dependencies that block a module. The chain must end at a module that is
// disabled, or that is blocked by something it lacks itself.
func (m model) compareChain(t *rapid.T, resolution catalog.Resolution, id string) {
	o := resolution.Outcome(id)
	for range m {
		if o.Dependency == nil {
			break
		}
		next := resolution.Outcome(o.Dependency.Provider)
		disabled := o.Reason == catalog.ReasonDependencyDisabled
		if !o.Dependency.Required || disabled != (next.State == catalog.Disabled) || !disabled &&
			next.State != catalog.Blocked {
			t.Errorf("%s: %s leads to a module that is %s", id, describe(o), describe(next))
		}
		o = next
	}
	if o.Dependency != nil {
		t.Errorf("%s: the chain does not end", id)
	}
}

func (m model) compareRestarts(t *rapid.T, first, second catalog.Resolution, before, after modelState,
	seen map[string]int) {
	ran, runs := m.runs(before), m.runs(after)
	for _, module := range m {
		want := ran[module.id] != runs[module.id] ||
			ran[module.id] && !reflect.DeepEqual(module.snapshot(before), module.snapshot(after))
		if got := second.RestartRequired(first, module.id); got != want ||
			got != first.RestartRequired(second, module.id) {
			t.Errorf("%s: restart required: %v, want %v", module.id, got, want)
		}
		seen[fmt.Sprint("restart ", want)]++
	}
}
