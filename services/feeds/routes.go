package feeds

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	readAccount = "core.account.read"
	manageLinks = "core.links.manage"

	feedsPath   = "/api/v1/feeds"
	modulesPath = "/api/v1/modules/"

	maxPath  = 512 // bytes, also of a query
	maxLabel = 80  // characters
)

// Routes is this package's part of the route table. table are the rows of the modules, some of which are
// offered as feeds.
func (s *Service) Routes(table []httpapi.Route) []httpapi.Route {
	o := offersOf(s, table)
	return []httpapi.Route{
		{Method: "GET", Path: feedsPath, Permission: readAccount, Handle: o.list},
		{Method: "GET", Path: feedsPath + "/house", Permission: manageLinks, Handle: o.listOfHouse},
		httpapi.Write("POST", feedsPath, readAccount, o.make),
		httpapi.Write("POST", feedsPath+"/{id}/revoke", readAccount, o.revoke),
		httpapi.Write("POST", feedsPath+"/{id}/renew", readAccount, o.renew),
		// the secret in the path is the only authentication
		{Method: "GET", Path: feedsPath + "/{secret}/{name}", Head: true, Handle: o.fetch},
	}
}

// shownFeed is a feed in the form that its person gets. The address is not stored, so it is not in it.
type shownFeed struct {
	ID         string  `json:"id"`
	ModuleID   string  `json:"moduleId"`
	Path       string  `json:"path"`
	Label      string  `json:"label"`
	CreatedAt  string  `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`
	RevokedAt  *string `json:"revokedAt"`
}

func (f feed) shown() shownFeed {
	return shownFeed{f.ID, f.ModuleID, f.Path, f.Label, httpapi.Time(f.CreatedAt), optionalTime(f.LastUsedAt),
		optionalTime(f.RevokedAt)}
}

func optionalTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(httpapi.Time(*t))
}

// shownOffer is a read for which the person may make an address. House is true if that can be the house's.
type shownOffer struct {
	ModuleID string `json:"moduleId"`
	Path     string `json:"path"`
	Type     string `json:"type"`
	House    bool   `json:"house"`
}

// list is GET /api/v1/feeds: the caller's own feeds, the newest first, and what they may make feeds of.
func (o *offers) list(c *httpapi.Call) error { return o.show(c, new(c.UserID())) }

// listOfHouse is GET /api/v1/feeds/house: the same of the feeds of the house.
func (o *offers) listOfHouse(c *httpapi.Call) error { return o.show(c, nil) }

// show responds with the feeds of a person, or with nil of the house.
func (o *offers) show(c *httpapi.Call, personID *string) error {
	ctx := c.Request.Context()
	all, err := o.service.store.list(ctx, personID)
	if err != nil {
		return err
	}
	feeds, offered := make([]shownFeed, 0, len(all)), make([]shownOffer, 0, len(o.all))
	for _, one := range all {
		feeds = append(feeds, one.shown())
	}
	for _, one := range o.all {
		allowed, err := c.Caller.Allowed(ctx, one.route.Permission)
		if err != nil {
			return err
		}
		if house := o.forHouse(one); allowed && (house || personID != nil) {
			offered = append(offered, shownOffer{one.route.Module, one.path, one.route.Feed, house})
		}
	}
	return c.JSON(http.StatusOK, struct {
		Feeds  []shownFeed  `json:"feeds"`
		Offers []shownOffer `json:"offers"`
	}{feeds, offered})
}

// madeFeed is the only response that has an address.
type madeFeed struct {
	ID  string `json:"id"`
	URL string `json:"url"`
}

// make is POST /api/v1/feeds.
func (o *offers) make(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		ModuleID string `json:"moduleId"`
		Path     string `json:"path"`
		Query    string `json:"query,omitzero"`
		Label    string `json:"label"`
		House    bool   `json:"house,omitzero"`
	}](c)
	if err != nil {
		return err
	}
	if !httpapi.IsName(body.Label, maxLabel) || len(body.Path) > maxPath || !isQuery(body.Query) {
		return httpapi.ErrRequest
	}
	offer, found := o.find(body.ModuleID, body.Path)
	if !found {
		return ErrNotFound
	}
	ctx := c.Request.Context()
	if allowed, err := c.Caller.Allowed(ctx, offer.route.Permission); err != nil {
		return err
	} else if !allowed {
		return httpapi.ErrPermission
	}
	if body.House {
		if allowed, err := c.Caller.Allowed(ctx, manageLinks); err != nil {
			return err
		} else if !allowed {
			return httpapi.ErrPermission
		}
		if !o.forHouse(offer) {
			return httpapi.ErrRequest
		}
	}
	secret, hash := newSecret()
	id, err := o.service.store.make(ctx, newFeed{
		maker: c.UserID(), house: body.House, permissionID: offer.route.Permission, hash: hash,
		moduleID: body.ModuleID, path: body.Path, query: body.Query, label: body.Label,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, madeFeed{id, o.address(secret, offer.path)})
}

func isQuery(query string) bool {
	_, err := url.ParseQuery(query)
	return err == nil && len(query) <= maxPath && !strings.ContainsFunc(query, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || r == '#'
	})
}

func (o *offers) address(secret, path string) string {
	return string(o.service.base) + feedsPath + "/" + secret + "/" + offer{path: path}.name()
}

// revoke is POST /api/v1/feeds/{id}/revoke.
func (o *offers) revoke(c *httpapi.Call) error {
	by, id, err := decide(c)
	if err != nil {
		return err
	}
	revoked, err := o.service.store.revoke(c.Request.Context(), by, id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, revoked.shown())
}

// renew is POST /api/v1/feeds/{id}/renew. The former address stops working.
func (o *offers) renew(c *httpapi.Call) error {
	by, id, err := decide(c)
	if err != nil {
		return err
	}
	secret, hash := newSecret()
	renewed, err := o.service.store.renew(c.Request.Context(), by, id, hash)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, madeFeed{id, o.address(secret, renewed.Path)})
}

// decide reads the id of the path and the empty body, and whether the caller may change feeds of the house.
func decide(c *httpapi.Call) (by caller, id string, err error) {
	id = c.Parameter("id")
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return caller{}, "", httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return caller{}, "", err
	}
	manages, err := c.Caller.Allowed(c.Request.Context(), manageLinks)
	if errors.Is(err, httpapi.ErrFactorMissing) { // one's own feeds need no second factor
		err = nil
	}
	return caller{c.UserID(), manages}, id, err
}
