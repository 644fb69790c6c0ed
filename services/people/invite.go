package people

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

// grantBody is a permission in the body of an invitation.
type grantBody struct {
	PermissionID string  `json:"permissionId"`
	ExpiresAt    *string `json:"expiresAt,omitzero"`
}

// inviteBody is the body of POST /api/v1/invitations.
type inviteBody struct {
	Email  string      `json:"email"`
	Name   *string     `json:"name,omitzero"`
	Grants []grantBody `json:"grants,omitzero"`
}

// invite is POST /api/v1/invitations: 201 for a new one, 200 for one that replaces another. The email is sent
// later.
func (s *Service) invite(c *httpapi.Call) error {
	body, err := httpapi.Decode[inviteBody](c)
	if err != nil {
		return err
	}
	grants, err := s.checkGrants(c, body.Grants)
	if err != nil {
		return err
	}
	made, replaced, err := s.inviteOne(c, body.Email, body.Name, grants)
	if err != nil {
		return tellWait(c, err)
	}
	status := http.StatusCreated
	if replaced {
		status = http.StatusOK
	}
	return respond(c, status, made)
}

// inviteOne makes or replaces one invitation and queues its email.
func (s *Service) inviteOne(
	c *httpapi.Call, email string, name *string, grants []promisedGrant,
) (made invitation, replaced bool, err error) {
	address, ok := s.passwords.ParseAddress(email)
	if !ok || name != nil && !httpapi.IsName(*name, maxName) {
		return made, false, httpapi.ErrRequest
	}
	ctx := c.Request.Context()
	token, hash := newToken()
	made, replaced, err = s.store.invite(ctx, s.grants, newInvitation{
		email: address, name: name, grants: grants,
		token: hash, by: chain.Person(c.UserID()), delivery: new(queued),
	})
	if err == nil {
		s.mailInvitation(ctx, address, token)
	}
	return made, replaced, err
}

// checkGrants checks what needs no database, and that the caller may give permissions. Whether an end is in
// the future is decided by the database's clock.
func (s *Service) checkGrants(c *httpapi.Call, sent []grantBody) (promised []promisedGrant, err error) {
	if len(sent) > maxGrants {
		return nil, httpapi.ErrRequest
	}
	seen := map[string]bool{}
	for _, g := range sent {
		one := promisedGrant{PermissionID: g.PermissionID, Until: g.ExpiresAt}
		if g.ExpiresAt != nil {
			at, ok := httpapi.ParseTime(*g.ExpiresAt)
			if !ok {
				return nil, httpapi.ErrRequest
			}
			one.ExpiresAt = &at
		}
		if g.PermissionID == "" || seen[g.PermissionID] {
			return nil, httpapi.ErrRequest
		}
		seen[g.PermissionID] = true
		promised = append(promised, one)
	}
	for permission := range seen {
		if !s.declared(permission) {
			return nil, ErrPermissionUnknown
		}
	}
	if len(promised) > 0 {
		err = mustHold(c.Request.Context(), c.Caller, manageGrants)
	}
	return promised, err
}

func mustHold(ctx context.Context, caller httpapi.Caller, permission string) error {
	allowed, err := caller.Allowed(ctx, permission)
	if err == nil && !allowed {
		err = httpapi.ErrPermission
	}
	return err
}

func respond(c *httpapi.Call, status int, i invitation) error {
	shown, err := i.shown()
	if err != nil {
		return err
	}
	return c.JSON(status, shown)
}

// resend is POST /api/v1/invitations/{id}/send.
func (s *Service) resend(c *httpapi.Call) error {
	return s.onInvitation(c, func(ctx context.Context, by chain.Actor, id string) (invitation, error) {
		token, hash := newToken()
		sent, err := s.store.send(ctx, by, id, hash)
		if err == nil {
			s.mailInvitation(ctx, *sent.Email, token)
		}
		return sent, err
	})
}

// withdraw is POST /api/v1/invitations/{id}/withdraw.
func (s *Service) withdraw(c *httpapi.Call) error { return s.onInvitation(c, s.store.withdraw) }

func (s *Service) onInvitation(
	c *httpapi.Call, f func(ctx context.Context, by chain.Actor, id string) (invitation, error),
) error {
	id := c.Parameter("id")
	if !isID(id) {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	found, err := f(c.Request.Context(), chain.Person(c.UserID()), id)
	if err != nil {
		return tellWait(c, err)
	}
	return respond(c, http.StatusOK, found)
}

// listInvitations is GET /api/v1/invitations, newest first.
func (s *Service) listInvitations(c *httpapi.Call) error {
	sent, err := httpapi.Query(c.Request.URL.RawQuery, "state", "limit", "cursor")
	if err != nil {
		return err
	}
	q := invitationQuery{state: sent["state"],
		below: store.Place{At: time.UnixMicro(math.MaxInt64), ID: uuid.Max}}
	if q.limit, err = httpapi.PageLimit(sent["limit"]); err != nil {
		return err
	}
	switch q.state {
	case "", open, accepted, withdrawn, expired:
	default:
		return httpapi.ErrRequest
	}
	if text, paged := sent["cursor"]; paged {
		var ok bool
		if q.below, ok = store.ParsePlace(cursorVersion, text); !ok {
			return httpapi.ErrRequest
		}
	}
	found, err := s.store.invitations(c.Request.Context(), q)
	if err != nil {
		return err
	}
	page := struct {
		Invitations []shownInvitation `json:"invitations"`
		NextCursor  *string           `json:"nextCursor"`
	}{Invitations: []shownInvitation{}}
	if len(found) > q.limit {
		found = found[:q.limit]
		last := found[q.limit-1]
		page.NextCursor = new(store.Place{At: last.CreatedAt, ID: uuid.MustParse(last.ID)}.Cursor(cursorVersion))
	}
	for _, i := range found {
		shown, err := i.shown()
		if err != nil {
			return err
		}
		page.Invitations = append(page.Invitations, shown)
	}
	return c.JSON(http.StatusOK, page)
}
