// Package modules_test checks that the modules in this folder together use everything that a module can do.
// So authors find an example of each feature, and the platform's own tests run it.
package modules_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is one module in this folder.
type module struct {
	id       string
	manifest map[string]bool // "configuration[].type", and "configuration[].type=url"
	server   string          // sources, concatenated
	ui       string
	display  string
	contrib  string
}

// says returns a check for a field of the manifest, or for a field with a value.
func says(paths ...string) func(module) bool {
	return func(m module) bool {
		return !slices.ContainsFunc(paths, func(path string) bool { return !m.manifest[path] })
	}
}

// calls returns a check for Go sources in which all patterns occur.
func calls(patterns ...string) func(module) bool {
	return found(func(m module) string { return m.server }, patterns)
}

func uiHas(patterns ...string) func(module) bool {
	return found(func(m module) string { return m.ui }, patterns)
}

func displayHas(patterns ...string) func(module) bool {
	return found(func(m module) string { return m.display }, patterns)
}

func found(in func(module) string, patterns []string) func(module) bool {
	return func(m module) bool {
		return !slices.ContainsFunc(patterns, func(pattern string) bool {
			return !regexp.MustCompile(pattern).MatchString(in(m))
		})
	}
}

// features are what a module can do beyond the fields of its manifest. Each function looks for the feature in
// the sources.
var features = map[string]func(module) bool{
	"a module without a page":   func(m module) bool { return !m.manifest["entrypoints.ui"] },
	"a module without a server": func(m module) bool { return !m.manifest["entrypoints.server"] },
	"a contribution that runs without its target": func(m module) bool {
		return m.manifest["contributions[].id"] && !m.manifest["dependencies.required[].id"]
	},
	"a contribution's script": func(m module) bool {
		return strings.Contains(m.contrib, "defineContribution(")
	},
	"contributions in a page":              uiHas(`context\.contributions`),
	"contributions on a display":           displayHas(`context\.contributions`),
	"a display that follows a channel":     displayHas(`\blive[<(]`),
	"hints about permissions shape a page": uiHas(`context\.permissions`),
	"drafts and unsaved work":              uiHas(`\.drafts\b`, `\buseDraft[<(]`, `\bmayClose\(`),
	"the server's time":                    displayHas(`serverNow\(`),

	"start and stop hooks":           calls(`\) Start\(`, `\) Stop\(`, `sdk\.Serve\(`),
	"a route without a body":         calls(`sdk\.NoBody`),
	"a small buffered body":          calls(`sdk\.Buffered\(`),
	"a buffered body of over 64 KiB": largeBuffer,
	"a streamed body":                calls(`sdk\.Streamed\(`),
	"a channel with updates":         calls(`r\.Channel\(`, `\.Publish\(`),
	"two channels, each with its permission": func(m module) bool {
		return len(regexp.MustCompile(`r\.(Latest)?Channel\(`).FindAllString(m.server, -1)) >= 2
	},
	"queries and transactions": calls(`\.QueryRow\(`, `\.Query\(`, `\.Exec\(`, `\.InTx\(`),
	"all calls of a bucket": calls(`\.Put\(`, `\.Get\(`, `\.Head\(`, `\.List\(`, `\.Delete\(`,
		`\.CreateReadURL\(`),
	"mail with a language and a reply address": calls(`\.Mail\.Send\(`, `Language:`, `ReplyTo`),
	"mail whose outcome is told":               calls(`sdk\.MailSent`, `sdk\.MailNotConfigured`),
	"work that is done regularly":              calls(`r\.Every\(`),
	"settings of each type": calls(
		`Config\.String\(`, `Config\.Integer\(`, `Config\.Boolean\(`),
	"a secret":                                calls(`\.Secret\(`),
	"a capability that is provided":           calls(`r\.Provide\(`),
	"a capability that is called":             calls(`\.Capability\(`, `\.Call\(`),
	"a capability that may be absent":         calls(`sdk\.ErrCapabilityAbsent`),
	"who calls: a person":                     calls(`sdk\.Principal\(.*\)\.UserID`),
	"who calls: a screen":                     calls(`sdk\.Principal\(.*\)\.DeviceID`),
	"a permission that is asked in a handler": calls(`\.Can\(`),
	"names of people":                         calls(`People\.Names\(`),
	"people's rights":                         calls(`r\.PersonErased\(`, `r\.PersonExport\(`),
	"the log":                                 calls(`\.Log\.(Info|Warn|Error)\(`),
}

// largeBuffer evaluates limits like 512<<10.
func largeBuffer(m module) bool {
	written := regexp.MustCompile(`sdk\.Buffered\((\d+) ?<< ?(\d+)\)`)
	for _, limit := range written.FindAllStringSubmatch(m.server, -1) {
		number, _ := strconv.Atoi(limit[1])
		shift, _ := strconv.Atoi(limit[2])
		if number<<shift > 64<<10 {
			return true
		}
	}
	return false
}

// TestEveryFeatureHasAnExample: some module uses each field of the manifest, each of its listed values, and
// each part of the SDK.
func TestEveryFeatureHasAnExample(t *testing.T) {
	t.Parallel()
	modules := readModules(t)
	used := func(by func(module) bool) bool { return slices.ContainsFunc(modules, by) }
	for name, by := range features {
		if !used(by) {
			t.Errorf("no module here shows: %s", name)
		}
	}
	text, err := os.ReadFile("../modulehost/manifest/module.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	fields := make(map[string]bool)
	fieldsOf(schema, schema, "", fields)
	if len(fields) < 30 {
		t.Errorf("the schema of manifests has %d fields, want at least 30: is it read rightly?", len(fields))
	}
	for path := range fields {
		if !used(says(path)) {
			t.Errorf("no manifest here has: %s", path)
		}
	}
}

// fieldsOf collects the paths of all fields of a schema, and of their values if these are listed.
func fieldsOf(root map[string]any, node any, path string, into map[string]bool) {
	schema, _ := node.(map[string]any)
	if reference, _ := schema["$ref"].(string); strings.HasPrefix(reference, "#/$defs/") {
		definitions, _ := root["$defs"].(map[string]any)
		fieldsOf(root, definitions[strings.TrimPrefix(reference, "#/$defs/")], path, into)
	}
	values, _ := schema["enum"].([]any)
	if constant, found := schema["const"]; found {
		values = append(values, constant)
	}
	for _, value := range values {
		if text, isText := value.(string); isText && path != "icon" {
			into[path+"="+text] = true
		}
	}
	for _, several := range []string{"oneOf", "anyOf", "allOf"} {
		all, _ := schema[several].([]any)
		for _, one := range all {
			fieldsOf(root, one, path, into)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		below := strings.TrimPrefix(path+"."+name, ".")
		if name != "$schema" {
			into[below] = true
		}
		fieldsOf(root, property, below, into)
	}
	if items := schema["items"]; items != nil {
		fieldsOf(root, items, path+"[]", into)
	}
}

func readModules(t *testing.T) (modules []module) {
	t.Helper()
	files, err := filepath.Glob("*/module.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("module.json of modules: %v, error %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var manifest any
		if err := json.Unmarshal(text, &manifest); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		folder := filepath.Dir(file)
		m := module{id: folder, manifest: make(map[string]bool), server: sourcesIn(t, folder, ".go"),
			ui: sourcesIn(t, folder+"/ui-src", ".ts"), display: sourcesIn(t, folder+"/display-src", ".ts"),
			contrib: sourcesIn(t, folder+"/contributions-src", ".ts")}
		flatten(manifest, "", m.manifest)
		modules = append(modules, m)
	}
	return modules
}

// flatten records each field of a manifest by its path, and with its value.
func flatten(value any, path string, into map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			below := strings.TrimPrefix(path+"."+name, ".")
			into[below] = true
			flatten(field, below, into)
		}
	case []any:
		for _, element := range value {
			flatten(element, path+"[]", into)
		}
	case string:
		into[path+"="+value] = true
	}
}

// sourcesIn reads the files of a folder and its subfolders with this ending, without tests. ".ts" includes
// ".tsx".
func sourcesIn(t *testing.T, folder, ending string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) || err == nil && (entry.IsDir() || strings.HasSuffix(path, "_test.go") ||
			!strings.HasPrefix(filepath.Ext(path), ending)) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
