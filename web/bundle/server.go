package bundle

import "github.com/evanw/esbuild/pkg/api"

// serverScript is what is built from server-src/index: the server of a module in TypeScript.
const serverScript = "server/index.js"

// onServer makes the bundle one for the engine of modulehost/script. It has a source map, so that errors name
// the lines that an author has written, and is not minified, so that they name the functions.
func (s SDK) onServer(options api.BuildOptions) api.BuildOptions {
	options.Platform, options.Engines = api.PlatformNeutral, nil
	options.MainFields = []string{"module", "main"} // of packages in node_modules
	options.Supported = map[string]bool{"async-generator": false, "for-await": false}
	options.Sourcemap, options.SourcesContent = api.SourceMapInline, api.SourcesContentExclude
	options.SourceRoot = ""
	options.Outfile, options.Outdir = serverScript, ""
	options.Plugins = []api.Plugin{resolving("@narthex/server", s.Server)}
	return options
}

// exportOf says what the default export of an entry has to be.
func exportOf(e entry) string {
	if e.script == serverScript {
		return "export what the platform runs, as in: export default defineModule((m) => { ... })"
	}
	return "export what the platform shows, as in: export default defineModuleUi({ mount })"
}
