// Package bundle owns how one script is made of sources that browsers do not read: for the pages of the
// platform itself (web/build), and for a module's (narthex-dev dev). It works in the root of a checkout,
// where the SDK, the kit and web/node_modules are.
package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// Style tells whether people are to read a bundle.
type Style bool

const (
	Readable Style = false
	Minified Style = true
)

// Build makes one script of an entry file and all it imports. Everybody imports the SDK as @narthex/sdk;
// packages come from web/node_modules. There is no source map, and nothing in the bundle depends on where
// it was built.
func Build(entry string, format api.Format, minify Style, more ...func(*api.BuildOptions)) ([]byte, error) {
	options, err := RootedOptions()
	if err != nil {
		return nil, err
	}
	options.EntryPoints = []string{entry}
	options.Format = format
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = bool(minify), bool(minify),
		bool(minify)
	for _, change := range more {
		change(&options)
	}
	result := api.Build(options)
	var failures []error
	for _, message := range result.Errors {
		where := entry
		if message.Location != nil {
			where = fmt.Sprintf("%s:%d", message.Location.File, message.Location.Line)
		}
		failures = append(failures, fmt.Errorf("%s: %s", where, message.Text))
	}
	if len(failures) > 0 {
		return nil, errors.Join(failures...)
	}
	return result.OutputFiles[0].Contents, nil
}

// External leaves packages for the one who runs the bundle.
func External(packages ...string) func(*api.BuildOptions) {
	return func(options *api.BuildOptions) { options.External = packages }
}

// OnRunningKit bundles for a page that carries the kit.
func OnRunningKit(options *api.BuildOptions) { options.Plugins = append(options.Plugins, runningKit) }

// RootedOptions are the options of every bundle, in the checkout's root.
func RootedOptions() (api.BuildOptions, error) {
	root, err := os.Getwd()
	return buildOptions(root), err
}

func buildOptions(root string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:   root,
		Outdir:          "unwritten",
		Bundle:          true,
		Format:          api.FormatESModule,
		Target:          api.ES2022,
		Platform:        api.PlatformBrowser,
		LegalComments:   api.LegalCommentsNone,
		Charset:         api.CharsetUTF8,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		TsconfigRaw:     `{"compilerOptions": {"target": "es2022", "verbatimModuleSyntax": true}}`,
		Alias:           map[string]string{"@narthex/sdk": filepath.Join(root, "web/sdk/narthex-sdk.ts")},
		NodePaths:       []string{filepath.Join(root, "web/node_modules")},
		Plugins:         []api.Plugin{styleSheets},
		LogLevel:        api.LogLevelSilent,
	}
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
