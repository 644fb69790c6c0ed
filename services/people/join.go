package people

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/narthex-platform/narthex/services/clientaddress"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/ratelimit"
)

// joinRule limits how often one client may inspect a link, and how often it may use one.
var joinRule = ratelimit.Rule{Window: time.Minute, Max: 30}

// busyFor is the Retry-After that a client gets when too many passwords are being hashed.
const busyFor = 5 * time.Second

// limited counts a request before anything in it is checked. A refused client learns how long it has to
// wait.
func (s *Service) limited(rule ratelimit.Rule, path string, handle httpapi.Handler) httpapi.Handler {
	return func(c *httpapi.Call) error {
		key := ratelimit.KeyOf(clientaddress.Of(c.Request.Header), path)
		var err error
		if ok, wait := s.limiter.Allow(rule, key); !ok {
			err = tooMany{wait}
		} else {
			err = handle(c)
		}
		return tellWait(c, err)
	}
}

// tellWait sends with a 429 how long the client has to wait. It returns err.
func tellWait(c *httpapi.Call, err error) error {
	if refused := (tooMany{}); errors.As(err, &refused) {
		seconds := int((refused.wait + time.Second - 1) / time.Second)
		c.Writer.Header().Set("X-Retry-After", strconv.Itoa(seconds))
	}
	return err
}

// inspect is POST /api/v1/invitations/inspect. A token is sent in a body, never in a URL, so that no log or
// history contains it.
func (s *Service) inspect(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		Token string `json:"token"`
	}](c)
	if err != nil {
		return err
	}
	found, err := s.store.live(hashOf(body.Token))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Email string  `json:"email"`
		Name  *string `json:"name"`
	}{found.Email, found.Name})
}

// accept is POST /api/v1/invitations/accept. It looks the token up before it hashes, so that only a valid
// token costs a hash. It opens no session.
func (s *Service) accept(c *httpapi.Call) error {
	body, err := httpapi.Decode[struct {
		Token    string `json:"token"`
		Name     string `json:"name"`
		Password string `json:"password"`
	}](c)
	if err != nil {
		return err
	}
	if !httpapi.IsName(body.Name, maxName) {
		return httpapi.ErrRequest
	}
	if err := s.passwords.CheckPassword(body.Password); err != nil {
		return err
	}
	token := hashOf(body.Token)
	if _, err := s.store.live(token); err != nil {
		return err
	}
	ctx := c.Request.Context()
	hash, err := s.passwords.NewPassword(ctx, body.Password)
	coded := (interface{ Code() string })(nil)
	if errors.As(err, &coded) && coded.Code() == "TOO_MANY_REQUESTS" {
		err = tooMany{busyFor}
	}
	if err != nil {
		return err
	}
	if err := s.store.accept(ctx, s.accounts, s.grants, newMember{token, body.Name, hash}); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]bool{"ok": true})
}
