package manifest_test

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// FuzzParse checks that any bytes produce either a manifest or findings. The schema accepts every valid
// manifest, and encoding and parsing it again produces an equal one. Findings contain only words of this
// package, none of the file.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.case")
	must(f, err)
	for _, file := range files {
		f.Add([]byte(readExample(f, strings.TrimSuffix(filepath.Base(file), ".case"))))
	}
	compiled, spoken := schema(f), vocabulary(f, files)
	f.Fuzz(func(t *testing.T, data []byte) { checkParse(t, data, compiled, spoken) })
}

// FuzzText is FuzzParse with a random text in one place of a valid manifest, because random bytes seldom
// leave a manifest valid.
func FuzzText(f *testing.F) {
	files, err := filepath.Glob("testdata/*.case")
	must(f, err)
	for place, text := range []string{"core", "a-b", "core.x", "^1.0.0 || ~2", "1.2 - 3", "x.|", "1.0.0-01",
		"\u2028", "a\x1b", "{os}/../x.js",
		"http://[::1%25x]:/", "notes.a..b", "\xff", "ſecret", "K", "../a.js", "a/..b/...js"} {
		f.Add(uint8(place), uint8(place), text)
	}
	names := []string{"valid-announcements", "valid-countdown", "valid-configuration", "valid-icon",
		"valid-translations"}
	compiled, spoken := schema(f), vocabulary(f, files)
	f.Fuzz(func(t *testing.T, name, place uint8, text string) {
		var document any
		must(t, json.Unmarshal([]byte(readExample(t, names[int(name)%len(names)])), &document))
		seen := 0
		everyPlace(document, func(v any) { document = v }, func(put func(any)) {
			if seen == int(place) {
				put(text)
				raw, err := json.Marshal(document)
				must(t, err)
				checkParse(t, raw, compiled, spoken)
			}
			seen++
		})
	})
}

func checkParse(t *testing.T, data []byte, compiled *jsonschema.Schema, spoken map[string]bool) {
	t.Helper()
	m, findings := manifest.Parse(data)
	if (m == nil) != (len(findings) > 0) || len(findings) > manifest.MaxFindings+1 {
		t.Fatalf("Parse: manifest %v and %d findings, want exactly one of both", m, len(findings))
	}
	for _, finding := range findings {
		assertPlain(t, finding, spoken)
	}
	if m == nil {
		return
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	must(t, err)
	if err := compiled.Validate(document); err != nil {
		t.Fatalf("only the schema refuses: %v", err)
	}
	again, findings := manifest.Parse(encode(t, m))
	if findings != nil || !reflect.DeepEqual(again, m) {
		t.Fatalf("written out it is another manifest: %v\n%+v\n%+v", findings, m, again)
	}
}

var pointer = regexp.MustCompile(`^(/[A-Za-z0-9_.-]{1,64})*$`)

// assertPlain checks that a finding is one line of printable text without words of the file.
func assertPlain(t *testing.T, f manifest.Finding, spoken map[string]bool) {
	t.Helper()
	if f.Module != "" && !manifest.ValidID(f.Module) || !pointer.MatchString(f.Pointer) {
		t.Fatalf("a finding forges its place: %q", f.Error())
	}
	for word := range strings.FieldsSeq(digits.ReplaceAllString(f.Message, "0")) {
		if !spoken[word] {
			t.Fatalf("a finding says %q, which no case of testdata does: %q", word, f.Error())
		}
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// vocabulary returns every word of the cases' findings, with numbers made equal, and the words of findings
// that no readable case can have.
func vocabulary(t testing.TB, files []string) map[string]bool {
	t.Helper()
	text := "complete JSON. must not be larger than 0 KiB. must be UTF-8 text. breaks more than 0 rules; the " +
		"rest is not listed. "
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(t, err)
		_, found, _ := strings.Cut(string(raw), separator)
		text += found
	}
	words := make(map[string]bool)
	for word := range strings.FieldsSeq(digits.ReplaceAllString(text, "0")) {
		words[word] = true
	}
	for field := range strings.FieldsSeq(fieldNames(t)) {
		words[field] = true
	}
	return words
}

// fieldNames returns the labels that findings use for all fields. It reads them from the schema.
func fieldNames(t testing.TB) string {
	t.Helper()
	var document map[string]any
	raw, err := os.ReadFile("module.schema.json")
	must(t, err)
	must(t, json.Unmarshal(raw, &document))
	names := "module.json module.json's "
	var walk func(label string, schema map[string]any)
	walk = func(label string, schema map[string]any) {
		if reference, ok := schema["$ref"].(string); ok {
			schema = document["$defs"].(map[string]any)[strings.TrimPrefix(reference, "#/$defs/")].(map[string]any)
		}
		names += label + " "
		if items, ok := schema["items"].(map[string]any); ok {
			walk(label+"[]", items)
		}
		if members, ok := schema["additionalProperties"].(map[string]any); ok {
			walk(label+"{}", members)
		}
		if properties, ok := schema["properties"].(map[string]any); ok {
			for name, property := range properties {
				walk(strings.TrimPrefix(label+"."+name, "."), property.(map[string]any))
				names += name + ". "
			}
		}
	}
	walk("", document)
	return names
}

// encode returns the manifest as module.json, from which Parse must read an equal one.
func encode(t *testing.T, m *manifest.Manifest) []byte {
	t.Helper()
	edges := func(list []manifest.Dependency) []fields {
		out := []fields{}
		for _, d := range list {
			out = append(out, fields{"kind": d.Kind, "id": d.ID, "range": d.Range.String()})
		}
		return out
	}
	whole := fields{"manifestVersion": manifest.Version, "id": m.ID, "name": m.Name,
		"version": m.Version.Original(),
		"compatibility": fields{"platform": m.Compatibility.Platform.String(),
			"moduleSdk": m.Compatibility.ModuleSDK.String()},
		"dependencies": fields{"required": edges(m.Dependencies.Required),
			"optional": edges(m.Dependencies.Optional)}}
	put := func(to fields, name string, value any) {
		if !reflect.ValueOf(value).IsZero() {
			to[name] = value
		}
	}
	put(whole, "icon", m.Icon)
	if m.People {
		whole["people"] = fields{"names": true}
	}
	var capabilities, permissions, settings, contributions []fields
	for _, p := range m.Provides {
		capabilities = append(capabilities, fields{"capability": p.ID, "version": p.Version.Original()})
	}
	for _, p := range m.Permissions {
		permissions = append(permissions, fields{"id": p.ID, "baseline": p.Baseline, "description": p.Description})
	}
	for _, d := range m.Configuration {
		setting := fields{"key": d.Key, "type": d.Type, "required": d.Required, "description": d.Description}
		if d.Default != nil {
			setting["default"] = d.Default
		}
		put(setting, "minLength", d.MinLength)
		put(setting, "maxLength", d.MaxLength)
		put(setting, "minimum", d.Minimum)
		put(setting, "maximum", d.Maximum)
		put(setting, "values", d.Values)
		settings = append(settings, setting)
	}
	for _, c := range m.Contributions {
		contributions = append(contributions, fields{"id": c.ID, "version": c.Version.Original(),
			"capability": c.Capability,
			"range":      c.Range.String(), "artifact": c.Artifact})
	}
	entrypoints := fields{}
	put(entrypoints, "server", m.Server)
	if m.ServerScript != "" {
		entrypoints["server"] = fields{"script": m.ServerScript, "abi": manifest.ScriptABI}
	}
	put(entrypoints, "ui", m.UI)
	if m.Display != nil {
		entrypoints["display"] = fields{"artifact": m.Display.Artifact, "permission": m.Display.Permission}
	}
	whole["entrypoints"] = entrypoints
	if m.Database != nil {
		database := fields{"abi": m.Database.ABI}
		put(database, "migrations", m.Database.Migrations)
		whole["database"] = database
	}
	put(whole, "provides", capabilities)
	put(whole, "permissions", permissions)
	put(whole, "configuration", settings)
	put(whole, "contributions", contributions)
	put(whole, "translations", m.Translations)
	if m.Buckets != nil {
		whole["storage"] = fields{"buckets": m.Buckets}
	}
	raw, err := json.Marshal(whole)
	must(t, err)
	return raw
}

// FuzzFile checks that a file of any content and any path is read unchanged or refused. Nothing outside the
// package is read, and both ways of opening give the same result.
func FuzzFile(f *testing.F) {
	for path, data := range map[string]string{"file": "export {}", "../outside.js": "\xff", "in/file": "",
		"out": "a", "out/outside.js": "",
		"./file": "", "/etc/passwd": "", "file/": "", "fifo\x00": "", "in/../file": "", "loop": "", "in//file": "",
		"": "", ".": ""} {
		f.Add(path, []byte(data))
	}
	const secret = "this is outside of the package"
	top := f.TempDir()
	folder := filepath.Join(top, "package")
	write(f, filepath.Join(top, "outside.js"), secret)
	write(f, filepath.Join(folder, "sub/file"), "sub")
	for link, target := range map[string]string{"in": "sub", "out": "..", "loop": "loop",
		"secret": "../outside.js", "root": "/"} {
		must(f, os.Symlink(target, filepath.Join(folder, link)))
	}
	kernel, err := manifest.OpenPackage(folder)
	must(f, err)
	f.Cleanup(func() { _ = kernel.Close() })
	walking, err := manifest.OpenPackageInRoot(folder)
	must(f, err)
	f.Cleanup(func() { _ = walking.Close() })
	f.Fuzz(func(t *testing.T, path string, data []byte) {
		write(t, filepath.Join(folder, "file"), string(data))
		script, err := kernel.Script("file")
		if utf8.Valid(data) != (err == nil) || err == nil && !bytes.Equal(script.Bytes, data) {
			t.Fatalf("%q is read as %v, %v", data, script, err)
		}
		script, err = kernel.Script(path)
		again, err2 := walking.Script(path)
		if (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(script.Bytes, again.Bytes) {
			t.Fatalf("%q: openat2 gives %v, %v, os.Root %v, %v", path, script, err, again, err2)
		}
		for _, refusal := range []error{err, err2} {
			if refusal != nil && code(refusal) != "ARTIFACT_INVALID" {
				t.Fatalf("Script(%q): error %v, want ARTIFACT_INVALID", path, refusal)
			}
		}
		if err == nil && string(script.Bytes) == secret {
			t.Fatalf("%q leads out of the package", path)
		}
	})
}

// FuzzExecutable checks that debug/elf, if it can read an accepted file, also considers it a static
// executable.
func FuzzExecutable(f *testing.F) {
	self, err := os.ReadFile("/proc/self/exe")
	must(f, err)
	f.Add(self[:4096], uint32(len(self)))
	for _, kinds := range [][]elf.ProgType{nil, {elf.PT_LOAD}, {elf.PT_LOAD, elf.PT_INTERP}, {elf.PT_NOTE},
		{elf.PT_PHDR, elf.PT_LOAD, elf.PT_TLS}} {
		data := binaryFile(f, nil, kinds...)
		f.Add(data, uint32(len(data)))
		f.Add(data[:len(data)/2], uint32(len(data)))
	}
	f.Add([]byte("#!/bin/sh\n"), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, size uint32) {
		err := manifest.CheckELF(bytes.NewReader(data), int64(size))
		if err != nil {
			if code(err) != "ARTIFACT_INVALID" {
				t.Fatal(err)
			}
			return
		}
		file, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			return // debug/elf also reads sections, which are not needed to run a program
		}
		loads := false
		for _, segment := range file.Progs {
			loads = loads || segment.Type == elf.PT_LOAD
			if segment.Type == elf.PT_INTERP {
				t.Fatal("a dynamic executable is accepted")
			}
		}
		if !loads || file.Machine != machine || file.Class != elf.ELFCLASS64 {
			t.Fatalf("accepted the executable %+v, want one of 64 bit for machine %v with a segment to load",
				file.FileHeader, machine)
		}
	})
}
