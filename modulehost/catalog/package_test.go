package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const platform = "0.1.2"

// fields are members of a manifest; they replace the members that every module of these tests has.
type fields map[string]any

// install writes a module's folder with the fewest files that a browser-only module needs.
func install(t testing.TB, dir, id string, more fields) string {
	t.Helper()
	manifest := fields{"manifestVersion": 7, "id": id, "name": strings.ToUpper(id), "version": "1.0.0",
		"compatibility": fields{"platform": "^0.1.0", "moduleSdk": "^0.1.0"}}
	for name, value := range more {
		manifest[name] = value
	}
	raw, err := json.Marshal(manifest)
	must(t, err)
	folder := filepath.Join(dir, id)
	write(t, filepath.Join(folder, "module.json"), string(raw))
	return folder
}

// needs returns dependencies from texts such as `module people ^1.0.0`.
func needs(required []string, optional ...string) fields {
	edges := func(lines []string) []fields {
		list := []fields{}
		for _, line := range lines {
			part := strings.SplitN(line, " ", 3)
			list = append(list, fields{"kind": part[0], "id": part[1], "range": part[2]})
		}
		return list
	}
	return fields{"required": edges(required), "optional": edges(optional)}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o755))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
