package bundle

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// testScript is the script behind @narthex/server/test.
const testScript = "export const { test, equal, ok } = globalThis.narthexTests;\n"

// testEnding ends the name of a file with tests of a module's server.
const testEnding = ".test.ts"

// Tests bundles each file with tests of a module's server. The path of a script is that of its source.
func Tests(folder string, sdk SDK) ([]Script, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var scripts []Script
	sources := filepath.Join(folder, "server-src")
	err = filepath.WalkDir(sources, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, testEnding) {
			return err
		}
		options := sdk.onServer(buildOptions(folder))
		options.Format = api.FormatIIFE
		options.Plugins = append(options.Plugins, resolving("@narthex/server/test", []byte(testScript)))
		built, err := run(options, path, Readable)
		if err != nil {
			return err
		}
		from, err := filepath.Rel(folder, path)
		scripts = append(scripts, Script{Path: from, Bytes: built.OutputFiles[0].Contents})
		return err
	})
	return scripts, err
}
