package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The files of the published SDK that the build of a module needs.
const (
	SDKScript = "narthex-sdk.js"
	KitFile   = "kit.json" // KitParts as JSON
	// ServerScript is the script behind @narthex/server.
	ServerScript = "server/narthex-server.js"
)

// SDK holds what the build of a module's scripts needs of the platform.
type SDK struct {
	Script []byte // the script behind @narthex/sdk
	Kit    KitParts
	Server []byte // the script behind @narthex/server
}

// ReadSDK reads the published SDK (web.SDK).
func ReadSDK(from fs.FS) (sdk SDK, err error) {
	if sdk.Script, err = fs.ReadFile(from, SDKScript); err != nil {
		return SDK{}, err
	}
	if sdk.Server, err = fs.ReadFile(from, ServerScript); err != nil {
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
	Path     string // relative to the module's folder
	Bytes    []byte
	Map      []byte   // its source map (ReadSourceMap), to which the script does not refer
	Warnings []string // what its author may have meant otherwise, with file, line and column
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
		options, style := sdk.optionsOf(entry, folder)
		options.Metafile = true
		built, err := run(options, entry.source, style)
		if err != nil {
			return nil, err
		}
		from, err := filepath.Rel(folder, entry.source)
		if err != nil {
			return nil, err
		}
		var described description
		if err := json.Unmarshal([]byte(built.Metafile), &described); err != nil {
			return nil, err
		}
		shared := strings.HasPrefix(entry.script, "contributions/") // it may be what contributions have in common
		if !shared && !described.hasDefaultExport() {
			return nil, fmt.Errorf("%s: it has no default export; %s", from, exportOf(entry))
		}
		script := Script{Path: entry.script}
		for _, file := range built.OutputFiles {
			if strings.HasSuffix(file.Path, ".map") {
				script.Map = file.Contents
			} else {
				script.Bytes = file.Contents
			}
		}
		for _, message := range built.Warnings {
			script.Warnings = append(script.Warnings, located(message, from))
		}
		for _, path := range described.unusedStyles() {
			script.Warnings = append(script.Warnings, path+": nothing uses the text of this style sheet; import it "+
				"as in: import styles from \"./style.css\", and give it to context.addStyle")
		}
		scripts = append(scripts, script)
	}
	return scripts, nil
}

// optionsOf returns how an entry is built. All but Dashboard pages run on displays, or on any phone.
func (s SDK) optionsOf(e entry, folder string) (api.BuildOptions, Style) {
	options := buildOptions(folder)
	if e.script == serverScript {
		return s.onServer(options), Readable
	}
	options.Plugins = append(options.Plugins, resolving("@narthex/sdk", s.Script), s.Kit.plugin())
	options.Sourcemap = api.SourceMapExternal
	if !strings.HasPrefix(e.script, "ui/") && !strings.HasPrefix(e.script, "link/") {
		OnDisplays(&options)
	}
	return options, Minified
}

// description is esbuild's description of a build.
type description struct {
	Inputs  map[string]any `json:"inputs"`
	Outputs map[string]struct {
		Exports []string       `json:"exports"`
		Inputs  map[string]any `json:"inputs"` // those of which the output has something
	} `json:"outputs"`
}

func (d description) hasDefaultExport() bool {
	for _, output := range d.Outputs {
		if slices.Contains(output.Exports, "default") {
			return true
		}
	}
	return false
}

// unusedStyles returns the style sheets that are imported for nothing: a style sheet is imported as its text.
func (d description) unusedStyles() (paths []string) {
	for path := range d.Inputs {
		used := !strings.HasSuffix(path, ".css")
		for _, output := range d.Outputs {
			_, found := output.Inputs[path]
			used = used || found
		}
		if !used {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// entry is the source file of one script, and the script's path in the module's folder.
type entry struct{ source, script string }

// entriesOf finds server-src/index, ui-src/index, display-src/index, link-src/index, and each file of
// contributions-src. Code that several contributions share must be in a subfolder.
func entriesOf(folder string) (entries []entry, err error) {
	stems := []string{"server-src/index", "ui-src/index", "display-src/index", "link-src/index"}
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

// resolving resolves an import to a script of the platform.
func resolving(name string, script []byte) api.Plugin {
	return api.Plugin{Name: name, Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + regexp.QuoteMeta(name) + "$"},
			func(args api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: args.Path, Namespace: "sdk"}, nil
			})
		build.OnLoad(api.OnLoadOptions{Filter: "^" + regexp.QuoteMeta(name) + "$", Namespace: "sdk"},
			func(api.OnLoadArgs) (api.OnLoadResult, error) {
				text := string(script)
				return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, nil
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
