// Package scaffold writes a new module's first files: a server with a table, its migration, its test if it is
// in Go, and a page in the Dashboard. They build, pass their test and run unchanged.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

//go:embed template
var files embed.FS

// Error is a stable code; its text also says what to do.
type Error string

func (e Error) Error() string { return string(e) + ": " + e.sentence() }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The reasons why a new module was not written.
const (
	ErrID     = Error("MODULE_ID_INVALID")
	ErrExists = Error("MODULE_FOLDER_EXISTS")
	ErrWrite  = Error("MODULE_NOT_WRITTEN")
)

func (e Error) sentence() string {
	switch e {
	case ErrID:
		return "A module's id is of lower-case words and digits joined by hyphens, like prayer-list, at most 48 " +
			"characters, and not core."
	case ErrExists:
		return "There is something of that name already; nothing was changed."
	}
	return "The module's folder could not be written; nothing of it was kept."
}

// Config describes the module to write.
type Config struct {
	ID      string
	Dir     string // where its folder is created; "": modules of the checkout, or WorkDir without a checkout
	WorkDir string // absolute
	Script  bool   // its server is in TypeScript; else in Go
}

// Module is a module that Write has written.
type Module struct {
	Folder string // absolute
	Inside bool   // in the checkout's modules folder and built with the checkout; else built by itself
	script bool
}

// Write creates the module's folder with all its files, or nothing. In a checkout of the platform, but for a
// folder outside its modules folder, the new folder gets a go.mod that refers to this checkout, and the types
// of the browser SDK and of the kit. Without a checkout it refers to the SDK in the folder narthex-sdk beside
// it, which is exported if it is missing. Errors: ErrID, ErrExists, ErrWrite, and sdkexport's.
func Write(config Config) (Module, error) {
	if !manifest.ValidID(config.ID) {
		return Module{}, ErrID
	}
	checkout := findCheckout(config.WorkDir)
	own, dir := filepath.Join(checkout, "modules"), config.Dir
	switch {
	case dir == "" && checkout != "":
		dir = own
	case !filepath.IsAbs(dir):
		dir = filepath.Join(config.WorkDir, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Module{}, failed(err)
	}
	m := Module{Folder: filepath.Join(dir, config.ID), Inside: checkout != "" && sameFolder(dir, own),
		script: config.Script}
	if err := os.Mkdir(m.Folder, 0o755); errors.Is(err, fs.ErrExist) {
		return Module{}, ErrExists
	} else if err != nil {
		return Module{}, failed(err)
	}
	err := m.writeTemplates(config.ID, checkout == "")
	switch {
	case err != nil:
	case checkout == "":
		err = m.makeExported(config.ID)
	case !m.Inside:
		err = m.makeStandalone(config.ID, checkout)
	}
	if err == nil && m.script {
		err = m.build()
	}
	if err != nil {
		return Module{}, errors.Join(failed(err), os.RemoveAll(m.Folder))
	}
	return m, nil
}

func failed(cause error) error { return fmt.Errorf("%w: %w", ErrWrite, cause) }

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// templateData holds the values of the templates.
type templateData struct {
	ID, Name, Version string
	Inside, Exported  bool
	ServerTypes       string // relative to server-src
}

// writeTemplates writes the module's files. Templates end in .tmpl; other files are copied.
func (m Module) writeTemplates(id string, exported bool) error {
	filled := templateData{ID: id, Name: displayName(id), Version: abi.PlatformVersion, Inside: m.Inside,
		Exported: exported, ServerTypes: m.serverTypes(exported)}
	kind := "template/go"
	if m.script {
		kind = "template/script"
	}
	return errors.Join(m.fill("template/common", filled), m.fill(kind, filled))
}

// fill writes the files of a folder of templates.
func (m Module) fill(folder string, filled templateData) error {
	return fs.WalkDir(files, folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		name, hasWords := strings.CutSuffix(strings.TrimPrefix(path, folder+"/"), ".tmpl")
		if hasWords {
			var text bytes.Buffer
			t, err := template.New(name).Parse(string(content))
			if err == nil {
				err = t.Execute(&text, filled)
			}
			if err != nil {
				return err
			}
			content = text.Bytes()
		}
		return m.write(name, content)
	})
}

func (m Module) write(name string, content []byte) error {
	path := filepath.Join(m.Folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// displayName turns prayer-list into Prayer list.
func displayName(id string) string {
	return strings.ToUpper(id[:1]) + strings.ReplaceAll(id[1:], "-", " ")
}
