package bundle

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The files of the published browser SDK that the build of a module needs.
const (
	SDKScript = "narthex-sdk.js"
	KitFile   = "kit.json" // KitParts as JSON
)

// SDK holds what the build of a module's scripts needs of the platform.
type SDK struct {
	Script []byte // the script behind @narthex/sdk
	Kit    KitParts
}

// ReadSDK reads the published browser SDK (web.SDK).
func ReadSDK(from fs.FS) (sdk SDK, err error) {
	if sdk.Script, err = fs.ReadFile(from, SDKScript); err != nil {
		return SDK{}, err
	}
	parts, err := fs.ReadFile(from, KitFile)
	if err == nil {
		err = json.Unmarshal(parts, &sdk.Kit)
	}
	return sdk, err
}

// Script is one script of a module.
type Script struct {
	Path  string // relative to the module's folder
	Bytes []byte
}

// Module builds the scripts of the module in a folder, for all its entries that exist. Apart from the SDK and
// the kit, all imports come from the module: its own files, and packages in its node_modules. An error names
// file, line and column.
func Module(folder string, sdk SDK) ([]Script, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	entries, err := entriesOf(folder)
	if err != nil {
		return nil, err
	}
	var scripts []Script
	for _, entry := range entries {
		options := buildOptions(folder)
		options.Plugins = append(options.Plugins, sdk.plugin(), sdk.Kit.plugin())
		if !strings.HasPrefix(entry.source, "ui-src/") && !strings.HasPrefix(entry.source, "link-src/") {
			OnDisplays(&options)
		}
		built, err := run(options, entry.source, Minified)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, Script{entry.script, built})
	}
	return scripts, nil
}

// entry is the source file of one script, and the script's path in the module's folder.
type entry struct{ source, script string }

// entriesOf finds ui-src/index, display-src/index, link-src/index, and each file of contributions-src. Code
// that several contributions share must be in a subfolder.
func entriesOf(folder string) (entries []entry, err error) {
	stems := []string{"ui-src/index", "display-src/index", "link-src/index"}
	files, err := os.ReadDir(filepath.Join(folder, "contributions-src"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, file := range files {
		name := file.Name()
		ending := filepath.Ext(name)
		stem := "contributions-src/" + strings.TrimSuffix(name, ending)
		if !file.IsDir() && slices.Contains(endings, ending) && !strings.HasSuffix(name, ".d.ts") &&
			!slices.Contains(stems, stem) {
			stems = append(stems, stem)
		}
	}
	for _, stem := range stems {
		found, err := source(filepath.Join(folder, stem))
		if err != nil {
			return nil, err
		}
		if found != "" {
			part, name, _ := strings.Cut(stem, "-src/")
			entries = append(entries, entry{found, filepath.Join(part, name+".js")})
		}
	}
	return entries, nil
}

// plugin resolves @narthex/sdk to the published SDK.
func (s SDK) plugin() api.Plugin {
	return api.Plugin{Name: "SDK", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `^@narthex/sdk$`},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: args.Path, Namespace: "sdk"}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "sdk"},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				script := string(s.Script)
				return api.OnLoadResult{Contents: &script, Loader: api.LoaderJS}, nil
			})
	}}
}

// endings are the file name extensions of sources; the first existing file is used.
var endings = []string{".tsx", ".ts", ".js"}

// source returns the file with one of the extensions, or "" if there is none.
func source(stem string) (string, error) {
	for _, ending := range endings {
		if _, err := os.Stat(stem + ending); err == nil {
			return stem + ending, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
