// Command build bundles what browsers run: the Dashboard, the browser SDK, and the scripts of modules whose
// sources use it. The same sources and packages (npm ci) result in the same bytes.
//
//	go run ./web/build          writes web/dist and the scripts of modules/*
//	go run ./web/build -check   fails if the committed files differ from what the sources give
//	go run ./web/build DIR...   writes only the scripts of the modules in these folders
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/narthex-platform/narthex/web"
	"github.com/narthex-platform/narthex/web/bundle"
)

func main() {
	check := flag.Bool("check", false, "compare with what is there instead of writing it")
	flag.Parse()
	if err := run(*check, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "web/build:", err)
		os.Exit(1)
	}
}

// output is one built file. Its path is relative to the working directory.
type output struct {
	path  string
	bytes []byte
}

// run works in the checkout's root. It builds the modules in folders or, without any, everything in the
// checkout.
func run(check bool, folders []string) error {
	var outputs []output
	var sdk bundle.SDK
	var err error
	all := len(folders) == 0
	if all {
		found, err := filepath.Glob("modules/*/module.json")
		if err != nil {
			return err
		}
		for _, file := range found {
			folders = append(folders, filepath.Dir(file))
		}
		if outputs, sdk, err = platform(); err != nil {
			return err
		}
	} else if sdk, err = bundle.ReadSDK(web.SDK()); err != nil {
		return err
	}
	for _, folder := range folders {
		scripts, err := bundle.Module(folder, sdk)
		if err != nil {
			return err
		}
		for _, script := range scripts {
			outputs = append(outputs, output{filepath.Join(folder, script.Path), script.Bytes})
		}
	}
	if check && all {
		return errors.Join(compare(outputs), leftOver("web/dist", outputs))
	}
	if check {
		return compare(outputs)
	}
	return write(outputs)
}

func compare(outputs []output) error {
	var stale []error
	for _, o := range outputs {
		if there, err := os.ReadFile(o.path); err != nil || !bytes.Equal(there, o.bytes) {
			stale = append(stale, fmt.Errorf("%s is not what its sources give: run go run ./web/build", o.path))
		}
	}
	return errors.Join(stale...)
}

// leftOver returns an error with the files of a folder that no source produces any more.
func leftOver(folder string, outputs []output) error {
	built := map[string]bool{}
	for _, o := range outputs {
		built[o.path] = true
	}
	var stale []error
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !built[path] {
			stale = append(stale, fmt.Errorf("%s is not built of any source: remove it", path))
		}
		return err
	})
	return errors.Join(err, errors.Join(stale...))
}

func write(outputs []output) error {
	for _, o := range outputs {
		if err := os.MkdirAll(filepath.Dir(o.path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(o.path, o.bytes, 0o644); err != nil {
			return err
		}
	}
	return nil
}
