// Package dashboard serves the Dashboard's two files: the page at / and its one script.
//
// Both are read once at startup. No part of a request selects a file, nothing is read while serving, and no
// principal or cookie is looked at. All responses share the files' bytes and header values, which nobody
// changes.
package dashboard

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// The files of a build, and the element of the page that the service fills in.
const (
	pageFile   = "index.html"
	scriptFile = "app.js"

	originElement = `<meta name="service-api-origin" content="%s">`
	originName    = "service-api-origin"
)

// Service handles the two routes. Safe for concurrent use; it has no goroutines.
type Service struct{ page, script *httpapi.Asset }

// Config holds what a Service serves.
type Config struct {
	// index.html and app.js, and beside it app.js.zst and app.js.gz where they were built
	Build     fs.FS
	APIOrigin environment.Origin // is written into the page
	// Development marks the page for a module's author: it then shows the errors that a module throws.
	Development bool
}

// New reads a build and fills in its page. It fails with ErrAsset when page or script is missing, or when
// the page does not have exactly one empty origin element.
func New(config Config) (*Service, error) {
	build, apiOrigin := config.Build, config.APIOrigin
	page, err := read(build, pageFile)
	if err != nil {
		return nil, err
	}
	script, err := read(build, scriptFile)
	if err != nil {
		return nil, err
	}
	empty := fmt.Appendf(nil, originElement, "")
	if bytes.Count(page, empty) != 1 || bytes.Count(page, []byte(originName)) != 1 {
		return nil, fmt.Errorf("%w: the page has not exactly one empty origin element", ErrAsset)
	}
	page = bytes.Replace(page, empty, fmt.Appendf(nil, originElement, html.EscapeString(string(apiOrigin))), 1)
	if config.Development {
		page = bytes.Replace(page, []byte("<html "), []byte("<html data-development "), 1)
	}
	coded, err := httpapi.EncodeAll(page) // not at build time, because the origin is filled in at the start
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAsset, err)
	}
	return &Service{
		page: httpapi.NewAsset(page, coded, "text/html; charset=utf-8", map[string]string{
			"X-Frame-Options":         "DENY",
			"Content-Security-Policy": "frame-ancestors 'none'",
			"Referrer-Policy":         "no-referrer",
		}),
		script: httpapi.NewAsset(script, codedScripts(build), "text/javascript; charset=utf-8", nil),
	}, nil
}

// codedScripts returns the compressed forms of the script that the build has.
func codedScripts(build fs.FS) (coded []*httpapi.Representation) {
	for _, kept := range []struct{ coding, ending string }{{httpapi.Zstd, ".zst"}, {httpapi.Gzip, ".gz"}} {
		if content, err := fs.ReadFile(build, scriptFile+kept.ending); err == nil {
			coded = append(coded, httpapi.NewRepresentation(content, kept.coding))
		}
	}
	return coded
}

func read(build fs.FS, name string) ([]byte, error) {
	content, err := fs.ReadFile(build, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAsset, err)
	}
	if len(content) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", ErrAsset, name)
	}
	return content, nil
}

// Routes is the Dashboard's part of the route table. Every other path and method gives the table's 404.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/", Head: true, Handle: s.page.Send},
		{Method: "GET", Path: "/assets/service-dashboard/app.js", Head: true, Handle: s.script.Send},
	}
}

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// ErrAsset ends a start: the build of the Dashboard is missing or does not fit this platform.
const ErrAsset = Error("DASHBOARD_HOST_ASSET_UNAVAILABLE")

// Error returns the code.
func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }
