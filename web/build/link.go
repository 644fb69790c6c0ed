package main

import (
	"github.com/evanw/esbuild/pkg/api"

	"github.com/narthex-platform/narthex/web/bundle"
)

// link builds the page that links open.
func link() ([]output, error) {
	script, err := bundle.Build("web/link/main.tsx", api.FormatIIFE, bundle.Minified)
	if err != nil {
		return nil, err
	}
	return hashedPage("link", script)
}
