// Package dashboard owns the Dashboard's two files on HTTP: the page at / and its one script (spec.md § Dashboard host).
//
// Both are a snapshot, read and completed once at startup: no request value selects a file, nothing is read while serving, no
// principal is resolved and no cookie looked at. Every answer shares its bytes and header values, which nobody changes.
package dashboard

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"

	"github.com/narthex-platform/narthex/services/environment"
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

// New reads index.html and app.js of a build and writes the API's origin into the page. A build without both, or whose page has not
// exactly one empty origin element, is ErrAsset.
func New(build fs.FS, apiOrigin environment.Origin) (*Service, error) {
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
	return &Service{page: newPage(page), script: newScript(script)}, nil
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
