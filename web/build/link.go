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

// link builds the page that links open. It names its script by the script's hash, as a display's page does.
func link() ([]output, error) {
	page, err := pageWithScripts("web/link/index.html")
	if err != nil {
		return nil, err
	}
	script, err := bundle.Build("web/link/main.tsx", api.FormatIIFE, bundle.Minified)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(script)
	const empty = `src="/link/host.js"`
	if bytes.Count(page, []byte(empty)) != 1 {
		return nil, errors.New("the page of links has not exactly one " + empty)
	}
	named := `src="/link/host-` + hex.EncodeToString(sum[:8]) + `.js"`
	pages, err := withCodings("web/dist/link/index.html", bytes.Replace(page, []byte(empty), []byte(named), 1))
	if err != nil {
		return nil, err
	}
	scripts, err := withCodings("web/dist/link/host.js", script)
	return slices.Concat(pages, scripts), err
}
