package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// places maps the imports that the running page's kit provides to their place in the kit; "" is the kit
// itself. Preact is one of them, because components of two copies of it do not work together.
var places = map[string]string{
	"@narthex/kit":       "",
	"preact":             ".preact",
	"preact/hooks":       ".hooks",
	"preact/jsx-runtime": ".jsx",
	"@preact/signals":    ".signals",
}

// KitParts are the imports that the running page's kit provides, by name.
type KitParts map[string]KitPart

// KitPart is one of these imports.
type KitPart struct {
	Of      string   // its place in the kit; "" is the kit itself
	Exports []string // sorted
}

// KitExports reads the parts of the kit from a checkout, in its root.
func KitExports() (KitParts, error) {
	parts := KitParts{}
	for part, of := range places {
		entry := part
		if part == "@narthex/kit" {
			entry = "./web/kit/index.ts"
		}
		names, err := ExportsOf(entry)
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name == "default" })
		parts[part] = KitPart{Of: of, Exports: names}
	}
	return parts, nil
}

// plugin resolves these imports to shims for the page's kit, so that a script contains no copy of the kit.
func (p KitParts) plugin() api.Plugin {
	return api.Plugin{Name: "running kit", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^(@narthex/kit|@?preact)`},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				if _, found := p[args.Path]; !found {
					return api.OnResolveResult{}, nil // a package of the script's own
				}
				return api.OnResolveResult{Path: args.Path, Namespace: "kit"}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "kit"},
			func(args api.OnLoadArgs) (api.OnLoadResult, error) {
				shim := p[args.Path].shim()
				return api.OnLoadResult{Contents: &shim, Loader: api.LoaderJS}, nil
			})
	}}
}

// shim returns an ES module with the exports of a part of the kit. The annotations let the bundler omit the
// exports that a script does not import.
func (p KitPart) shim() string {
	var shim strings.Builder
	fmt.Fprintf(&shim, "const of = (name) => globalThis[Symbol.for(\"narthex.kit.1\")]%s[name];\n", p.Of)
	for _, name := range p.Exports {
		fmt.Fprintf(&shim, "export const %s = /* @__PURE__ */ of(%[1]q);\n", name)
	}
	return shim.String()
}

// ExportsOf returns the names that a package or a source file of the checkout exports.
func ExportsOf(entry string) ([]string, error) {
	options, err := RootedOptions()
	if err != nil {
		return nil, err
	}
	options.Stdin = &api.StdinOptions{Contents: fmt.Sprintf("export * from %q", entry),
		ResolveDir: options.AbsWorkingDir}
	options.Metafile = true
	result := api.Build(options)
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", entry, result.Errors[0].Text)
	}
	var built struct {
		Outputs map[string]struct{ Exports []string }
	}
	if err := json.Unmarshal([]byte(result.Metafile), &built); err != nil {
		return nil, err
	}
	for _, output := range built.Outputs {
		return output.Exports, nil
	}
	return nil, errors.New(entry + ": nothing was built")
}
