package navigation

import (
	"mime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	maxGroupID = 64        // characters
	maxLabel   = 80        // characters
	maxOrder   = 1_000_000 // and 0 at least
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

// decodePlacement reads {groupId, order} for the path's module, as strictly as httpapi.Decode, except for
// groupId: null means no group, and it must be present.
func decodePlacement(c *httpapi.Call) (Placement, error) {
	media, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return Placement{}, httpapi.ErrRequest
	}
	var body struct {
		GroupID jsontext.Value `json:"groupId"`
		Order   *int           `json:"order"`
	}
	if err := json.Unmarshal(c.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		return Placement{}, httpapi.ErrRequest
	}
	if body.Order == nil || !validOrder(*body.Order) {
		return Placement{}, httpapi.ErrRequest
	}
	placement := Placement{ModuleID: c.Parameter("module"), Order: *body.Order}
	if body.GroupID.Kind() == 'n' {
		return placement, nil
	}
	var groupID string
	if err := json.Unmarshal(body.GroupID, &groupID); err != nil || !validGroupID(groupID) {
		return Placement{}, httpapi.ErrRequest
	}
	placement.GroupID = &groupID
	return placement, nil
}
