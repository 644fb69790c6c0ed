// Package bundle owns the bundling of sources into one script: for the platform's own pages, in the root of a
// checkout with the kit and web/node_modules (Build), and for a module, in any folder, with only the
// published browser SDK (Module).
package bundle

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// Style is whether a bundle is readable or minified.
type Style bool

const (
	Readable Style = false
	Minified Style = true
)

// Build bundles an entry file of a checkout and all its imports into one script. The SDK is imported as
// @narthex/sdk; packages come from web/node_modules. There is no source map, and the bundle does not depend
// on where it was built. An error names file, line and column.
func Build(entry string, format api.Format, minify Style, more ...func(*api.BuildOptions)) ([]byte, error) {
	options, err := RootedOptions()
	if err != nil {
		return nil, err
	}
	options.Format = format
	for _, change := range more {
		change(&options)
	}
	result, err := run(options, entry, minify)
	if err != nil {
		return nil, err
	}
	return result.OutputFiles[0].Contents, nil
}

func run(options api.BuildOptions, entry string, minify Style) (api.BuildResult, error) {
	options.EntryPoints = []string{entry}
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = bool(minify), bool(minify),
		bool(minify)
	result := api.Build(options)
	var failures []error
	for _, message := range result.Errors {
		failures = append(failures, errors.New(located(message, entry)))
	}
	return result, errors.Join(failures...)
}

// located returns the text of a message with its file, line and column.
func located(message api.Message, entry string) string {
	where := filepath.Base(entry)
	if at := message.Location; at != nil {
		where = fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column+1)
	}
	return where + ": " + message.Text
}

// External leaves imports of packages unresolved, for whatever runs the bundle.
func External(packages ...string) func(*api.BuildOptions) {
	return func(options *api.BuildOptions) { options.External = packages }
}

// OnKit makes the bundle use the kit of the page in which it runs.
func OnKit(parts KitParts) func(*api.BuildOptions) {
	return func(options *api.BuildOptions) { options.Plugins = append(options.Plugins, parts.plugin()) }
}

// RootedOptions returns the options for bundling the platform's own sources, in the checkout's root.
func RootedOptions() (api.BuildOptions, error) {
	root, err := os.Getwd()
	options := buildOptions(root)
	options.Alias = map[string]string{"@narthex/sdk": filepath.Join(root, "web/sdk/narthex-sdk.ts")}
	options.NodePaths = []string{filepath.Join(root, "web/node_modules")}
	return options, err
}

// The oldest browsers for which code is bundled (README.md). Screens on a wall are often years older than
// what people use. web/build/floor_test.go finds the calls and styles that these do not have.
var (
	pageEngines = []api.Engine{{Name: api.EngineChrome, Version: "109"},
		{Name: api.EngineFirefox, Version: "115"}, {Name: api.EngineSafari, Version: "16.4"}}
	displayEngines = []api.Engine{{Name: api.EngineChrome, Version: "94"},
		{Name: api.EngineFirefox, Version: "115"}, {Name: api.EngineSafari, Version: "16.4"}}
)

// OnDisplays makes the bundle one for displays, which older browsers run.
func OnDisplays(options *api.BuildOptions) { options.Engines = displayEngines }

// AnyBrowser makes the bundle one that runs even in browsers for which the platform is not made.
func AnyBrowser(options *api.BuildOptions) { options.Target, options.Engines = api.ES5, nil }

// buildOptions returns the options of every bundle. folder is absolute; paths in errors are relative to it.
func buildOptions(folder string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:   folder,
		Outdir:          "unwritten",
		Bundle:          true,
		Format:          api.FormatESModule,
		Target:          api.ES2022,
		Engines:         pageEngines,
		Platform:        api.PlatformBrowser,
		LegalComments:   api.LegalCommentsNone,
		Charset:         api.CharsetUTF8,
		JSX:             api.JSXAutomatic,
		JSXImportSource: "preact",
		TsconfigRaw:     `{"compilerOptions": {"target": "es2022", "verbatimModuleSyntax": true}}`,
		Plugins:         []api.Plugin{styleSheets},
		LogLevel:        api.LogLevelSilent,
	}
}

// styleSheets imports a .css file as its minified text.
var styleSheets = api.Plugin{Name: "style sheets", Setup: func(build api.PluginBuild) {
	build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		source, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		result := api.Transform(string(source), api.TransformOptions{
			Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetUTF8,
			Engines: build.InitialOptions.Engines,
		})
		text := string(result.Code)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderText, Errors: result.Errors}, nil
	})
}}
