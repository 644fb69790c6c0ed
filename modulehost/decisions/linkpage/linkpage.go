// Package linkpage serves the page that people without an account open by a link, and the host script in it
// (docs/reference/browser.md). Both are the same for everybody and contain no data: the secret of a link is
// in the fragment of its address, which browsers send to nobody.
package linkpage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/decisions/displays"
	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	linkPath = "/link/"

	hashDigits = 16 // hexadecimal, of the SHA-256 of the host script
)

// Service serves the routes of the page. It is safe for concurrent use and starts no goroutine.
type Service struct {
	page, script *httpapi.Asset
	scriptPath   string
	runs         map[string]bool // modules that run and have a page for links
}

// New reads a build: index.html and host.js, also as .zst and .gz if they were built. It fails with
// displays.ErrAsset when a file is missing, or when the page does not refer to exactly this host script.
func New(build fs.FS, started catalog.Resolution) (*Service, error) {
	s := &Service{runs: make(map[string]bool)}
	for _, m := range started.Running() {
		s.runs[m.Manifest.ID] = m.Manifest.Link != nil
	}
	script, err := fs.ReadFile(build, "host.js")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", displays.ErrAsset, err)
	}
	page, err := fs.ReadFile(build, "index.html")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", displays.ErrAsset, err)
	}
	sum := sha256.Sum256(script)
	s.scriptPath = linkPath + "host-" + hex.EncodeToString(sum[:])[:hashDigits] + ".js"
	if bytes.Count(page, []byte(`src="`+s.scriptPath+`"`)) != 1 {
		return nil, fmt.Errorf("%w: the page does not name this host script", displays.ErrAsset)
	}
	if s.page, err = displays.NewAsset(build, "index.html", "text/html; charset=utf-8"); err != nil {
		return nil, err
	}
	s.script, err = displays.NewAsset(build, "host.js", "text/javascript; charset=utf-8")
	return s, err
}

// Routes is this package's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: linkPath + "{id}", Head: true, Handle: s.open},
		// Addresses that somebody types by mistake.
		{Method: "GET", Path: strings.TrimSuffix(linkPath, "/"), Head: true, Handle: s.absent},
		{Method: "GET", Path: linkPath, Head: true, Handle: s.absent, Below: true},
	}
}

// open sends the page of a running module, or the host script, whose name changes with every build.
func (s *Service) open(c *httpapi.Call) error {
	switch id := c.Parameter("id"); {
	case linkPath+id == s.scriptPath:
		return s.script.Send(c)
	case s.runs[id]:
		return s.page.Send(c)
	}
	return s.absent(c)
}

// absent sends a browser the page, which says that the link does not work.
func (s *Service) absent(c *httpapi.Call) error {
	if !httpapi.AcceptsHTML(c.Request) {
		return httpapi.ErrNotFound
	}
	return s.page.SendAs(c, http.StatusNotFound)
}
