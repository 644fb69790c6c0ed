// Package dashboard owns the Dashboard's two files on HTTP: the page at / and its one script (spec.md §
// Dashboard host).
//
// Both are a snapshot, read and completed once at startup: no request value selects a file, nothing is read
// while serving, no principal is resolved and no cookie looked at. Every answer shares its bytes and header
// values, which nobody changes.
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

// Service answers the two routes. Safe for concurrent use; it runs nothing of its own.
type Service struct{ page, script *asset }

// Config is what a Service is made of.
type Config struct {
	// index.html and app.js, and beside it app.js.zst and app.js.gz where they were built
	Build     fs.FS
	APIOrigin environment.Origin // is written into the page
	// Development tells the page that whoever looks at it writes modules: it shows what a module throws.
	Development bool
}

// New reads a build and completes its page. A build without page or script, or whose page has not exactly
// one empty origin element, is ErrAsset.
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
	s := &Service{script: newAsset(script, codedScripts(build), "text/javascript; charset=utf-8")}
	if s.page, err = newPage(page); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAsset, err)
	}
	return s, nil
}

// codedScripts are the codings in which the script was built.
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

// Routes is the Dashboard's part of the route table. Every other path and method is the table's ordinary 404.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: "/", Head: true, Handle: s.page.send},
		{Method: "GET", Path: "/assets/service-dashboard/app.js", Head: true, Handle: s.script.send},
	}
}

// Error is a stable code; its cause, if there is one, is wrapped beside it.
type Error string

// ErrAsset ends the start: the build of the Dashboard is missing or does not fit this service.
const ErrAsset = Error("DASHBOARD_HOST_ASSET_UNAVAILABLE")

// Error is the code.
func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }
