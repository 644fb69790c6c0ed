package archive

import (
	"io/fs"
	"os"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/manifest"
)

// contents are the names in a package; the value is true for a folder.
type contents map[string]bool

// add adds a name and the folders above it. It returns those of the folders that are new, outermost first.
func (c contents) add(name string, folder bool) (parents []string, err error) {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, `\`) ||
		strings.ContainsFunc(name, manifest.IsHidden) {
		return nil, errName
	}
	if len(name) > MaxPathBytes || strings.Count(name, "/") >= MaxDepth {
		return nil, errLongName
	}
	if first, _, _ := strings.Cut(name, "/"); first == recordName {
		return nil, errReserved
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

// sync writes everything that was unpacked into the folder to the disk.
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
