package catalog_test

import (
	"fmt"
	"slices"
	"strings"
)

// The model states the rules of resolution one by one, without regard to speed. It shares no code with the
// package: ranges and stored texts are tables, the running modules are a fixpoint, cycles are a transitive
// closure.

// model is an installation; modelModule, modelEdge and modelKey are the contents of its manifests.
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

func (k modelKey) secret() bool { return k.kind.declaration["type"] == "secret" }

// modelType is a declaration with texts that may be stored under its key.
type modelType struct {
	declaration fields
	initial     any            // the default
	good        map[string]any // text → value
	bad         []string
}

var modelTypes = []*modelType{
	{fields{"type": "string", "minLength": 1, "maxLength": 2}, "ab",
		map[string]any{"ab": "ab", "日本": "日本", "\n": "\n"},
		[]string{"", "abc", "a\x00", "\xff"}},
	{fields{"type": "integer", "minimum": -4, "maximum": 120}, 12,
		map[string]any{"12": int64(12), "-4": int64(-4), "0": int64(0)},
		[]string{"", "121", "-5", "+7", "007", "-0", "1.0", "1e1", " 1", "9223372036854775808"}},
	{fields{"type": "boolean"}, false, map[string]any{"true": true, "false": false},
		[]string{"", "TRUE", "1", "yes", "false "}},
	{fields{"type": "enum", "values": []string{"a", "b"}}, "b", map[string]any{"a": "a", "b": "b"},
		[]string{"", "c", "A", "a,b"}},
	{fields{"type": "url"}, "https://a/", map[string]any{"https://a/": "https://a/", "http://b": "http://b"},
		[]string{"", "//a", "ftp://a", "https://", "a"}},
	{fields{"type": "secret"}, nil, nil, []string{"", "x"}},
}

// modelVersions are the versions of modules and capabilities; modelRanges are the versions that each range
// includes.
var (
	modelVersions = []string{"1.0.0", "1.2.0", "2.0.0", "1.3.0-rc.1"}
	modelRanges   = map[string][]string{"*": {"1.0.0", "1.2.0", "2.0.0"}, "^1.0.0": {"1.0.0", "1.2.0"},
		"~1.2": {"1.2.0"}, "<1.0.0": nil,
		">=1.0.0-0": modelVersions}
)

// modelState is the stored state and the supplied secrets.
type modelState struct {
	disabled map[string]bool
	texts    map[string]map[string]string
	secrets  map[string]bool // module/key
	storage  bool
}

func (m model) module(id string) *modelModule {
	for _, module := range m {
		if module.id == id {
			return module
		}
	}
	return &modelModule{id: id}
}

// follow returns the module that an edge leads to, or the code of the finding when the edge is required.
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
	for _, module := range slices.SortedFunc(slices.Values(m),
		func(a, b *modelModule) int { return strings.Compare(a.id, b.id) }) {
		for i, e := range module.required {
			if _, code := m.follow(e); code != "" {
				findings = append(findings, fmt.Sprintf("%s %s /dependencies/required/%d", code, module.id, i))
			}
		}
	}
	return findings
}

// dependsOn reports whether module has an edge to other, required or optional.
func (m model) dependsOn(module, other *modelModule) bool {
	return slices.ContainsFunc(slices.Concat(module.required, module.optional), func(e modelEdge) bool {
		provider, _ := m.follow(e)
		return provider == other
	})
}

// circles returns the modules that depend on themselves, directly or through others.
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

// level is the length of the longest chain of dependencies below the module.
func (m model) level(module *modelModule) int {
	level := 0
	for _, other := range m {
		if m.dependsOn(module, other) {
			level = max(level, m.level(other)+1)
		}
	}
	return level
}

// runs starts with every module that could run and removes those that lack something, until nothing changes.
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

// outcome checks the reasons one after the other, in their order.
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

// lacks checks the reasons that concern the module alone.
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

// snapshot returns the configuration of a running module.
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
