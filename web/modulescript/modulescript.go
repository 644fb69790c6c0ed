// Package modulescript builds the scripts of a module from its sources, in a folder anywhere: of the platform
// it needs the published browser SDK alone, no checkout and no packages.
package modulescript

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Script is one script of a module.
type Script struct {
	Path  string // in the module's folder
	Bytes []byte
}

// KitParts is the file of the browser SDK that names what each part of the kit exports.
const KitParts = "kit.json"

// Part is what modules may import by one name of the kit that runs in their pages.
type Part struct {
	Of      string   // where in the kit it is; "": it is the kit itself
	Exports []string // in order
}

// Build builds the scripts of a module that have sources in its folder, wherever that is, with the browser
// SDK as it is published (web.SDK). A part of the kit becomes a shim onto the page's own, so that a module
// carries no copy of it; the file KitParts names what it exports. Everything else is the module's: its own
// files, and packages in its node_modules. An error names file and line.
func Build(folder string, sdk fs.FS) ([]Script, error) {
	var parts map[string]Part
	content, err := fs.ReadFile(sdk, KitParts)
	if err == nil {
		err = json.Unmarshal(content, &parts)
	}
	if err != nil {
		return nil, err
	}
	var scripts []Script
	for _, part := range []string{"ui", "display"} {
		entry, err := sourceOf(filepath.Join(folder, part+"-src", "index"))
		if err != nil {
			return nil, err
		}
		if entry == "" {
			continue
		}
		built, err := bundle(folder, entry, published(sdk, parts))
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, Script{filepath.Join(part, "index.js"), built})
	}
	return scripts, nil
}

// sourceOf finds the file with one of the endings that sources have, and returns "" when there is none.
func sourceOf(stem string) (string, error) {
	for _, ending := range []string{".tsx", ".ts", ".js"} {
		if _, err := os.Stat(stem + ending); err == nil {
			return stem + ending, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

func bundle(folder, entry string, platform api.Plugin) ([]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: folder, EntryPoints: []string{entry}, Outdir: "unwritten", Bundle: true,
		Format: api.FormatESModule, Target: api.ES2022, Platform: api.PlatformBrowser,
		LegalComments: api.LegalCommentsNone, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		TsconfigRaw:      `{"compilerOptions": {"target": "es2022", "verbatimModuleSyntax": true}}`,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Plugins: []api.Plugin{platform, styleSheets}, LogLevel: api.LogLevelSilent,
	})
	var failures []error
	for _, message := range result.Errors {
		where := filepath.Base(entry)
		if message.Location != nil {
			where = fmt.Sprintf("%s:%d:%d", message.Location.File, message.Location.Line, message.Location.Column+1)
		}
		failures = append(failures, fmt.Errorf("%s: %s", where, message.Text))
	}
	if len(failures) > 0 {
		return nil, errors.Join(failures...)
	}
	return result.OutputFiles[0].Contents, nil
}

// styleSheets makes an imported .css file the minified text of it.
var styleSheets = api.Plugin{Name: "style sheets", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		result := api.Transform(string(source), api.TransformOptions{
			Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8,
		})
		text := string(result.Code)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderText, Errors: result.Errors}, nil
	})
}}

// published resolves what a module imports of the platform.
func published(sdk fs.FS, parts map[string]Part) api.Plugin {
	return api.Plugin{Name: "platform", Setup: func(build api.PluginBuild) {
		resolve := func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, found := parts[args.Path]; !found && args.Path != "@narthex/sdk" {
				return api.OnResolveResult{}, nil // the module's own
			}
			return api.OnResolveResult{Path: args.Path, Namespace: "platform"}, nil
		}
		build.OnResolve(api.OnResolveOptions{Filter: `^(@narthex/|@?preact)`}, resolve)
		load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			text := shim(parts[args.Path])
			if args.Path == "@narthex/sdk" {
				content, err := fs.ReadFile(sdk, "narthex-sdk.js")
				if err != nil {
					return api.OnLoadResult{}, err
				}
				text = string(content)
			}
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
		}
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "platform"}, load)
	}}
}

// shim is the text of an ES module that exports a part of the running kit. What a module does not import is
// left out of its bundle, as the annotations allow.
func shim(part Part) string {
	var text strings.Builder
	fmt.Fprintf(&text, "const of = (name) => globalThis[Symbol.for(\"narthex.kit.1\")]%s[name];\n", part.Of)
	for _, name := range part.Exports {
		fmt.Fprintf(&text, "export const %s = /* @__PURE__ */ of(%[1]q);\n", name)
	}
	return text.String()
}
