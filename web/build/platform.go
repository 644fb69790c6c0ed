package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// maxScript is what the Dashboard's script may weigh on the way to a browser, bytes, compressed.
const maxScript = 100 << 10

// platform builds what the host itself serves and publishes.
func platform() ([]output, error) {
	page, err := os.ReadFile("web/dashboard/index.html")
	if err != nil {
		return nil, err
	}
	script, err := bundle("web/dashboard/main.tsx", api.FormatIIFE, minified)
	if err != nil {
		return nil, err
	}
	if size := compressed(script); size > maxScript {
		return nil, fmt.Errorf("the Dashboard's script weighs %d bytes compressed, %d are allowed", size, maxScript)
	}
	sdk, err := bundle("web/sdk/narthex-sdk.ts", api.FormatESModule, readable)
	if err != nil {
		return nil, err
	}
	types, err := declarations()
	if err != nil {
		return nil, err
	}
	return []output{
		{"web/dist/dashboard/index.html", page},
		{"web/dist/dashboard/app.js", script},
		{"web/dist/sdk/narthex-sdk.js", sdk},
		{"web/dist/sdk/narthex-sdk.d.ts", types},
	}, nil
}

func compressed(script []byte) int {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(script) // into memory, where it cannot fail
	_ = w.Close()
	return packed.Len()
}

// declarations are the SDK's types as its authors import them; only TypeScript itself writes those.
func declarations() ([]byte, error) {
	dir, err := os.MkdirTemp("", "narthex-sdk-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	compiler := exec.Command("web/node_modules/.bin/tsc", "--ignoreConfig", "--declaration", "--emitDeclarationOnly", "--target", "es2022",
		"--module", "esnext", "--outDir", dir, "web/sdk/narthex-sdk.ts")
	if report, err := compiler.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tsc: %w: %s", err, report)
	}
	return os.ReadFile(filepath.Join(dir, "narthex-sdk.d.ts"))
}
