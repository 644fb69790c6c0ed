package dev

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/cmd/narthex/cli"
)

// source is the folder in which an author develops a module. Its name is the module's id.
type source struct{ id, folder string }

// findSources finds the modules of the default folder, which may be missing, and those of --module-dir, which
// names a module's own folder or a folder of modules. If two have the same id, the later one is used.
func findSources(byDefault string, added []string) ([]source, error) {
	found := make(map[string]string)
	folders, err := modulesIn(byDefault)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, unreadable(byDefault, "cannot be read")
	}
	for _, dir := range added {
		if _, err := os.Stat(filepath.Join(dir, "module.json")); err == nil {
			folders = append(folders, dir)
			continue
		}
		inside, err := modulesIn(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, unreadable(dir, "does not exist")
		case err != nil:
			return nil, unreadable(dir, "cannot be read")
		case !slices.ContainsFunc(inside, hasManifest):
			return nil, unreadable(dir, "has no module: neither it nor a folder in it has a module.json")
		}
		folders = append(folders, inside...)
	}
	for _, folder := range folders {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		found[filepath.Base(folder)] = folder
	}
	var sources []source
	for id, folder := range found {
		sources = append(sources, source{id, folder})
	}
	slices.SortFunc(sources, func(a, b source) int { return strings.Compare(a.id, b.id) })
	return sources, nil
}

// unreadable names a folder that the developer has given.
func unreadable(folder, why string) error {
	return cli.NewError("MODULES_DIRECTORY_UNREADABLE", fmt.Sprintf("The folder %s %s.", folder, why))
}

func hasManifest(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "module.json"))
	return err == nil
}

func modulesIn(dir string) (folders []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if info, err := os.Stat(path); err == nil && info.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			folders = append(folders, path)
		}
	}
	return folders, err
}

// outline holds the fields of a manifest that the loop needs. The rest may be invalid; discovery reports
// that.
type outline struct {
	Version     string
	Entrypoints struct {
		Server  server
		UI      string
		Display struct{ Artifact string }
		Link    struct{ Artifact string }
	}
	Database      struct{ Migrations string }
	Contributions []struct{ ID, Artifact, Capability string }
}

// server is the path of an executable, with {os} and {arch}, or of a script.
type server struct{ executable, script string }

// UnmarshalJSON reads a path, or an object with a script.
func (s *server) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.executable) == nil {
		return nil
	}
	var object struct{ Script string }
	err := json.Unmarshal(text, &object)
	s.script = object.Script
	return err
}

func readOutline(folder string) (o outline, text []byte, err error) {
	text, err = os.ReadFile(filepath.Join(folder, "module.json"))
	if err == nil {
		text = bytes.TrimPrefix(text, []byte("\uFEFF")) // as Parse does
		_ = json.Unmarshal(text, &o)
	}
	return o, text, err
}

// parts returns the folders and files that the manifest names, by their first path segment.
func (o outline) parts() []string {
	paths := []string{o.Entrypoints.Server.executable, o.Entrypoints.Server.script, o.Entrypoints.UI,
		o.Entrypoints.Display.Artifact, o.Entrypoints.Link.Artifact, o.Database.Migrations}
	for _, contribution := range o.Contributions {
		paths = append(paths, contribution.Artifact)
	}
	var parts []string
	for _, path := range paths {
		first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(path)), "/")
		if path != "" && first != "" && first != ".." && first != "." && !slices.Contains(parts, first) {
			parts = append(parts, first)
		}
	}
	return parts
}

// receivers returns the modules whose pages show a contribution of this module.
func (o outline) receivers() (ids []string) {
	for _, contribution := range o.Contributions {
		id, _, _ := strings.Cut(contribution.Capability, ".")
		ids = append(ids, id)
	}
	return ids
}
