package bundle

import (
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// scripts of a module: where the sources of each are, beside module.json, and what they become.
var scripts = []struct{ sources, script string }{
	{"ui-src/index", "ui/index.js"},
	{"display-src/index", "display/index.js"},
}

// Output is one built file.
type Output struct {
	Path  string // as the entry's: relative to the working directory, or absolute
	Bytes []byte
}

// Module builds the scripts of the module in a folder that have sources there.
func Module(folder string) ([]Output, error) {
	var outputs []Output
	for _, s := range scripts {
		entry, err := source(filepath.Join(folder, s.sources))
		if err != nil {
			return nil, err
		}
		if entry == "" {
			continue
		}
		script, err := Build(entry, api.FormatESModule, Minified, OnRunningKit)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, Output{filepath.Join(folder, s.script), script})
	}
	return outputs, nil
}

// source finds the file with one of the endings that sources have, and answers "" when there is none.
func source(stem string) (string, error) {
	for _, ending := range []string{".tsx", ".ts", ".js"} {
		if _, err := os.Stat(stem + ending); err == nil {
			return stem + ending, nil
		} else if !os.IsNotExist(err) {
			return "", err
		}
	}
	return "", nil
}
