package devices

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/activity/chain"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// deviceResponse is a device in responses to administrators.
type deviceResponse struct {
	ID           string  `json:"id"`
	Label        string  `json:"label"`
	ModuleID     string  `json:"moduleId"`
	PermissionID string  `json:"permissionId"`
	CreatedAt    string  `json:"createdAt"`
	CreatedBy    *string `json:"createdBy"`
	LastSeenAt   *string `json:"lastSeenAt"`
	RevokedAt    *string `json:"revokedAt"`
}

func (d device) response() deviceResponse {
	return deviceResponse{d.ID, d.Label, d.ModuleID, d.PermissionID, httpapi.Time(d.CreatedAt), d.CreatedBy,
		optionalTime(d.LastSeenAt), optionalTime(d.RevokedAt)}
}

func optionalTime(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(httpapi.Time(*t))
}

// displayResponse is a display that can be opened.
type displayResponse struct {
	ModuleID string `json:"moduleId"`
	Name     string `json:"name"`
	Path     string `json:"path"`
}

// list is GET /api/v1/devices.
func (s *Service) list(c *httpapi.Call) error {
	all, err := s.store.devices(c.Request.Context())
	if err != nil {
		return err
	}
	devices := make([]deviceResponse, 0, len(all))
	for _, d := range all {
		devices = append(devices, d.response())
	}
	running := s.displays.Displays()
	displays := make([]displayResponse, 0, len(running))
	for _, d := range running {
		displays = append(displays, displayResponse{d.ModuleID, d.ModuleName, "/display/" + d.ModuleID})
	}
	return c.JSON(http.StatusOK, struct {
		Devices  []deviceResponse  `json:"devices"`
		Displays []displayResponse `json:"displays"`
	}{devices, displays})
}

// PairedScreens returns for each module how many devices show it. Revoked devices are not counted.
func (s *Service) PairedScreens(ctx context.Context, moduleIDs []string) (map[string]int, error) {
	return s.store.countPaired(ctx, moduleIDs)
}

// rename is PUT /api/v1/devices/{id}.
func (s *Service) rename(c *httpapi.Call) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	label, err := decodeLabel(c)
	if err != nil {
		return err
	}
	renamed, err := s.store.rename(c.Request.Context(), chain.Person(c.UserID()), id, label)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, renamed.response())
}

// revoke is POST /api/v1/devices/{id}/revoke.
func (s *Service) revoke(c *httpapi.Call) error {
	id, err := idOf(c)
	if err != nil {
		return err
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	revoked, err := s.store.revoke(c.Request.Context(), chain.Person(c.UserID()), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, revoked.response())
}

// idOf returns the path's device id. Only the lowercase format with hyphens is accepted.
func idOf(c *httpapi.Call) (string, error) {
	text := c.Parameter("id")
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return "", httpapi.ErrRequest
	}
	return text, nil
}

const maxLabel = 80 // characters

// decodeLabel reads the label of a body {"label": ...}.
func decodeLabel(c *httpapi.Call) (string, error) {
	body, err := httpapi.Decode[struct {
		Label string `json:"label"`
	}](c)
	if err != nil {
		return "", err
	}
	if !httpapi.IsName(body.Label, maxLabel) {
		return "", httpapi.ErrRequest
	}
	return body.Label, nil
}
