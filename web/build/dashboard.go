package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

const (
	dashboardEntry = "web/dashboard/main.tsx"
	partsFile      = "web/dashboard/app/parts.ts"
)

// laterScripts are the Dashboard's scripts that are loaded when one of their screens is opened, in
// web/dashboard and, as .js, in its build. They use the first script's parts instead of copies of them.
var laterScripts = []string{"account", "administration", "files"}

// sdkSource has functions without a state: a later script has copies of those that it calls, because the
// first one would have to keep all of them.
const sdkSource = "web/sdk/narthex-sdk.ts"

// dashboardScripts builds the Dashboard's scripts: the first one, which every page loads, and the later ones
// in their order.
func dashboardScripts(kit bundle.KitParts) (first []byte, later [][]byte, err error) {
	inFirst, err := importsOf(dashboardEntry)
	if err != nil {
		return nil, nil, err
	}
	parts := &sharedParts{inFirst: inFirst, taken: map[string][]string{}}
	for _, name := range laterScripts {
		script, err := bundle.Build("web/dashboard/"+name+".ts", api.FormatESModule, bundle.Minified,
			bundle.OnKit(kit), parts.take)
		if err != nil {
			return nil, nil, err
		}
		later = append(later, script)
	}
	first, err = bundle.Build(dashboardEntry, api.FormatIIFE, bundle.Minified, bundle.External("/assets/*"),
		parts.offer)
	return first, later, err
}

// imports maps source files to the files that each one imports, relative to the checkout's root.
type imports map[string][]string

// importsOf finds the source files that an entry needs.
func importsOf(entry string) (imports, error) {
	var built struct {
		Inputs map[string]struct{ Imports []struct{ Path string } } `json:"inputs"`
	}
	options, err := bundle.RootedOptions()
	if err != nil {
		return nil, err
	}
	options.EntryPoints = []string{entry}
	options.Metafile = true
	options.External = []string{"/assets/*"}
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", entry, result.Errors[0].Text)
	}
	if err := json.Unmarshal([]byte(result.Metafile), &built); err != nil {
		return nil, err
	}
	found := imports{}
	for path, input := range built.Inputs {
		found[path] = nil
		for _, imported := range input.Imports {
			found[path] = append(found[path], imported.Path)
		}
	}
	return found, nil
}

// chain returns a chain of imports from one file to another, both included, or nothing.
func (i imports) chain(from, to string) []string {
	seen := map[string]bool{}
	var follow func(file string) []string
	follow = func(file string) []string {
		if file == to {
			return []string{file}
		}
		if seen[file] {
			return nil
		}
		seen[file] = true
		for _, imported := range i[file] {
			if rest := follow(imported); rest != nil {
				return append([]string{file}, rest...)
			}
		}
		return nil
	}
	return follow(from)
}

// sharedParts are the files of the first script that the later ones import, with their exports.
type sharedParts struct {
	inFirst imports
	mu      sync.Mutex // esbuild calls the plugin concurrently
	taken   map[string][]string
}

// take replaces imports of the first script's files by what the running page offers.
func (p *sharedParts) take(options *api.BuildOptions) {
	root := options.AbsWorkingDir
	options.Plugins = append(options.Plugins, api.Plugin{Name: "parts", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^\.\.?/`},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				file := p.find(root, filepath.Join(filepath.Dir(args.Importer), args.Path))
				if file == "" || file == sdkSource {
					return api.OnResolveResult{}, nil
				}
				if chain := p.inFirst.chain(file, partsFile); chain != nil {
					return api.OnResolveResult{}, fmt.Errorf("%s is imported by a screen of a later script, "+
						"but it imports the list of what these screens take: %s. Both would wait for each other, and "+
						"the page would stay blank. Import types alone", file, strings.Join(chain, ", "))
				}
				return api.OnResolveResult{Path: file, Namespace: "part"}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "part"},
			func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				names, err := bundle.ExportsOf("./" + args.Path)
				if err != nil {
					return api.OnLoadResult{}, err
				}
				slices.Sort(names)
				p.mu.Lock()
				p.taken[args.Path] = names
				p.mu.Unlock()
				shim := fmt.Sprintf("const part = globalThis[Symbol.for(\"narthex.dashboard\")][%q];\n", args.Path)
				for _, name := range names {
					shim += fmt.Sprintf("export const %s = /* @__PURE__ */ (() => part[%[1]q])();\n", name)
				}
				return api.OnLoadResult{Contents: &shim, Loader: api.LoaderJS}, nil
			})
	}})
}

// find returns the file of the first script for a path without its extension, or nothing.
func (p *sharedParts) find(root, path string) string {
	relative, err := filepath.Rel(root, path)
	if err != nil {
		return ""
	}
	for _, ending := range []string{".ts", ".tsx"} {
		if _, found := p.inFirst[relative+ending]; found {
			return relative + ending
		}
	}
	return ""
}

// offer fills the first script's list of parts with those that the later ones import.
func (p *sharedParts) offer(options *api.BuildOptions) {
	options.Plugins = append(options.Plugins, api.Plugin{Name: "offer", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `/dashboard/app/parts\.ts$`},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				var imports, offered strings.Builder
				for at, file := range sortedKeys(p.taken) {
					fmt.Fprintf(&imports, "import * as part%d from %q;\n", at, "./"+file)
					fmt.Fprintf(&offered, "%q: {", file)
					for _, name := range p.taken[file] {
						fmt.Fprintf(&offered, "%s: part%d.%[1]s, ", name, at)
					}
					offered.WriteString("},\n")
				}
				source := imports.String() + "export const parts = {\n" + offered.String() + "};\n"
				return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS,
					ResolveDir: options.AbsWorkingDir}, nil
			})
	}})
}

func sortedKeys(taken map[string][]string) []string {
	keys := make([]string, 0, len(taken))
	for key := range taken {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// checkWeights fails if the compressed size of a script exceeds its limit.
func checkWeights(outputs []output) error {
	var heavy []error
	for _, o := range outputs {
		if allowed, limited := maxBytes[filepath.Base(o.path)]; limited && len(o.bytes) > allowed {
			heavy = append(heavy, fmt.Errorf("%s weighs %d bytes, %d are allowed", o.path, len(o.bytes), allowed))
		}
	}
	return errors.Join(heavy...)
}
