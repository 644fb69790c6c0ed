package navigation

import (
	"strings"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	maxGroupID = 64        // characters
	maxLabel   = 80        // characters
	maxOrder   = 1_000_000 // the minimum is 0
)

// Group is a heading.
type Group struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Order int    `json:"order"`
}

// Placement is a module's place.
type Placement struct {
	ModuleID string  `json:"moduleId"`
	GroupID  *string `json:"groupId"` // nil: in no group
	Order    int     `json:"order"`
}

// validGroupID accepts 1 to 64 lower-case letters, digits and hyphens, a lower-case UUID among others.
func validGroupID(id string) bool {
	return id != "" && len(id) <= maxGroupID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func validLabel(label string) bool { return httpapi.IsName(label, maxLabel) }

func validOrder(order int) bool { return order >= 0 && order <= maxOrder }

// groupIDOf returns the path's group id.
func groupIDOf(c *httpapi.Call) (string, error) {
	id := c.Parameter("group")
	if !validGroupID(id) {
		return "", httpapi.ErrRequest
	}
	return id, nil
}

// decodeGroup reads {label, order} for the path's group.
func decodeGroup(c *httpapi.Call) (Group, error) {
	id, err := groupIDOf(c)
	if err != nil {
		return Group{}, err
	}
	body, err := httpapi.Decode[struct {
		Label string `json:"label"`
		Order int    `json:"order"`
	}](c)
	if err != nil {
		return Group{}, err
	}
	if !validLabel(body.Label) || !validOrder(body.Order) {
		return Group{}, httpapi.ErrRequest
	}
	return Group{id, body.Label, body.Order}, nil
}

// decodePlacement reads {groupId, order} for the path's module. groupId may be null, which means no group.
func decodePlacement(c *httpapi.Call) (Placement, error) {
	body, err := httpapi.DecodeNullable[struct {
		GroupID *string `json:"groupId"`
		Order   int     `json:"order"`
	}](c, "groupId")
	if err != nil {
		return Placement{}, err
	}
	if !validOrder(body.Order) || body.GroupID != nil && !validGroupID(*body.GroupID) {
		return Placement{}, httpapi.ErrRequest
	}
	return Placement{c.Parameter("module"), body.GroupID, body.Order}, nil
}
