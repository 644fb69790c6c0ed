package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// relativeImport matches what a source file imports from a file beside it, types included.
var relativeImport = regexp.MustCompile(`(?:from|import)\s*\(?\s*"(\.\.?/[^"]+)"`)

// TestNoImportCircles: no source file of the front end and of the modules imports itself by way of others.
// Imports of types count, too: who reads one file of a circle has to read all of them.
func TestNoImportCircles(t *testing.T) {
	inCheckout(t)
	files, err := sourceImports("web", "modules")
	if err != nil {
		t.Fatal(err)
	}
	if len(files["web/dashboard/app/app.ts"]) == 0 {
		t.Fatal("no imports found in web/dashboard/app/app.ts")
	}
	for _, circle := range files.circles() {
		t.Errorf("%d files import each other: %s", len(circle), strings.Join(circle, ", "))
	}
}

// TestCirclesAreFound: circles of two, of three and of types are found, and a chain is none.
func TestCirclesAreFound(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.ts":     `import { b } from "./b"; export const a = b;`,
		"b.ts":     `import type { C } from "./dir/c"; export const b = 1;`,
		"d.tsx":    `import "./e"; import { a } from "./a"; import { useState } from "preact/hooks";`,
		"e.ts":     `export const d = () => import("./d");`,
		"f.ts":     `export * from "./a";`,
		"dir/c.ts": "import {\n\ta,\n} from \"../a\";\nexport type C = typeof a;",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := sourceImports(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, circle := range files.circles() {
		got = append(got, strings.Join(circle, " "))
	}
	if want := []string{"a.ts b.ts dir/c.ts", "d.tsx e.ts"}; !slices.Equal(got, want) {
		t.Errorf("circles %q, want %q", got, want)
	}
}

// sourceImports reads which source files below the roots import which others.
func sourceImports(roots ...string) (imports, error) {
	found := imports{}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "node_modules" || path == "web/dist") {
				return filepath.SkipDir
			}
			if ending := filepath.Ext(path); ending == ".ts" || ending == ".tsx" {
				found[path] = nil
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for path := range found {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for _, match := range relativeImport.FindAllSubmatch(text, -1) {
			to := filepath.Join(filepath.Dir(path), string(match[1]))
			for _, ending := range []string{"", ".ts", ".tsx", "/index.ts"} {
				if _, exists := found[to+ending]; exists {
					found[path] = append(found[path], to+ending)
					break
				}
			}
		}
	}
	return found, nil
}

// circles returns the largest sets of files that import each other, each one sorted.
func (i imports) circles() [][]string {
	var found [][]string
	placed := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(i)) {
		if placed[file] {
			continue
		}
		var circle []string
		for other := range i.reached(file) {
			if i.reached(other)[file] {
				circle = append(circle, other)
				placed[other] = true
			}
		}
		if len(circle) > 0 {
			slices.Sort(circle)
			found = append(found, circle)
		}
	}
	return found
}

// reached returns the files that a file imports, and those that these import.
func (i imports) reached(from string) map[string]bool {
	seen := map[string]bool{}
	waiting := slices.Clone(i[from])
	for len(waiting) > 0 {
		file := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if !seen[file] {
			seen[file] = true
			waiting = append(waiting, i[file]...)
		}
	}
	return seen
}
