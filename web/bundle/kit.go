package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// kitParts are what a module may import of the kit that runs in its page, and where in the kit it finds
// each: "" is the kit itself. Preact is among them, because components of two copies do not fit together.
var kitParts = map[string]string{
	"@narthex/kit":       "",
	"preact":             ".preact",
	"preact/hooks":       ".hooks",
	"preact/jsx-runtime": ".jsx",
	"@preact/signals":    ".signals",
}

// runningKit resolves the kit's parts to shims onto the page's own, so that a module carries no copy of them.
var runningKit = api.Plugin{Name: "running kit", Setup: func(build api.PluginBuild) {
	const shimmed = `^(@narthex/kit|preact|preact/hooks|preact/jsx-runtime|@preact/signals)$`
	build.OnResolve(api.OnResolveOptions{Filter: shimmed},
		func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: args.Path, Namespace: "kit"}, nil
		})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "kit"},
		func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			shim, err := kitShim(args.Path)
			return api.OnLoadResult{Contents: &shim, Loader: api.LoaderJS}, err
		})
}}

// kitShim is the text of an ES module that exports what a part of the kit exports. What a module does not
// import is left out of its bundle, as the annotations allow.
func kitShim(part string) (string, error) {
	entry := part
	if part == "@narthex/kit" {
		entry = "./web/kit/index.ts"
	}
	names, err := ExportsOf(entry)
	if err != nil {
		return "", err
	}
	var shim strings.Builder
	fmt.Fprintf(&shim, "const of = (name) => globalThis[Symbol.for(\"narthex.kit.1\")]%s[name];\n",
		kitParts[part])
	for _, name := range names {
		if name != "default" {
			fmt.Fprintf(&shim, "export const %s = /* @__PURE__ */ of(%[1]q);\n", name)
		}
	}
	return shim.String(), nil
}

// KitExports tells builds outside of a checkout where in the kit each part is, and what it exports.
func KitExports() (map[string]KitPart, error) {
	parts := map[string]KitPart{}
	for part, of := range kitParts {
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

// KitPart is one part of the kit; modulescript.Part reads it.
type KitPart struct {
	Of      string
	Exports []string
}

// ExportsOf names what a package or a source file exports.
func ExportsOf(entry string) ([]string, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	options := buildOptions(root)
	options.Stdin = &api.StdinOptions{Contents: fmt.Sprintf("export * from %q", entry), ResolveDir: root}
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
