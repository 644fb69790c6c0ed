package authorization

import (
	"time"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// grant is one explicit grant, as stored and as JSON.
type grant struct {
	ID           string  `json:"id"`
	UserID       string  `json:"userId"`
	PermissionID string  `json:"permissionId"`
	Scope        *string `json:"scope"`
	Source       `         json:"source"`
	ExpiresAt    *instant `json:"expiresAt"`
	RevokedAt    *instant `json:"revokedAt"`
	CreatedAt    instant  `json:"createdAt"`
	CreatedBy    *string  `json:"createdBy"`
	Orphaned     bool     `json:"orphaned,omitzero" db:"-"` // nothing installed declares the permission
}

// Source is the origin of a grant.
type Source struct {
	Kind      string  `db:"source_kind"      json:"kind"`
	Reference *string `db:"source_reference" json:"reference"`
}

const explicitSource = "explicit"

// mark marks the grants of permissions that neither the platform nor an installed module declares. They have
// no effect, and have it again when a module declares the permission again.
func (s *Service) mark(grants []grant) {
	for i := range grants {
		grants[i].Orphaned = !s.registry.Declared(grants[i].PermissionID)
	}
}

// issueBody is the body of POST /api/v1/grants. It has no scope: a body with that key is refused.
type issueBody struct {
	UserID       string  `json:"userId"`
	PermissionID string  `json:"permissionId"`
	ExpiresAt    *string `json:"expiresAt,omitzero"`
}

// issuance is a well-formed request for a grant of a declared permission.
type issuance struct {
	userID       string
	permissionID string
	expiresAt    *time.Time // nil: never
	actor        string     // user id of the issuer; empty: no person
}

// checkIssue checks what needs no database. Whether expiresAt is in the future is decided by the database's
// clock.
func (s *Service) checkIssue(body issueBody, actor string) (issuance, error) {
	wanted := issuance{userID: body.UserID, permissionID: body.PermissionID, actor: actor}
	if _, ok := parseID(body.UserID); !ok {
		return wanted, httpapi.ErrRequest
	}
	if body.ExpiresAt != nil {
		at, ok := httpapi.ParseTime(*body.ExpiresAt)
		if !ok {
			return wanted, httpapi.ErrRequest
		}
		wanted.expiresAt = &at
	}
	if s.registry.Baseline(body.PermissionID) == Undeclared {
		return wanted, ErrPermissionUnknown
	}
	return wanted, nil
}

func issuedEntry(issued issuance, grantID string) chain.Entry {
	return grantEntry(chain.GrantIssued, chain.Person(issued.actor), issued.userID, issued.permissionID, grantID)
}

func revokedEntry(actor chain.Actor, userID, permissionID, grantID string) chain.Entry {
	return grantEntry(chain.GrantRevoked, actor, userID, permissionID, grantID)
}

// grantEntry returns the activity entry of a grant. Its subject is the person who has the grant, so that a
// person's history shows their permissions.
func grantEntry(action chain.Action, actor chain.Actor, userID, permissionID, grantID string) chain.Entry {
	return chain.Entry{
		Actor:   actor,
		Action:  action,
		Subject: chain.Subject{Kind: chain.PersonSubject, ID: userID},
		Details: map[string]any{"grantId": grantID, "permissionId": permissionID},
	}
}
