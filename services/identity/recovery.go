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

// requestPasswordReset and sendVerificationEmail do nothing but post a letter: the database is asked when
// the letter's turn comes. So they answer alike, and in the same time, for everybody and whatever is broken
// (spec.md § Identity).
func (s *Service) requestPasswordReset(c *httpapi.Call, in input) error {
	s.post(s.resetEmail(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, resetSentBody)
}

func (s *Service) sendVerificationEmail(c *httpapi.Call, in input) error {
	s.post(s.verificationEmail(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, statusBody)
}

// post does not tell whether the letter found room: who asked must not learn it, and the outbox logs what
// it drops.
func (s *Service) post(letter mail.Email) { s.outbox.Post(letter) }

// resetLetter goes to whoever has the address, verified or not.
func (s *Service) resetEmail(address string) mail.Email {
	return s.linkEmail(resetLinks, address, s.emails.reset)
}

// verificationLetter goes to who has the address and has not confirmed it.
func (s *Service) verificationEmail(address string) mail.Email {
	return s.linkEmail(verificationLinks, address, s.emails.verification)
}

// linkLetter issues a link when the letter's turn comes, and withdraws it when the letter does not leave:
// it would keep a place that a person's next request needs.
func (s *Service) linkEmail(
	kind linkKind,
	address string,
	write func(address, token string) mail.Message,
) mail.Email {
	token, hash := newToken()
	return mail.Email{
		Compose: func(ctx context.Context) (mail.Message, bool) {
			switch err := s.store.issue(ctx, kind, address, hash); {
			case errors.Is(err, errNoLink):
				return mail.Message{}, false
			case err != nil:
				s.log.Error("identity failed")
				return mail.Message{}, false
			}
			return write(address, token), true
		},
		Done: func(ctx context.Context, outcome mail.SendResult) {
			if outcome == mail.Sent {
				return
			}
			if err := s.store.withdraw(ctx, kind, hash); err != nil {
				s.log.Error("identity failed")
			}
		},
	}
}

// changeLetter tells a person that the password was changed, however many letters were sent before.
func (s *Service) passwordChangedEmail(address string) mail.Email {
	return mail.Email{
		Compose: func(context.Context) (mail.Message, bool) { return s.emails.changed(address), true },
	}
}

func resetSchema() []field {
	return []field{{name: "newPassword", kind: "string"}, {name: "token", kind: "string", optional: true}}
}

// resetPassword looks the token up before it hashes, so that only a live one costs a hash. Nothing is
// hidden by hashing for others: nobody can guess 256 bits.
func (s *Service) resetPassword(c *httpapi.Call, in input) error {
	if err := checkLength(in.text("newPassword")); err != nil {
		return err
	}
	token, ok := parseToken(in.text("token"))
	if !ok {
		return errInvalidToken
	}
	if err := s.store.checkReset(token); err != nil {
		return err
	}
	ctx := c.Request.Context()
	hash, err := s.passwords.hash(ctx, in.text("newPassword"))
	if err != nil {
		return err
	}
	address, err := s.store.replacePassword(ctx, token, hash)
	if err != nil {
		return err
	}
	s.post(s.passwordChangedEmail(address))
	return c.RawJSON(http.StatusOK, statusBody)
}

// verifyEmail may be asked again while the link lives: mail programs and people follow links twice.
func (s *Service) verifyEmail(c *httpapi.Call) error {
	text, err := linkToken(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	token, ok := parseToken(text)
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
