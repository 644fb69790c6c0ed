package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

const handbook = "usr/share/doc/narthex"

// besides are the files outside docs to which pages of the handbook link.
var besides = []string{"SECURITY.md", "CONTRIBUTING.md", "modulehost/manifest/module.schema.json"}

// link matches the target of a Markdown link to another file, which has an extension: no address with a
// scheme, no heading of the same page, and no index of an array in an example.
var link = regexp.MustCompile(`\]\(([^)\s:#]+\.[a-z]+)(#[^)\s]*)?\)`)

// handbook copies the documentation. The files outside docs get another place, so links between the pages are
// changed to where each page is in the package. A link to a file that the package lacks is an error.
func (t *tree) handbook() {
	if t.err != nil {
		return
	}
	places := make(map[string]string)
	for _, file := range besides {
		places[file] = path.Base(file)
	}
	t.err = filepath.WalkDir("docs", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			places[file] = strings.TrimPrefix(file, "docs/")
		}
		return err
	})
	for file, place := range places {
		if t.err != nil {
			return
		}
		var content []byte
		if content, t.err = os.ReadFile(file); t.err == nil && path.Ext(file) == ".md" {
			content, t.err = relink(content, file, places)
		}
		t.write(path.Join(handbook, place), 0o644, content)
	}
}

// relink changes the links of a page. places has each file's path below the handbook, by its path in the
// checkout.
func relink(page []byte, file string, places map[string]string) (_ []byte, err error) {
	page = link.ReplaceAllFunc(page, func(found []byte) []byte {
		parts := link.FindSubmatch(found)
		target := path.Join(path.Dir(file), string(parts[1]))
		place, packed := places[target]
		if !packed {
			err = fmt.Errorf("%s links to %s, which the package lacks", file, target)
			return found
		}
		relative, outside := filepath.Rel(path.Dir(places[file]), place)
		if outside != nil {
			err = outside
		}
		return fmt.Appendf(nil, "](%s%s)", relative, parts[2])
	})
	return page, err
}
