// Package dashboard serves the Dashboard's files: the page at /, its script, and the scripts of the
// administration, the account and imports of files, which browsers load only for one of their screens.
//
// All are read once at startup. No part of a request selects a file, nothing is read from disk while serving,
// and principal and cookies are ignored. All responses share the files' bytes and header values, which must
// not be changed.
package dashboard

import (
	"bytes"
	"fmt"
	"html"
	"io/fs"
	"net/http"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// The files of a build, and the element of the page into which the service writes the API's origin.
const (
	pageFile = "index.html"

	originElement = `<meta name="service-api-origin" content="%s">`
	originName    = "service-api-origin"
)

// scriptFiles are the scripts of a build.
var scriptFiles = [...]string{"app.js", "administration.js", "account.js", "files.js"}

// Service serves the files. It is safe for concurrent use and starts no goroutine.
type Service struct {
	page    *httpapi.Asset
	scripts [len(scriptFiles)]*httpapi.Asset
}

// Config configures a Service.
type Config struct {
	// Build has index.html, app.js, administration.js, account.js and files.js, and for each script its .zst
	// and .gz if they were built.
	Build     fs.FS
	APIOrigin environment.Origin // is written into the page
	// Development marks the page for a module's author. The page then shows the errors that a module throws.
	Development bool
}

// New reads a build and fills in its page. It fails with ErrAsset when page or a script is missing, or
// when the page does not have exactly one empty origin element.
func New(config Config) (*Service, error) {
	build, apiOrigin := config.Build, config.APIOrigin
	page, err := read(build, pageFile)
	if err != nil {
		return nil, err
	}
	s := &Service{}
	for n, name := range scriptFiles {
		if s.scripts[n], err = newScript(build, name); err != nil {
			return nil, err
		}
	}
	empty := fmt.Appendf(nil, originElement, "")
	if bytes.Count(page, empty) != 1 || bytes.Count(page, []byte(originName)) != 1 {
		return nil, fmt.Errorf("%w: the page has not exactly one empty origin element", ErrAsset)
	}
	origin := html.EscapeString(string(apiOrigin))
	page = bytes.Replace(page, empty, fmt.Appendf(nil, originElement, origin), 1)
	if config.Development {
		page = bytes.Replace(page, []byte("<html "), []byte("<html data-development "), 1)
	}
	s.page = httpapi.NewPage(page, "text/html; charset=utf-8", map[string]string{
		"X-Frame-Options":         "DENY",
		"Content-Security-Policy": "frame-ancestors 'none'",
		"Referrer-Policy":         "no-referrer",
	})
	return s, nil
}

// Encode compresses the page, which the first browser would otherwise wait for.
func (s *Service) Encode() { s.page.Encode() }

// Absent sends a browser the page for an address without a route, with status 404. The page takes the path
// for a fragment that somebody typed, and says if there is nothing.
func (s *Service) Absent(c *httpapi.Call) error { return s.page.SendAs(c, http.StatusNotFound) }

// changePassword sends password managers to the person's account (W3C: A Well-Known URL for Changing
// Passwords).
func changePassword(c *httpapi.Call) error {
	header := c.Writer.Header()
	header.Set("Location", "/#/account")
	header.Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusFound)
	return nil
}

// newScript reads a script, and its compressed forms if the build has them.
func newScript(build fs.FS, name string) (*httpapi.Asset, error) {
	script, err := read(build, name)
	if err != nil {
		return nil, err
	}
	var coded []*httpapi.Representation
	for _, kept := range []struct{ coding, ending string }{{httpapi.Zstd, ".zst"}, {httpapi.Gzip, ".gz"}} {
		if content, err := fs.ReadFile(build, name+kept.ending); err == nil {
			coded = append(coded, httpapi.NewRepresentation(content, kept.coding))
		}
	}
	return httpapi.NewAsset(script, coded, "text/javascript; charset=utf-8", nil), nil
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

// ErrAsset ends a start: the build of the Dashboard is missing or does not match this platform.
const ErrAsset = httpapi.Error("DASHBOARD_HOST_ASSET_UNAVAILABLE")
