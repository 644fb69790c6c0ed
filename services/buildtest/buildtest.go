// Package buildtest builds the programs that tests start.
package buildtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Program builds the Go package source as the executable path, with the flags of go build that are given. An
// error has the compiler's report. Without -race it is static, as it is released: only then can it run the
// scripts of modules, in whose sandbox there is no dynamic linker.
//
// The sources become inputs of the test's result. Without that, go test would show the cached result of a
// test whose program has changed, because it knows only the packages that the test imports. Safe for
// concurrent use.
func Program(path, source string, flags ...string) error {
	cgo := "CGO_ENABLED=0"
	if slices.Contains(flags, "-race") {
		cgo = "CGO_ENABLED=1"
	}
	return build(append(os.Environ(), cgo), path, source, flags)
}

// Module builds a module's server as authors build it: static, and without the race detector. All else is as
// with Program.
func Module(path, source string) error {
	return build(append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath"), path, source, nil)
}

// Tool returns the path of a program of the Go module cmd/narthex-proof, which its go.mod lists as a tool. Go
// builds it when it has changed.
func Tool(name string) (string, error) {
	root, err := checkout()
	if err != nil {
		return "", err
	}
	command := exec.Command("go", "-C", filepath.Join(root, "cmd", "narthex-proof"), "tool", "-n", name)
	var report strings.Builder
	command.Stderr = &report
	path, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("building the tool %s: %w\n%s", name, err, report.String())
	}
	return strings.TrimSpace(string(path)), nil
}

func build(environment []string, path, source string, flags []string) error {
	if err := readSources(); err != nil {
		return err
	}
	command := exec.Command(
		"go",
		append(append([]string{"build", "-ldflags", "-s -w", "-o", path}, flags...), source)...)
	command.Env = environment
	if report, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", source, err, report)
	}
	return nil
}

// readSources opens each folder with sources once. go test records which folders a test opens, and repeats
// the test when the name, size or time of a file in one of them has changed.
var readSources = sync.OnceValue(func() error {
	root, err := checkout()
	if err != nil {
		return err
	}
	for _, folder := range []string{"cmd", "supervisor", "services", "modulehost", "realtime", "storage", "mail",
		"migrations", "modules", "web/dist"} {
		err = errors.Join(err, filepath.WalkDir(filepath.Join(root, folder),
			func(_ string, entry fs.DirEntry, err error) error {
				if err == nil && entry.IsDir() && entry.Name() == "bin" { // programs, which make builds
					return fs.SkipDir
				}
				return err
			}))
	}
	return err
})

// checkout returns the folder of the repository: the first above the working directory with a Makefile.
func checkout() (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		if _, absent := os.Stat(filepath.Join(folder, "Makefile")); absent == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("the tests run outside of the repository")
		}
		folder = parent
	}
	return "", err
}
