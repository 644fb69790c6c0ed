package secondfactor

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/services/httpapi"
)

// offer is POST /api/v1/second-factor/options: what the browser needs to use a passkey.
func (s *Service) offer(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	pending, found := s.sessions.PendingOf(c.Request)
	if !found || s.ceremonies == nil {
		return ErrInvalid
	}
	ctx := c.Request.Context()
	who, keys, err := s.store.waiting(ctx, pending)
	if err != nil {
		return err
	}
	options, challenge, err := s.ceremonies.toUse(newHolder(who, keys))
	if err != nil {
		return err
	}
	if err := s.store.challenge(ctx, pending, challenge); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"publicKey": options.Response})
}

// complete is POST /api/v1/second-factor: a passkey's answer, or a recovery code.
func (s *Service) complete(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		Credential   jsontext.Value `json:"credential,omitzero"`
		RecoveryCode *string        `json:"recoveryCode,omitzero"`
	}](c)
	if err != nil {
		return err
	}
	withPasskey := len(body.Credential) > 0
	if withPasskey == (body.RecoveryCode != nil) || withPasskey && body.Credential.Kind() != '{' {
		return httpapi.ErrRequest
	}
	pending, found := s.sessions.PendingOf(c.Request)
	if !found {
		return ErrInvalid
	}
	value, hash := s.sessions.NewSession()
	tried := attempt{pending: pending, session: hash}
	if withPasskey {
		tried.check = func(h holder, challenge []byte) (passkey, bool) {
			if s.ceremonies == nil {
				return passkey{}, false
			}
			return s.ceremonies.used(h, challenge, body.Credential)
		}
	} else if code, ok := parseCode(*body.RecoveryCode); ok {
		tried.code = code[:]
	}
	done, err := s.store.complete(c.Request.Context(), s.accounts, tried)
	if err != nil {
		return tellWait(c, err)
	}
	if !withPasskey {
		s.tell(s.emails.RecoveryCodeUsed, done.address)
	}
	s.sessions.Complete(c.Writer.Header(), value, done.persistent)
	return c.JSON(http.StatusOK, map[string]bool{"ok": true})
}
