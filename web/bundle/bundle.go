// Package bundle owns how one script is made of sources that browsers do not read: for the pages of the
// platform itself, in the root of a checkout where the kit and web/node_modules are (Build), and for a
// module's, in a folder anywhere, with the published browser SDK alone (Module).
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

// Build makes one script of an entry file of a checkout and all it imports. Everybody imports the SDK as
// @narthex/sdk; packages come from web/node_modules. There is no source map, and nothing in the bundle
// depends on where it was built. An error names file, line and column.
func Build(entry string, format api.Format, minify Style, more ...func(*api.BuildOptions)) ([]byte, error) {
	options, err := RootedOptions()
	if err != nil {
		return nil, err
	}
	options.Format = format
	for _, change := range more {
		change(&options)
	}
	return run(options, entry, minify)
}

func run(options api.BuildOptions, entry string, minify Style) ([]byte, error) {
	options.EntryPoints = []string{entry}
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = bool(minify), bool(minify),
		bool(minify)
	result := api.Build(options)
	var failures []error
	for _, message := range result.Errors {
		where := filepath.Base(entry)
		if at := message.Location; at != nil {
			where = fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column+1)
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

// OnKit bundles for a page that carries the kit.
func OnKit(parts KitParts) func(*api.BuildOptions) {
	return func(options *api.BuildOptions) { options.Plugins = append(options.Plugins, parts.plugin()) }
}

// RootedOptions are the options of a bundle of the platform's own sources, in the checkout's root.
func RootedOptions() (api.BuildOptions, error) {
	root, err := os.Getwd()
	options := buildOptions(root)
	options.Alias = map[string]string{"@narthex/sdk": filepath.Join(root, "web/sdk/narthex-sdk.ts")}
	options.NodePaths = []string{filepath.Join(root, "web/node_modules")}
	return options, err
}

// buildOptions are those of every bundle. folder is absolute: what errors name is relative to it.
func buildOptions(folder string) api.BuildOptions {
	return api.BuildOptions{
		AbsWorkingDir:   folder,
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
