package main

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

// module builds the scripts of the module in a folder that have sources there.
func module(folder string) ([]output, error) {
	var outputs []output
	for _, s := range scripts {
		entry, err := source(filepath.Join(folder, s.sources))
		if err != nil {
			return nil, err
		}
		if entry == "" {
			continue
		}
		script, err := bundle(entry, api.FormatESModule, minified, onRunningKit)
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, output{filepath.Join(folder, s.script), script})
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
