// Package feeds owns the addresses at which programs fetch what a person may see: a phone's calendar, a
// reader of news. Modules offer some of their reads as feeds (docs/modules.md); a person makes an address for
// one of them, gives it to a program, and ends it when they like.
//
// A feed of the house, as for its website, is no person's: it has the one permission of a link
// (services/links), which is a restricted one of the module.
//
// An address contains a secret of 256 random bits, of which the database stores only the hash. A fetch has
// the rights of the person at that moment: whoever is deactivated, erased or has lost the permission feeds
// nobody from the next fetch on. Whatever is wrong with an address, the response is the same 404. Writing is
// impossible: a feed is one GET with a fixed path and query.
package feeds

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/environment"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/principal"
	"github.com/narthex-platform/narthex/services/ratelimit"
	"github.com/narthex-platform/narthex/services/store"
)

// Limiter counts each feed's fetches.
type Limiter interface {
	// Allow counts a request. When it refuses, it returns how long the client has to wait.
	Allow(rule ratelimit.Rule, key ratelimit.Key) (ok bool, retryAfter time.Duration)
}

// Authorizer returns the permissions of a principal.
type Authorizer interface {
	Caller(p principal.Principal) httpapi.Caller
}

// Links makes the principals of the house's feeds, in the transaction that makes or ends the feed.
type Links interface {
	CreateIn(ctx context.Context, tx *store.Tx, moduleID, permissionID, subject string) (id string, err error)
	RevokeIn(ctx context.Context, tx *store.Tx, id string) error
}

// Service serves the routes of feeds. It is safe for concurrent use and starts no goroutine.
type Service struct {
	store      *Store
	authorizer Authorizer
	limiter    Limiter
	restricted func(permissionID string) bool
	base       environment.Origin
	log        *zap.Logger
}

// Config configures a Service. All fields are required.
type Config struct {
	Store      *Store
	Authorizer Authorizer
	Limiter    Limiter
	Restricted func(permissionID string) bool // whether not everybody has it who signs in
	BaseURL    environment.Origin
	Log        *zap.Logger
}

// New makes a Service.
func New(config Config) (*Service, error) {
	if config.Store == nil || config.Authorizer == nil || config.Limiter == nil ||
		config.Restricted == nil || config.Log == nil {
		return nil, errors.New("feeds: store, authorizer, limiter, what is restricted and log are required")
	}
	return &Service{config.Store, config.Authorizer, config.Limiter, config.Restricted, config.BaseURL,
		config.Log}, nil
}

// offers are the reads that modules offer to programs, by module and path.
type offers struct {
	service *Service
	all     []offer
}

// offer is one of them. path is relative to the module's routes.
type offer struct {
	path  string
	route httpapi.Route
}

func (o *offers) find(moduleID, path string) (offer, bool) {
	for _, one := range o.all {
		if one.route.Module == moduleID && one.path == path {
			return one, true
		}
	}
	return offer{}, false
}

// name returns the last segment of the path, which ends the address, because some programs choose what to do
// with a file by its name.
func (o offer) name() string { return o.path[strings.LastIndexByte(o.path, '/')+1:] }

// forHouse reports whether an address of it can be the house's: the link gets nothing but a permission of the
// module that nobody has without a grant.
func (o *offers) forHouse(one offer) bool {
	permission := one.route.Permission
	return strings.HasPrefix(permission, one.route.Module+".") && o.service.restricted(permission)
}

func offersOf(s *Service, table []httpapi.Route) *offers {
	found := &offers{service: s}
	for _, route := range table {
		if route.Feed == "" {
			continue
		}
		path := strings.TrimPrefix(route.Path, modulesPath+route.Module)
		found.all = append(found.all, offer{path, route})
	}
	return found
}
