package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sdkFolder holds the files for module authors: the browser SDK, and below types the declarations that the
// kit's own ones need.
const sdkFolder = "web/dist/sdk"

// libraryTypes maps the declarations and licences of the packages that a module may import from the running
// page to the path at which authors find them.
var libraryTypes = map[string]string{
	"preact/src/index.d.ts":                       "preact/src/index.d.ts",
	"preact/src/jsx.d.ts":                         "preact/src/jsx.d.ts",
	"preact/src/dom.d.ts":                         "preact/src/dom.d.ts",
	"preact/hooks/src/index.d.ts":                 "preact/hooks/src/index.d.ts",
	"preact/jsx-runtime/src/index.d.ts":           "preact/jsx-runtime/src/index.d.ts",
	"preact/LICENSE":                              "preact/LICENSE",
	"@preact/signals/dist/signals.d.ts":           "preact-signals/signals.d.ts",
	"@preact/signals-core/dist/signals-core.d.ts": "preact-signals/signals-core.d.ts",
	"@preact/signals/LICENSE":                     "preact-signals/LICENSE",
}

// declarations returns the types of the SDK and of the kit, with all types that they refer to, so that a
// module can be type-checked without the checkout. The TypeScript compiler writes them.
func declarations() ([]output, error) {
	dir, err := os.MkdirTemp("", "narthex-sdk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	compiler := exec.Command("web/node_modules/.bin/tsc", "--ignoreConfig", "--declaration",
		"--emitDeclarationOnly", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler",
		"--jsx", "react-jsx", "--jsxImportSource", "preact", "--rootDir", "web", "--outDir", dir,
		"web/sdk/narthex-sdk.ts", "web/kit/index.ts")
	if report, err := compiler.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tsc: %w: %s", err, report)
	}
	written := os.DirFS(dir)
	sdk, err := fs.ReadFile(written, "sdk/narthex-sdk.d.ts")
	if err != nil {
		return nil, err
	}
	outputs := []output{{sdkFolder + "/narthex-sdk.d.ts", sdk}}
	kit, err := fs.Glob(written, "kit/*.d.ts")
	if err != nil {
		return nil, err
	}
	for _, name := range kit {
		content, err := fs.ReadFile(written, name)
		if err != nil {
			return nil, err
		}
		path := sdkFolder + "/types/narthex-kit/" + strings.TrimPrefix(name, "kit/")
		outputs = append(outputs, output{path, content})
	}
	for from, to := range libraryTypes {
		content, err := os.ReadFile(filepath.Join("web/node_modules", from))
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, output{sdkFolder + "/types/" + to, content})
	}
	return outputs, nil
}
