package secondfactor

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/narthex-platform/narthex/services/httpapi"
)

const (
	readAccount = "core.account.read"

	passkeysPath = "/api/v1/account/passkeys"
	codesPath    = "/api/v1/account/recovery-codes"
	signInPath   = "/api/v1/second-factor"

	maxLabel = 80 // characters
)

// Routes is this package's part of the route table.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Method: "GET", Path: passkeysPath, Permission: readAccount, Handle: s.list},
		httpapi.Write("POST", passkeysPath+"/options", readAccount, s.offerNew),
		httpapi.Write("POST", passkeysPath, readAccount, s.add),
		httpapi.Write("POST", passkeysPath+"/{id}/remove", readAccount, s.remove),
		httpapi.Write("POST", codesPath, readAccount, s.replaceCodes),
		// the cookie of the pending sign-in is the only authentication
		httpapi.Write("POST", signInPath+"/options", "", s.offer),
		httpapi.Write("POST", signInPath, "", s.complete),
	}
}

// shownPasskey is a passkey in the form that its person gets.
type shownPasskey struct {
	ID         string  `json:"id"`
	Label      string  `json:"label"`
	CreatedAt  string  `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`

	RecoveryCodes []string `json:"recoveryCodes,omitempty"` // of the first passkey alone, when it is made
}

func (p passkey) shown() shownPasskey {
	shown := shownPasskey{ID: p.ID, Label: p.Label, CreatedAt: httpapi.Time(p.CreatedAt)}
	if p.LastUsedAt != nil {
		shown.LastUsedAt = new(httpapi.Time(*p.LastUsedAt))
	}
	return shown
}

// list is GET /api/v1/account/passkeys.
func (s *Service) list(c *httpapi.Call) error {
	keys, codesLeft, err := s.store.list(c.Request.Context(), c.UserID())
	if err != nil {
		return err
	}
	shown := make([]shownPasskey, len(keys))
	for i, key := range keys {
		shown[i] = key.shown()
	}
	return c.JSON(http.StatusOK, struct {
		Passkeys  []shownPasskey `json:"passkeys"`
		CodesLeft int            `json:"recoveryCodesLeft"`
	}{shown, codesLeft})
}

// offerNew is POST /api/v1/account/passkeys/options: what the browser needs to make a passkey.
func (s *Service) offerNew(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	if s.ceremonies == nil {
		return ErrUnavailable
	}
	ctx := c.Request.Context()
	found, keys, err := s.store.person(ctx, c.UserID())
	if err != nil {
		return err
	}
	house, _, _ := s.house.Letterhead()
	options, challenge, err := s.ceremonies.toMake(newHolder(found, keys), house)
	if err != nil {
		return err
	}
	if err := s.store.begin(ctx, s.owner(c), challenge); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"publicKey": options.Response})
}

// owner returns the person and the session of a request.
func (s *Service) owner(c *httpapi.Call) owner {
	return owner{userID: c.UserID(), session: s.sessions.SessionOf(c.Request)}
}

// add is POST /api/v1/account/passkeys. The first passkey comes with recovery codes.
func (s *Service) add(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		Label      string         `json:"label"`
		Credential jsontext.Value `json:"credential"`
	}](c)
	if err != nil {
		return err
	}
	if !httpapi.IsName(body.Label, maxLabel) || body.Credential.Kind() != '{' {
		return httpapi.ErrRequest
	}
	if s.ceremonies == nil {
		return ErrUnavailable
	}
	codes, hashes := newCodes()
	added, err := s.store.add(c.Request.Context(), s.owner(c), addition{
		label: body.Label,
		check: func(h holder, challenge []byte) (passkey, bool) {
			return s.ceremonies.made(h, challenge, body.Credential)
		},
		codes: hashes,
	})
	if err != nil {
		return err
	}
	s.tell(s.emails.PasskeyAdded, added.address)
	shown := added.key.shown()
	if added.first {
		shown.RecoveryCodes = codes
	}
	return c.JSON(http.StatusCreated, shown)
}

// remove is POST /api/v1/account/passkeys/{id}/remove. It succeeds also when there is no such passkey.
func (s *Service) remove(c *httpapi.Call) error {
	id := c.Parameter("id")
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return httpapi.ErrRequest
	}
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	address, removed, err := s.store.remove(c.Request.Context(), s.owner(c), id)
	if err != nil {
		return err
	}
	if removed {
		s.tell(s.emails.PasskeyRemoved, address)
	}
	c.Writer.Header().Set("Cache-Control", "no-store")
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// replaceCodes is POST /api/v1/account/recovery-codes. The former codes stop working.
func (s *Service) replaceCodes(c *httpapi.Call) error {
	if err := httpapi.DecodeEmpty(c); err != nil {
		return err
	}
	codes, hashes := newCodes()
	if err := s.store.replaceCodes(c.Request.Context(), s.owner(c), hashes); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]string{"recoveryCodes": codes})
}

// tellWait sends with a 429 how long the client has to wait. It returns err.
func tellWait(c *httpapi.Call, err error) error {
	if refused := (tooMany{}); errors.As(err, &refused) {
		seconds := int((refused.wait + time.Second - 1) / time.Second)
		c.Writer.Header().Set("X-Retry-After", strconv.Itoa(max(seconds, 1)))
	}
	return err
}
