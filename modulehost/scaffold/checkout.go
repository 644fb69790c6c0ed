package scaffold

import (
	_ "embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// platform is the path of the platform's Go module.
const platform = "github.com/narthex-platform/narthex"

// sdk is the path of the SDK's own Go module.
const sdk = platform + "/modulehost/sdk"

//go:embed standalone/tsconfig.json
var typesConfig []byte

// findCheckout returns the folder of the platform's go.mod, dir or one above it; "" if there is none.
func findCheckout(dir string) string {
	for {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if first, _, _ := strings.Cut(string(content), "\n"); err == nil &&
			strings.TrimSpace(first) == "module "+platform {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// makeStandalone makes the folder one that is built without the checkout: with the types of the SDK, and as a
// Go module with the checkout's versions of all libraries, unless its server is a script.
func (m Module) makeStandalone(id, checkout string) error {
	if m.script {
		return m.writeTypes(checkout)
	}
	theirs, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return err
	}
	return errors.Join(
		m.writeTypes(checkout),
		m.write("go.mod", goMod(id, checkout, theirs)),
		m.write("go.sum", sums),
		m.write(".gitignore", []byte("/bin/\n")))
}

// writeTypes writes the files that TypeScript needs to check the page without the checkout: the declarations
// of the SDK, the kit and their libraries, and a configuration that refers to them.
func (m Module) writeTypes(checkout string) error {
	types := os.DirFS(filepath.Join(checkout, "web", "dist", "sdk"))
	err := fs.WalkDir(types, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".d.ts") {
			return err
		}
		content, err := fs.ReadFile(types, path)
		if err != nil {
			return err
		}
		return m.write("types/"+strings.TrimPrefix(path, "types/"), content)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, m.write("tsconfig.json", typesConfig))
}

// goMod returns a go.mod with everything that the checkout requires. With less, Go would ask for go mod
// tidy, which needs the network. The author can run it later to remove what the module does not use.
func goMod(id, checkout string, theirs []byte) []byte {
	required := requirements(theirs)
	delete(required.versions, sdk)
	return goModFile{
		id: id, language: required.language, indirect: required.versions,
		host: checkout, sdk: filepath.Join(checkout, "modulehost", "sdk"),
	}.text()
}
