// Package publication owns what browsers get of the modules that run: the scripts themselves, the inventory
// of UIs that can be mounted, and the descriptor of each display (spec.md § Module UI publication and
// displays; contract.md §4).
//
// What is published is decided once, by what this process started. Scripts are public: they confer no
// authority, so their routes resolve no principal, and a request's segments are keys of a map, never parts
// of a file's name. Whatever is not published, for whichever reason, is the same 404. The descriptor of a
// display stands behind the display's own permission; only for a display that runs is there one, so that
// the descriptor of any other is the same 404 to everybody. That a display runs is no secret: its script is
// public.
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

// Screens keeps paired screens paired.
type Screens interface {
	// Renew sets the request's credential cookie again on header when it is due. An error means that the
	// cookie is still what it was.
	Renew(ctx context.Context, header http.Header, r *http.Request) error
}

// Service answers the routes of publication. It never changes, so it is safe for concurrent use; it runs
// nothing of its own.
type Service struct {
	releases map[string]*release // by module id
	ordered  []*release          // by module id
	screens  Screens
	log      *zap.Logger
}

// Config is what a Service is made of. All fields are required.
type Config struct {
	Catalog *catalog.Catalog
	Started catalog.Resolution // what this process started
	Screens Screens
	Log     *zap.Logger
}

// New prepares every script of the modules that run; it opens nothing.
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
