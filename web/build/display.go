package main

import (
	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

// display builds what screens on a wall load: the page, the host script and the service worker. The worker
// has no compressed copies, because it is served uncompressed.
func display() ([]output, error) {
	script, err := bundle.Build("web/display/main.tsx", api.FormatIIFE, bundle.Minified, bundle.OnDisplays)
	if err != nil {
		return nil, err
	}
	worker, err := bundle.Build("web/display/worker.ts", api.FormatIIFE, bundle.Minified, bundle.OnDisplays)
	if err != nil {
		return nil, err
	}
	outputs, err := hashedPage("display", script)
	return append(outputs, output{"web/dist/display/worker.js", worker}), err
}
