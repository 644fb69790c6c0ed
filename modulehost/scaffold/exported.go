package scaffold

import (
	_ "embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	narthex "github.com/narthex-platform/narthex"
	"github.com/narthex-platform/narthex/modulehost/sdkexport"
)

// SDKFolder is the folder of the exported SDK, beside the modules that are built with it.
const SDKFolder = "narthex-sdk"

// testKit are the libraries that the SDK and its test kit are built of (go list -deps ./modulehost/sdktest).
//
//go:embed testkit.txt
var testKit string

// makeExported makes the folder one that is built with the SDK in the folder beside it: a Go module, unless
// its server is a script. If the SDK is not there, it is exported.
func (m Module) makeExported(id string) error {
	exported := filepath.Join(filepath.Dir(m.Folder), SDKFolder)
	if !sdkexport.IsExport(exported) {
		if err := sdkexport.Write(exported); err != nil {
			return err
		}
	}
	browser := path.Join("..", SDKFolder, sdkexport.BrowserFolder)
	types := strings.NewReplacer(`"./types/narthex-sdk.d.ts"`, `"`+browser+`/narthex-sdk.d.ts"`,
		`"./types/`, `"`+browser+`/types/`)
	err := m.write("tsconfig.json", []byte(types.Replace(string(typesConfig))))
	if err != nil || m.script {
		return err
	}
	return m.makeGoModule(id)
}

// makeGoModule turns the folder into a Go module that is built with the exported SDK.
func (m Module) makeGoModule(id string) error {
	theirs, err := fs.ReadFile(narthex.Host, "go.mod")
	if err != nil {
		return err
	}
	sums, err := fs.ReadFile(narthex.Host, "go.sum")
	if err != nil {
		return err
	}
	all, needed := requirements(theirs), map[string]string{}
	for name := range strings.Lines(testKit) {
		name = strings.TrimSpace(name)
		needed[name] = all.versions[name]
	}
	beside := path.Join("..", SDKFolder)
	file := goModFile{id: id, language: all.language, indirect: needed,
		host: path.Join(beside, sdkexport.HostFolder), sdk: path.Join(beside, sdkexport.GoFolder)}
	for name, content := range map[string][]byte{
		"go.mod": file.text(), "go.sum": sums, ".gitignore": []byte("/bin/\n"),
	} {
		if err := os.WriteFile(filepath.Join(m.Folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
