// Package sdkexport writes the sources and libraries that authors build modules with. The program contains
// them, so neither a checkout of the platform nor a published version of the SDK is needed.
package sdkexport

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	narthex "github.com/narthex-platform/narthex"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/web"
)

// The folders of an export.
const (
	GoFolder      = "go"      // the Go module of the SDK
	HostFolder    = "host"    // the Go module with the test kit and the host that it runs
	BrowserFolder = "browser" // the npm package of pages
	ServerFolder  = "server"  // the npm package of servers in TypeScript
)

// Error is a stable code; its text also says what to do.
type Error string

func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The reasons why nothing was exported.
const (
	ErrExists = Error("SDK_FOLDER_EXISTS")
	ErrWrite  = Error("SDK_NOT_WRITTEN")
)

func (e Error) sentence() string {
	if e == ErrExists {
		return "There is something of that name already that is no exported SDK; nothing was changed."
	}
	return "The SDK could not be written; check the folder's permissions and the room on its disk."
}

//go:embed README.md
var readme []byte

// Write writes the SDK into a folder, replacing an earlier export there. After an error the folder is
// unchanged. Errors: ErrExists, ErrWrite.
func Write(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return failed(err)
	}
	entries, err := os.ReadDir(dir)
	replaces := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 && !IsExport(dir) {
		return ErrExists
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return failed(err)
	}
	scratch, err := os.MkdirTemp(filepath.Dir(dir), ".sdk-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(scratch)
	written := filepath.Join(scratch, "sdk")
	if err := writeAll(written); err != nil {
		return failed(err)
	}
	if replaces {
		if err := os.Rename(dir, filepath.Join(scratch, "before")); err != nil {
			return failed(err)
		}
	}
	if err := os.Rename(written, dir); err != nil {
		if replaces {
			err = errors.Join(err, os.Rename(filepath.Join(scratch, "before"), dir))
		}
		return failed(err)
	}
	return nil
}

func failed(cause error) error { return fmt.Errorf("%w: %w", ErrWrite, cause) }

// IsExport reports whether a folder is an exported SDK of any version.
func IsExport(dir string) bool {
	content, err := os.ReadFile(filepath.Join(dir, BrowserFolder, "package.json"))
	return err == nil && bytes.Contains(content, []byte(`"@narthex/sdk"`))
}

func writeAll(dir string) error {
	host, err := fs.ReadFile(narthex.Host, "go.mod")
	if err != nil {
		return err
	}
	licence, err := fs.ReadFile(narthex.Host, "LICENSE")
	if err != nil {
		return err
	}
	manifest, err := browserPackage()
	if err != nil {
		return err
	}
	serverManifest, err := serverPackage()
	if err != nil {
		return err
	}
	server, err := fs.Sub(web.SDK(), ServerFolder)
	if err != nil {
		return err
	}
	return errors.Join(
		copyTree(sdk.Sources(), filepath.Join(dir, GoFolder), nil),
		copyTree(narthex.Host, filepath.Join(dir, HostFolder), []string{"go.mod"}),
		write(filepath.Join(dir, HostFolder, "go.mod"),
			bytes.ReplaceAll(host, []byte("=> ./modulehost/sdk"), []byte("=> ../"+GoFolder))),
		copyTree(web.SDK(), filepath.Join(dir, BrowserFolder), []string{ServerFolder}),
		copyTree(narthex.Guide, dir, nil),
		write(filepath.Join(dir, BrowserFolder, "package.json"), manifest),
		copyTree(server, filepath.Join(dir, ServerFolder), nil),
		write(filepath.Join(dir, ServerFolder, "package.json"), serverManifest),
		write(filepath.Join(dir, ServerFolder, "LICENSE"), licence),
		write(filepath.Join(dir, BrowserFolder, "LICENSE"), licence),
		write(filepath.Join(dir, GoFolder, "LICENSE"), licence),
		write(filepath.Join(dir, "README.md"), readme),
	)
}

// browserPackage is package.json of the browser SDK.
func browserPackage() ([]byte, error) {
	types := func(file string) map[string]string { return map[string]string{"types": "./types/" + file} }
	return json.MarshalIndent(map[string]any{
		"name": "@narthex/sdk", "version": abi.PlatformVersion, "type": "module", "license": "Apache-2.0",
		"description": "The browser SDK of Narthex, and the types of the kit that runs in its pages",
		"types":       "./narthex-sdk.d.ts",
		"exports": map[string]any{
			".":          map[string]string{"types": "./narthex-sdk.d.ts", "default": "./narthex-sdk.js"},
			"./kit":      types("narthex-kit/index.d.ts"),
			"./kit.json": "./kit.json",
		},
	}, "", "  ")
}

// serverPackage is package.json of the server SDK.
func serverPackage() ([]byte, error) {
	return json.MarshalIndent(map[string]any{
		"name": "@narthex/server", "version": abi.PlatformVersion, "type": "module", "license": "Apache-2.0",
		"description": "The server SDK of Narthex for modules in TypeScript",
		"types":       "./narthex-server.d.ts",
		"exports": map[string]any{
			".":      map[string]string{"types": "./narthex-server.d.ts", "default": "./narthex-server.js"},
			"./test": map[string]string{"types": "./narthex-test.d.ts"},
		},
	}, "", "  ")
}

// copyTree copies files, without tests and files that only tests need.
func copyTree(from fs.FS, to string, except []string) error {
	return fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || slices.Contains(except, name)):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go") || slices.Contains(except, name):
			return nil
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		return write(filepath.Join(to, filepath.FromSlash(path.Clean(name))), content)
	})
}

func write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o644)
}
