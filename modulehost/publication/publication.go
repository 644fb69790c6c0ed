// Package publication serves the published parts of the running modules to browsers: their scripts, the
// inventory of their pages, and the descriptor of each display.
//
// The published parts are determined once, by the modules that this process started. Scripts are public,
// because they give no authority: their routes resolve no principal. A request's path segments are keys of a
// map, never parts of a file's name. Everything that is not published gives the same 404, whatever the
// reason. The descriptor of a display needs the display's own permission. A display that does not run has no
// descriptor, so its path gives the same 404 to every caller. It is no secret that a display runs, because
// its script is public.
package publication

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/catalog"
)

// Screens knows the paired screens and sets their cookies. After an error a cookie is unchanged.
type Screens interface {
	// Label returns how administrators call a screen.
	Label(ctx context.Context, deviceID string) (string, error)
	// Renew sets the request's credential cookie again on header when it is due.
	Renew(ctx context.Context, header http.Header, r *http.Request) error
	// ForgetClaim clears the request's claim cookie on header when the claim is no longer valid.
	ForgetClaim(header http.Header, r *http.Request) error
}

// Service handles the routes of publication. Its contents never change, except that Encode compresses the
// scripts. Safe for concurrent use; it has no goroutines of its own.
type Service struct {
	releases map[string]*release // by module id
	ordered  []*release          // by module id
	screens  Screens
	log      *zap.Logger
}

// Config holds the dependencies of a Service. All fields are required.
type Config struct {
	Catalog *catalog.Catalog
	Started catalog.Resolution // the modules that this process started
	Screens Screens
	Log     *zap.Logger
}

// New prepares every script of the modules that run. It opens no files.
func New(config Config) (*Service, error) {
	if config.Catalog == nil || config.Screens == nil || config.Log == nil {
		return nil, errors.New("publication: a catalog, screens and a log are required")
	}
	s := &Service{releases: make(map[string]*release), screens: config.Screens, log: config.Log}
	for _, m := range config.Started.Running() {
		r := newRelease(m)
		s.releases[m.Manifest.ID] = r
		s.ordered = append(s.ordered, r)
	}
	slices.SortFunc(s.ordered, func(a, b *release) int { return cmp.Compare(a.manifest.ID, b.manifest.ID) })
	for _, r := range s.ordered {
		s.contribute(r, config.Catalog)
	}
	return s, nil
}
