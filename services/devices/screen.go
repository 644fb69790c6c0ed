package devices

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// pairingResponse is a screen's own pairing in responses.
type pairingResponse struct {
	State       string `json:"state"`
	PairingCode string `json:"pairingCode"`
	ExpiresAt   string `json:"expiresAt"`
}

func (p pairing) response() pairingResponse {
	return pairingResponse{p.State, p.Code, httpapi.Time(p.ExpiresAt)}
}

// ask is POST /api/v1/device-pairing.
func (s *Service) ask(c *httpapi.Call) error {
	err := s.createPairing(c)
	tellWait(c, err)
	return err
}

// tellWait sets the header with the seconds to wait if err is a refusal of too many requests.
func tellWait(c *httpapi.Call, err error) {
	if refused := (tooManyRequests{}); errors.As(err, &refused) {
		seconds := (refused.wait + time.Second - 1) / time.Second
		c.Writer.Header().Set("X-Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}

func (s *Service) createPairing(c *httpapi.Call) error {
	if err := s.checkRate(c); err != nil {
		return err
	}
	body, err := httpapi.Decode[struct {
		ModuleID string `json:"moduleId"`
	}](c)
	if err != nil {
		return err
	}
	if _, running := s.displays.Display(body.ModuleID); !running {
		return ErrDisplayNotFound
	}
	secret, claim := newSecret()
	made := pairingRequest{
		claim:       claim,
		client:      s.client(c),
		moduleID:    body.ModuleID,
		description: describe(c.Request.UserAgent()),
	}
	made.held, made.holds = s.claim.secretHash(c.Request.Header)
	open, fresh, err := s.store.ask(c.Request.Context(), made, s.newCode)
	if err != nil {
		return err
	}
	if !fresh {
		return c.JSON(http.StatusOK, open.response())
	}
	s.claim.set(c.Writer.Header(), secret)
	return c.JSON(http.StatusCreated, open.response())
}

// state is GET /api/v1/device-pairing.
func (s *Service) state(c *httpapi.Call) error {
	claim, ok := s.claim.secretHash(c.Request.Header)
	if !ok {
		return ErrPairingNotFound
	}
	found, err := s.store.pairing(claim)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found.response())
}

// collect is POST /api/v1/device-pairing/claim. It may be repeated until the credential is used for the first
// time, so it does not delete the claim cookie.
func (s *Service) collect(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	value, _ := s.claim.find(c.Request.Header)
	secret, ok := decodeSecret(value)
	if !ok {
		return ErrPairingNotFound
	}
	got, err := s.store.collect(c.Request.Context(), sha256.Sum256(secret),
		func(deviceID string) (string, secretHash) { return deriveCredential(secret, deviceID) })
	if err != nil {
		return err
	}
	s.credential.set(c.Writer.Header(), got.credential)
	return c.JSON(http.StatusOK, struct {
		State    string `json:"state"`
		ModuleID string `json:"moduleId"`
		Label    string `json:"label"`
	}{"claimed", got.moduleID, got.label})
}
