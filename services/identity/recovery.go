package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/httpapi"
)

// recoverySchema is an address beside a callback, which is checked for its type alone.
func recoverySchema(callback string) []field {
	return []field{emailField(), {name: callback, kind: "string", optional: true}}
}

// requestPasswordReset and sendVerificationEmail do nothing but post a letter: the database is asked when the letter's turn comes. So
// they answer alike, and in the same time, for everybody and whatever is broken (spec.md § Identity).
func (s *Service) requestPasswordReset(c *httpapi.Call, in input) error {
	s.post(s.resetLetter(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, resetSentBody)
}

func (s *Service) sendVerificationEmail(c *httpapi.Call, in input) error {
	s.post(s.verificationLetter(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, statusBody)
}

// post does not tell whether the letter found room: who asked must not learn it, and the outbox logs what it drops.
func (s *Service) post(letter mail.Letter) { s.outbox.Post(letter) }

// resetLetter goes to whoever has the address, verified or not.
func (s *Service) resetLetter(address string) mail.Letter {
	return func(ctx context.Context) (mail.Message, bool) {
		token, hash := mintToken()
		if !s.issued(s.store.issueReset(ctx, address, hash)) {
			return mail.Message{}, false
		}
		return s.letters.reset(address, token), true
	}
}

// verificationLetter goes to who has the address and has not confirmed it.
func (s *Service) verificationLetter(address string) mail.Letter {
	return func(ctx context.Context) (mail.Message, bool) {
		token, hash := mintToken()
		if !s.issued(s.store.issueVerification(ctx, address, hash)) {
			return mail.Message{}, false
		}
		return s.letters.verification(address, token), true
	}
}

func (s *Service) issued(err error) bool {
	if err != nil && !errors.Is(err, errNoPerson) {
		s.log.Error("identity failed")
	}
	return err == nil
}

func resetSchema() []field {
	return []field{{name: "newPassword", kind: "string"}, {name: "token", kind: "string", optional: true}}
}

// resetPassword hashes before it looks at the token, so that a bad token costs as much as a good one.
func (s *Service) resetPassword(c *httpapi.Call, in input) error {
	if err := checkLength(in.text("newPassword")); err != nil {
		return err
	}
	ctx := c.Request.Context()
	hash, err := s.passwords.hash(ctx, in.text("newPassword"))
	if err != nil {
		return err
	}
	token, ok := openToken(in.text("token"))
	if !ok {
		return errInvalidToken
	}
	if err := s.store.replacePassword(ctx, token, hash); err != nil {
		return err
	}
	return c.RawJSON(http.StatusOK, statusBody)
}

// verifyEmail may be asked again while the link lives: mail programs and people follow links twice.
func (s *Service) verifyEmail(c *httpapi.Call) error {
	text, err := linkToken(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	token, ok := openToken(text)
	if !ok {
		return errInvalidLink
	}
	if err := s.store.verify(c.Request.Context(), token); err != nil {
		return err
	}
	return c.RawJSON(http.StatusOK, verifiedBody)
}

func linkToken(rawQuery string) (string, error) {
	query, _ := url.ParseQuery(rawQuery)
	var faults []string
	switch tokens := query["token"]; len(tokens) {
	case 0:
		faults = append(faults, "[query.token] "+expected("string", "undefined"))
	case 1:
	default:
		faults = append(faults, "[query.token] "+expected("string", "array"))
	}
	if len(query["callbackURL"]) > 1 {
		faults = append(faults, "[query.callbackURL] "+expected("string", "array"))
	}
	if len(faults) > 0 {
		return "", invalid(strings.Join(faults, "; "))
	}
	return query.Get("token"), nil
}
