package devices

import (
	"context"
	"net/http"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// codeOf returns the path's code, or ErrPairingNotFound for a text that cannot be a code.
func codeOf(c *httpapi.Call) (string, error) {
	code := c.Parameter("code")
	if !isCode(code) {
		return "", ErrPairingNotFound
	}
	return code, nil
}

// decide runs decision, which names a code, unless the caller has named too many codes of no open pairing.
// Otherwise somebody who may manage devices could reach the screens of others by trying all codes.
func (s *Service) decide(c *httpapi.Call, decision func(context.Context) error) error {
	ctx := c.Request.Context()
	err := s.store.checkMisses(ctx, c.UserID())
	if err == nil {
		err = s.store.countMiss(ctx, c.UserID(), decision(ctx))
	}
	tellWait(c, err)
	return err
}

// request is GET /api/v1/device-pairing/requests/{code}.
func (s *Service) request(c *httpapi.Call) error {
	code, err := codeOf(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	asked, err := s.store.request(ctx, code)
	if err == nil { // after the look-up: of many at once, none that follows the last miss gets a result
		err = s.store.checkMisses(ctx, c.UserID())
	}
	if err = s.store.countMiss(ctx, c.UserID(), err); err != nil {
		tellWait(c, err)
		return err
	}
	display, running := s.displays.Display(asked.ModuleID)
	if !running {
		return ErrDisplayNotFound
	}
	return c.JSON(http.StatusOK, struct {
		PairingCode  string `json:"pairingCode"`
		ModuleID     string `json:"moduleId"`
		ModuleName   string `json:"moduleName"`
		PermissionID string `json:"permissionId"`
		Description  string `json:"description"`
		CreatedAt    string `json:"createdAt"`
		ExpiresAt    string `json:"expiresAt"`
	}{
		code, asked.ModuleID, display.ModuleName, display.Permission, asked.Description,
		httpapi.Time(asked.CreatedAt), httpapi.Time(asked.ExpiresAt),
	})
}

// approve is POST /api/v1/device-pairing/{code}/approve. The device gets the permission that the running
// module's manifest names now.
func (s *Service) approve(c *httpapi.Call) error {
	code, err := codeOf(c)
	if err != nil {
		return err
	}
	label, err := decodeLabel(c)
	if err != nil {
		return err
	}
	decided := approval{
		code:     code,
		label:    label,
		approver: c.Caller.Principal().UserID,
		permission: func(moduleID string) (string, error) {
			display, running := s.displays.Display(moduleID)
			if !running {
				return "", ErrDisplayNotFound
			}
			return display.Permission, nil
		},
	}
	var made device
	err = s.decide(c, func(ctx context.Context) (err error) {
		made, err = s.store.approve(ctx, decided)
		return err
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, made.response())
}

// reject is POST /api/v1/device-pairing/{code}/reject.
func (s *Service) reject(c *httpapi.Call) error {
	code, err := codeOf(c)
	if err != nil {
		return err
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	err = s.decide(c, func(ctx context.Context) error { return s.store.reject(ctx, code) })
	if err != nil {
		return err
	}
	c.Writer.Header().Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}
