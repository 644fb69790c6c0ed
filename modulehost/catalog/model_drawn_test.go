package catalog_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// drawModel draws installations, most of which pass discovery. Required edges lead to missing modules only if
// dangling allows it, and edges lead to modules drawn later only if circular does.
func drawModel(t *rapid.T) model {
	some := rapid.Bool() // not a number of a range, because rapid prefers small ones
	seldom := func(what string) bool {
		first := some.Draw(t, what)
		return first && some.Draw(t, what)
	}
	dangling, circular := seldom("dangling"), some.Draw(t, "circular")
	var names []string
	for _, name := range rapid.Permutation(
		strings.Fields("ant bee cat dog-1 eel fox gnu hen ibex jay kiwi lynx")).Draw(t, "ids") {
		if len(names) == 0 || some.Draw(t, "installed") {
			names = append(names, name)
		}
	}
	m := make(model, len(names))
	for i, id := range names {
		module := &modelModule{id: id, version: rapid.SampledFrom(modelVersions).Draw(t, "version"),
			provides: make(map[string]string)}
		m[i] = module
		for _, capability := range []string{id + ".x", id + ".y"} {
			if some.Draw(t, "provides") {
				module.provides[capability] = rapid.SampledFrom(modelVersions).Draw(t, "version")
			}
		}
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(modelTypes), 0, 4).Draw(t, "types") {
			key := modelKey{name: fmt.Sprintf("key%d", len(module.keys)), kind: kind,
				required: some.Draw(t, "required")}
			key.defaulted = kind.initial != nil && some.Draw(t, "defaulted")
			module.keys = append(module.keys, key)
		}
		module.buckets = rapid.SampledFrom([][]string{nil, nil, nil, {"zoo", "attic"}}).Draw(t, "buckets")
		module.contributes = rapid.SampledFrom([]string{"", "gone.x", names[(i+1)%len(names)] + ".x"}).Draw(t,
			"contributes")
		if strings.HasPrefix(module.contributes, id+".") {
			module.contributes = ""
		}
	}
	for i, module := range m {
		for _, id := range rapid.Permutation(targets(names, module.id)).Draw(t, "targets") {
			if !some.Draw(t, "edge") || !seldom("indeed") {
				continue
			}
			edge := modelEdge{"module", id, rapid.SampledFrom(
				[]string{"*", "^1.0.0", "~1.2", "<1.0.0", ">=1.0.0-0"}).Draw(t, "range")}
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

// targets returns modules and capabilities, some of which do not exist, but none of the module itself.
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
	s := modelState{map[string]bool{}, map[string]map[string]string{}, map[string]bool{},
		rapid.Bool().Draw(t, "storage")}
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

// discover installs the modules one by one into a new directory.
func (m model) discover(t *testing.T, rt *rapid.T, base string) (*catalog.Catalog, error) {
	dir, err := os.MkdirTemp(base, "")
	must(t, err)
	for _, module := range m {
		more := fields{"version": module.version, "dependencies": needs(edgeLines(module.required),
			edgeLines(module.optional)...)}
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
			more["contributions"] = []fields{{"id": module.id + ".a", "version": "1.0.0",
				"capability": module.contributes,
				"range":      "*", "artifact": "a.js"}}
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

// moved returns a new directory into which the modules were moved in the reverse order.
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

// ask returns the state, and checks that the resolver reads only installed modules and their secrets.
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
