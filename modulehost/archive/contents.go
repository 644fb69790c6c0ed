package archive

import (
	"io/fs"
	"os"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// contents are the names in a package; true is a folder.
type contents map[string]bool

// add takes one more name, and with it the folders above, of which it answers those that are new, outermost
// first.
func (c contents) add(name string, folder bool) (parents []string, err error) {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) ||
		strings.ContainsFunc(name, manifest.IsHidden) {
		return nil, errName
	}
	if len(name) > MaxPathBytes || strings.Count(name, "/") >= MaxDepth {
		return nil, errLongName
	}
	for at, char := range name {
		if char != '/' {
			continue
		}
		parent := name[:at]
		isFolder, known := c[parent]
		if known && !isFolder {
			return nil, errTwice
		}
		if !known {
			c[parent] = true
			parents = append(parents, parent)
		}
	}
	if _, known := c[name]; known {
		return nil, errTwice
	}
	c[name] = folder
	if len(c) > MaxEntries {
		return nil, errTooMany
	}
	return parents, nil
}

// sync makes everything that was unpacked into the folder durable.
func (c contents) sync(folder *os.Root) error {
	if err := sync(folder, "."); err != nil {
		return err
	}
	for name := range c {
		if err := sync(folder, name); err != nil {
			return err
		}
	}
	return nil
}

func sync(folder *os.Root, name string) error {
	file, err := folder.Open(name)
	if err != nil {
		return unwritable(err)
	}
	defer file.Close()
	if err := file.Sync(); err != nil {
		return unwritable(err)
	}
	return nil
}
