package manifest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

type fields map[string]any

// TestLimits checks that the code and the schema accept a length at the limit and refuse one more.
func TestLimits(t *testing.T) {
	t.Parallel()
	compiled := schema(t)
	x := func(n int) string { return strings.Repeat("x", n) }
	list := func(n int, entry func(id string) any) []any {
		entries := make([]any, n)
		for i := range entries {
			entries[i] = entry(fmt.Sprintf("m%d", i))
		}
		return entries
	}
	edge := func(id string) any { return fields{"kind": "module", "id": id, "range": "*"} }
	setting := func(more fields) fields {
		entry := fields{"key": "a", "type": "string"}
		for name, value := range more {
			entry[name] = value
		}
		return fields{"configuration": []any{entry}}
	}
	for _, c := range []struct {
		limit string
		with  func(n int) fields
	}{
		{"id", func(n int) fields { return fields{"id": x(n)} }},
		{"name", func(n int) fields { return fields{"name": strings.Repeat("é", n)} }},
		{"version", func(n int) fields { return fields{"version": "1.0.0-" + x(n-6)} }},
		{"range", func(n int) fields {
			return fields{"compatibility": fields{"platform": "*" + strings.Repeat(" ", n-1), "moduleSdk": "*"}}
		}},
		{"path", func(n int) fields { return fields{"entrypoints": fields{"server": x(n)}} }},
		{"path", func(n int) fields { return fields{"entrypoints": fields{"server": "a", "ui": x(n-3) + ".js"}} }},
		{"namespaced", func(n int) fields {
			return fields{"permissions": []any{fields{"id": "notes." + x(n-6), "baseline": "restricted"}}}
		}},
		{"permission text", func(n int) fields {
			return fields{"permissions": []any{fields{"id": "notes.a", "baseline": "restricted",
				"description": strings.Repeat("é", n)}}}
		}},
		{"key", func(n int) fields { return setting(fields{"key": x(n)}) }},
		{"configuration text", func(n int) fields {
			return setting(
				fields{"description": strings.Repeat("é", n)})
		}},
		{"enum value", func(n int) fields {
			return setting(fields{"type": "enum",
				"values": []any{strings.Repeat("é", n)}})
		}},
		{"values", func(n int) fields {
			return setting(fields{"type": "enum", "values": list(n, func(id string) any { return id })})
		}},
		{"integer", func(n int) fields { return setting(fields{"type": "integer", "default": n}) }},
		{"integer", func(n int) fields { return setting(fields{"type": "integer", "minimum": -n}) }},
		{"integer", func(n int) fields { return setting(fields{"maxLength": n}) }},
		{"dependencies", func(n int) fields { return fields{"dependencies": fields{"required": list(n, edge)}} }},
		{"dependencies", func(n int) fields { return fields{"dependencies": fields{"optional": list(n, edge)}} }},
		{"provides", func(n int) fields {
			return fields{"provides": list(n, func(id string) any {
				return fields{"capability": "notes." + id,
					"version": "1.0.0"}
			})}
		}},
		{"permissions", func(n int) fields {
			return fields{"permissions": list(n, func(id string) any {
				return fields{"id": "notes." + id,
					"baseline": "restricted"}
			})}
		}},
		{"buckets", func(n int) fields {
			return fields{"storage": fields{"buckets": list(n, func(id string) any { return id })}}
		}},
		{"configuration", func(n int) fields {
			return fields{"configuration": list(n, func(
				id string) any {
				return fields{"key": id, "type": "boolean"}
			})}
		}},
		{"contributions", func(n int) fields {
			return fields{"contributions": list(n, func(id string) any {
				return fields{"id": "notes." + id, "version": "1.0.0", "capability": "people.list", "range": "*",
					"artifact": id + ".js"}
			})}
		}},
	} {
		limit, ok := manifest.Limits[c.limit]
		if !ok {
			t.Fatalf("manifest.Limits has no %q, want every limit of the table", c.limit)
		}
		for n, valid := range map[int]bool{limit: true, limit + 1: false} {
			whole := fields{"manifestVersion": 7, "id": "notes", "name": "Notes", "version": "1.0.0",
				"compatibility": fields{"platform": "*", "moduleSdk": "*"}, "entrypoints": fields{"server": "bin/notes"}}
			for name, value := range c.with(n) {
				whole[name] = value
			}
			raw, err := json.Marshal(whole)
			must(t, err)
			if _, findings := manifest.Parse(raw); (len(findings) == 0) != valid {
				t.Errorf("%s of %d: the code finds %v", c.limit, n, findings)
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			must(t, err)
			if err := compiled.Validate(document); (err == nil) != valid {
				t.Errorf("%s of %d: the schema finds %v", c.limit, n, err)
			}
		}
	}
}

// TestServerPath checks that {os} and {arch} are the only braces and stand for this system and processor.
func TestServerPath(t *testing.T) {
	t.Parallel()
	for path, valid := range map[string]bool{
		"bin/{os}-{arch}/notes": true, "{arch}/{os}": true, "notes": true, "a/{os}{os}": true,
		"bin/{OS}/notes": false, "bin/{os/notes": false, "bin/os}/notes": false, "{{os}}": false, "{o{os}s}": false,
		"bin/{}/notes": false,
		"bin/{goos}":   false, "/bin/notes": false, "bin/": false, "bin/../notes": false, "": false,
	} {
		raw, err := json.Marshal(fields{"manifestVersion": 7, "id": "notes", "name": "Notes", "version": "1.0.0",
			"compatibility": fields{"platform": "*", "moduleSdk": "*"}, "entrypoints": fields{"server": path}})
		must(t, err)
		m, findings := manifest.Parse(raw)
		if (len(findings) == 0) != valid || valid && strings.ContainsAny(m.Server, "{}") {
			t.Errorf("server path %q: manifest %v, findings %v; want it valid: %v", path, m, findings, valid)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		must(t, err)
		if err := schema(t).Validate(document); (err == nil) != valid {
			t.Errorf("%q: the schema finds %v", path, err)
		}
	}
}
