package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

// display builds what screens on a wall load: the page, the host script and the service worker. The page
// names the host script by its hash, so that they always belong together. The worker has no compressed
// copies, because it is served uncompressed.
func display() ([]output, error) {
	page, err := pageWithScripts("web/display/index.html")
	if err != nil {
		return nil, err
	}
	script, err := bundle.Build("web/display/main.tsx", api.FormatIIFE, bundle.Minified, bundle.OnDisplays)
	if err != nil {
		return nil, err
	}
	worker, err := bundle.Build("web/display/worker.ts", api.FormatIIFE, bundle.Minified, bundle.OnDisplays)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(script)
	hash := hex.EncodeToString(sum[:8])
	for _, place := range []struct{ empty, filled string }{
		{`name="narthex-display" content=""`, `name="narthex-display" content="` + hash + `"`},
		{`src="/display/host.js"`, `src="/display/host-` + hash + `.js"`},
	} {
		if bytes.Count(page, []byte(place.empty)) != 1 {
			return nil, errors.New("the display's page has not exactly one " + place.empty)
		}
		page = bytes.Replace(page, []byte(place.empty), []byte(place.filled), 1)
	}
	pages, err := withCodings("web/dist/display/index.html", page)
	if err != nil {
		return nil, err
	}
	scripts, err := withCodings("web/dist/display/host.js", script)
	if err != nil {
		return nil, err
	}
	return slices.Concat(pages, scripts, []output{{"web/dist/display/worker.js", worker}}), nil
}
