package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// knownDifferences lists every finding on which schema and code differ, by case and pointer, with the
// reason. A new difference fails the test, and so does an entry that no longer differs.
var knownDifferences = []struct{ name, pointers, reason string }{
	{"version-fraction", "/manifestVersion", "to a schema 7.0 is 7"},
	{"configuration-constraints", "/configuration/13/minimum", "to a schema 1e3 is 1000"},
	{"configuration-defaults", "/configuration/5/default", "to a schema 1.0 is 1"},
	{"keys", "/id /permissions/0/baseline", "a JSON parser keeps one of two members with the same name"},
	{"versions", "/provides/13/version", "a pattern does not know how large a number can be held"},
	{"ranges", "/dependencies/required/23/range", "a pattern does not know how large a number can be held"},
	{"ranges", "/dependencies/required/18/range",
		"a pattern allows an operator before 1.2 - 2, so as to stay readable"},
	{"dependencies-33", "/dependencies", "a schema does not add up"},
	{"dependencies", "/dependencies/required/0/id /dependencies/required/1/id",
		"compares with the module's own id"},
	{"dependencies", "/dependencies/optional/0/id", "compares with the other dependencies"},
	{"contributions", "/contributions/0/capability /contributions/2/id", "compares with the module's own id"},
	{"contributions", "/contributions/1/id", "compares with the other contributions"},
	{"core-target", "/provides/0/capability /permissions/2/id", "compares with the module's own id"},
	{"permissions", "/permissions/4/id", "compares with the module's own id"},
	{"permissions", "/permissions/1/id", "compares with the other permissions"},
	{"permissions", "/entrypoints/display/permission", "compares with the permissions"},
	{"provides", "/provides/2/capability", "compares with the module's own id"},
	{"provides", "/provides/1/capability", "compares with the other capabilities"},
	{"configuration-keys", "/configuration/1/key /configuration/2/key", "compares with the other keys"},
	{"configuration-collisions", "/configuration/1/key /configuration/3/key", "compares with the other keys"},
	{"configuration-constraints", "/configuration/10/maxLength /configuration/11/maximum",
		"compares with the other bound"},
	{"translations", "/translations/de/permissions/notes.write /translations/de/configuration/length " +
		"/translations/de/configuration/title/values/small /translations/de/configuration/size/values/medium",
		"compares with the declarations"},
	{"translations", "/translations/de/permissions/notes.read", "a JSON parser keeps one of two members"},
	{"configuration-defaults", "/configuration/1/default /configuration/4/default /configuration/8/default",
		"compares with the declaration's own constraints"},
}

// A schema can only report that server is missing. The code reports the field that needs a server.
const serverMissing = "needs entrypoints.server."

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file, err := os.Open("module.schema.json")
	must(t, err)
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	must(t, err)
	compiler := jsonschema.NewCompiler()
	must(t, compiler.AddResource("module.schema.json", document))
	compiled, err := compiler.Compile("module.schema.json") // also checks it against the meta-schema
	must(t, err)
	return compiled
}

// TestSchemaSaysWhatTheCodeSays compares every finding, because a case has many.
func TestSchemaSaysWhatTheCodeSays(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.case")
	must(t, err)
	compiled, unused := schema(t), make(map[string]bool)
	for _, entry := range knownDifferences {
		for pointer := range strings.FieldsSeq(entry.pointers) {
			unused[entry.name+" "+pointer] = true
		}
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".case")
		input := readExample(t, name)
		_, findings := manifest.Parse([]byte(input))
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(input))
		if err != nil { // invalid JSON, which an editor marks without a schema
			if len(findings) == 0 {
				t.Errorf("%s: valid to the code, no JSON to a schema", name)
			}
			continue
		}
		found := schemaErrors(compiled.Validate(document))
		for _, f := range findings {
			if slices.ContainsFunc(found, func(pointer string) bool { return sameFinding(pointer, f) }) {
				continue
			}
			if key := name + " " + f.Pointer; unused[key] {
				delete(unused, key)
			} else {
				t.Errorf("%s: the schema does not find %v", name, f)
			}
		}
		for _, pointer := range found {
			if !slices.ContainsFunc(findings, func(f manifest.Finding) bool {
				return sameFinding(pointer, f) ||
					covers(f, pointer)
			}) {
				t.Errorf("%s: only the schema finds something, at %q", name, pointer)
			}
		}
	}
	for key := range unused {
		t.Errorf("%s: is listed as beyond the schema, and is not", key)
	}
}

// sameFinding reports whether the schema's finding at pointer is the code's. A schema reports a repeated
// element at its array.
func sameFinding(pointer string, f manifest.Finding) bool {
	if strings.HasSuffix(f.Message, serverMissing) {
		return pointer == "" || pointer == "/entrypoints"
	}
	parent, _, _ := cutLast(f.Pointer)
	return pointer == f.Pointer || strings.Contains(f.Message, "must not repeat") && pointer == parent
}

// covers reports whether pointer is below a finding, where the code does not check further.
func covers(f manifest.Finding, pointer string) bool {
	return f.Code == manifest.ErrVersionUnsupported || strings.Contains(f.Message, "not well-formed") ||
		f.Pointer != "" && strings.HasPrefix(pointer, f.Pointer+"/")
}

func cutLast(pointer string) (parent, last string, found bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", pointer, false
	}
	return pointer[:i], pointer[i+1:], true
}

// schemaErrors returns where a validation failed, as pointers of the code's form.
func schemaErrors(err error) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var pointers []string
	for _, cause := range invalid.Causes {
		pointers = append(pointers, schemaErrors(cause)...)
	}
	if len(invalid.Causes) > 0 {
		return pointers
	}
	pointer := ""
	for _, token := range invalid.InstanceLocation {
		pointer += "/" + token
	}
	extra, ok := invalid.ErrorKind.(*kind.AdditionalProperties)
	if !ok {
		return []string{pointer}
	}
	for _, name := range extra.Properties {
		if manifest.PlainName(name) {
			pointers = append(pointers, pointer+"/"+name)
		} else {
			pointers = append(pointers, pointer)
		}
	}
	return pointers
}

// TestSchemaAgreesOnEveryPlace puts other values in every place of the valid cases. Code and schema must
// both refuse or both accept, except where the code compares two places, which a schema cannot.
func TestSchemaAgreesOnEveryPlace(t *testing.T) {
	t.Parallel()
	compiled := schema(t)
	values := []any{nil, true, "", " ", "\t", "é\u0085", "a\u202eb", "\u200d", "\u3164", "a\u2028b", "x\u00ad",
		"—", "../x", json.Number("-1"), json.Number("1.5"), json.Number("9007199254740993"),
		[]any{}, []any{nil}, map[string]any{}, map[string]any{"x": nil}, strings.Repeat("x", 1001)}
	for _, name := range []string{"valid-announcements", "valid-countdown", "valid-configuration", "valid-icon",
		"valid-translations", "valid-script", "server-not-needed"} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(readExample(t, name)))
		must(t, err)
		everyPlace(document, func(v any) { document = v }, func(put func(any)) {
			for _, value := range values {
				put(value)
				assertAgree(t, compiled, document)
			}
		})
	}
}

func assertAgree(t *testing.T, compiled *jsonschema.Schema, document any) {
	t.Helper()
	raw, err := json.Marshal(document)
	must(t, err)
	_, findings := manifest.Parse(raw)
	err = compiled.Validate(document)
	foreseen := err != nil && len(findings) > 0 || err == nil && !slices.ContainsFunc(findings, isLocal)
	if !foreseen {
		t.Errorf("%s\nthe code: %v\nthe schema: %v", raw, findings, err)
	}
}

// isLocal reports whether a finding concerns only one place.
func isLocal(f manifest.Finding) bool {
	for _, comparing := range []string{"that this manifest declares.", "must not be less than minimum.",
		"must not be less than minLength.",
		"that its own declaration accepts."} {
		if strings.HasSuffix(f.Message, comparing) {
			return false
		}
	}
	return true
}

// schemaLimits maps each limit of the schema, by its place, to the limit of the code.
var schemaLimits = map[string]any{
	"/$defs/moduleId maxLength": "id", "/$defs/namespacedId maxLength": "namespaced",
	"/properties/name minLength": 1,
	"/properties/name maxLength": "name", "/$defs/version maxLength": "version",
	"/$defs/range maxLength": "range",
	"/$defs/path maxLength":  "path", "/$defs/declaration/properties/key maxLength": "key",
	"/$defs/declaration/properties/description maxLength":                      "configuration text",
	"/$defs/declaration/properties/values minItems":                            1,
	"/$defs/declaration/properties/values maxItems":                            "values",
	"/$defs/declaration/properties/values/items minLength":                     1,
	"/$defs/declaration/properties/values/items maxLength":                     "enum value",
	"/$defs/declaration/properties/minLength minimum":                          0,
	"/$defs/declaration/properties/minLength maximum":                          "integer",
	"/$defs/declaration/properties/maxLength minimum":                          0,
	"/$defs/declaration/properties/maxLength maximum":                          "integer",
	"/$defs/declaration/properties/minimum minimum":                            "-integer",
	"/$defs/declaration/properties/minimum maximum":                            "integer",
	"/$defs/declaration/properties/maximum minimum":                            "-integer",
	"/$defs/declaration/properties/maximum maximum":                            "integer",
	"/$defs/declaration/allOf/1/then/properties/default minimum":               "-integer",
	"/$defs/declaration/allOf/1/then/properties/default maximum":               "integer",
	"/properties/dependencies/properties/required maxItems":                    "dependencies",
	"/properties/dependencies/properties/optional maxItems":                    "dependencies",
	"/properties/provides maxItems":                                            "provides",
	"/properties/permissions maxItems":                                         "permissions",
	"/properties/permissions/items/properties/description maxLength":           "permission text",
	"/properties/storage/properties/buckets maxItems":                          "buckets",
	"/$defs/translation/properties/name minLength":                             1,
	"/$defs/translation/properties/name maxLength":                             "name",
	"/$defs/translation/properties/permissions/additionalProperties minLength": 1,
	"/$defs/translation/properties/permissions/additionalProperties maxLength": "permission text",
	"/$defs/setting/properties/label minLength":                                1,
	"/$defs/setting/properties/label maxLength":                                "name",
	"/$defs/setting/properties/description minLength":                          1,
	"/$defs/setting/properties/description maxLength":                          "configuration text",
	"/$defs/setting/properties/values/additionalProperties minLength":          1,
	"/$defs/setting/properties/values/additionalProperties maxLength":          "enum value",
	"/properties/configuration maxItems":                                       "configuration",
	"/properties/contributions maxItems":                                       "contributions",
	"/if/anyOf/1/properties/storage/properties/buckets minItems":               1,
	"/if/anyOf/2/properties/configuration minItems":                            1,
	"/properties/manifestVersion const":                                        manifest.Version,
	"/properties/database/properties/abi const":                                manifest.DatabaseABI,
	"/$defs/serverScript/properties/abi const":                                 manifest.ScriptABI,
	"/$defs/moduleId pattern":                                                  "id",
	"/properties/storage/properties/buckets/items pattern":                     "bucket",
	"/$defs/declaration/properties/key pattern":                                "key",
}

func TestSchemaHasTheLimitsOfTheCode(t *testing.T) {
	t.Parallel()
	got := make(map[string]string)
	everyKeyword(t, func(place, keyword string, value any) {
		if number, ok := value.(float64); ok {
			got[place+" "+keyword] = fmt.Sprintf("%.0f", number)
		} else if text, ok := value.(string); ok && schemaLimits[place+" "+keyword] != nil {
			got[place+" "+keyword] = text
		}
	})
	want := make(map[string]string)
	for place, limit := range schemaLimits {
		switch name, _ := limit.(string); {
		case name == "":
			want[place] = fmt.Sprint(limit)
		case strings.HasSuffix(place, " pattern"):
			want[place] = manifest.Patterns[name]
		case strings.HasPrefix(name, "-"):
			want[place] = fmt.Sprint(-manifest.Limits[name[1:]])
		default:
			want[place] = fmt.Sprint(manifest.Limits[name])
		}
	}
	for place := range want {
		if got[place] != want[place] {
			t.Errorf("%s: the schema has %q, the code %q", place, got[place], want[place])
		}
	}
	for place := range got {
		if _, ok := want[place]; !ok {
			t.Errorf("%s: a limit that is not compared with the code's", place)
		}
	}
}

func TestSchemaHasTheIconsOfTheCode(t *testing.T) {
	t.Parallel()
	var listed []string
	everyKeyword(t, func(place, keyword string, value any) {
		if values, ok := value.([]any); ok && place == "/properties/icon" && keyword == "enum" {
			for _, name := range values {
				listed = append(listed, name.(string))
			}
		}
	})
	if !slices.Equal(listed, manifest.Icons) {
		t.Errorf("the schema has %q, the code %q", listed, manifest.Icons)
	}
}

// TestSchemaHelpsItsReader checks that every field has a title or description, which editors show, and that
// objects are closed, so that editors mark misspelled names.
func TestSchemaHelpsItsReader(t *testing.T) {
	t.Parallel()
	var document map[string]any
	raw, err := os.ReadFile("module.schema.json")
	must(t, err)
	must(t, json.Unmarshal(raw, &document))
	everyKeyword(t, func(place, keyword string, value any) {
		fields, ok := value.(map[string]any)
		condition := strings.Contains(place, "/allOf/") || strings.HasPrefix(place, "/if") ||
			strings.HasPrefix(place, "/then")
		if keyword != "properties" || !ok || condition {
			return
		}
		for name, field := range fields {
			f := field.(map[string]any)
			if f["title"] == nil || f["description"] == nil {
				t.Errorf("%s: %s has no title or description", place, name)
			}
		}
		if at(document, place)["additionalProperties"] != false {
			t.Errorf("%s: the object is open", place)
		}
	})
}

func at(document map[string]any, place string) map[string]any {
	for token := range strings.SplitSeq(strings.TrimPrefix(place, "/"), "/") {
		if next, ok := document[token].(map[string]any); ok {
			document = next
		}
	}
	return document
}

// everyKeyword visits each keyword of each object of the schema, not the properties of the same names.
func everyKeyword(t *testing.T, visit func(place, keyword string, value any)) {
	t.Helper()
	raw, err := os.ReadFile("module.schema.json")
	must(t, err)
	var document any
	must(t, json.Unmarshal(raw, &document))
	var walk func(place string, v any)
	walk = func(place string, v any) {
		switch v := v.(type) {
		case map[string]any:
			_, last, _ := cutLast(place)
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if last != "properties" || strings.HasSuffix(place, "/properties/properties") {
					visit(place, name, v[name])
				}
				walk(place+"/"+name, v[name])
			}
		case []any:
			for i, element := range v {
				walk(fmt.Sprintf("%s/%d", place, i), element)
			}
		}
	}
	walk("", document)
}
