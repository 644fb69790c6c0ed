package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/mail"
	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
)

// recoverySchema is an address and a callback. Only the callback's type is checked.
func recoverySchema(callback string) []field {
	return []field{emailField(), {name: callback, kind: "string", optional: true}}
}

// requestPasswordReset and sendVerificationEmail only queue an email; the database is queried later, when the
// outbox composes it. So the response and its duration are the same for every address, and also while the
// store is broken.
func (s *Service) requestPasswordReset(c *httpapi.Call, in input) error {
	s.post(s.resetEmail(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, resetSentBody)
}

func (s *Service) sendVerificationEmail(c *httpapi.Call, in input) error {
	s.post(s.verificationEmail(strings.ToLower(in.text("email"))))
	return c.RawJSON(http.StatusOK, statusBody)
}

// post does not report whether the queue had room, because the client must not learn it. The outbox logs
// what it drops.
func (s *Service) post(email mail.Email) { s.outbox.Post(email) }

// resetEmail is sent to the person who has the address, verified or not.
func (s *Service) resetEmail(address string) mail.Email {
	return s.linkEmail(resetLinks, address, s.emails.ResetPassword)
}

// verificationEmail is sent to the person who has the address and has not confirmed it.
func (s *Service) verificationEmail(address string) mail.Email {
	return s.linkEmail(verificationLinks, address, s.emails.ConfirmAddress)
}

// linkEmail issues a link when the outbox composes the email, and withdraws the link when sending fails.
// Otherwise the unused link would count against the person's limit.
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
				s.log.Error("identity failed", zap.String("cause", string(store.CauseOf(err))))
				return mail.Message{}, false
			}
			return write(address, token), true
		},
		Done: func(ctx context.Context, outcome mail.SendResult) {
			if outcome == mail.Sent {
				return
			}
			if err := s.store.withdraw(ctx, kind, hash); err != nil {
				s.log.Error("identity failed", zap.String("cause", string(store.CauseOf(err))))
			}
		},
	}
}

// passwordChangedEmail informs a person that the password was changed. No limit applies to it.
func (s *Service) passwordChangedEmail(address string) mail.Email {
	return mail.Email{
		Compose: func(context.Context) (mail.Message, bool) { return s.emails.PasswordChanged(address), true },
	}
}

func resetSchema() []field {
	return []field{{name: "newPassword", kind: "string"}, {name: "token", kind: "string", optional: true}}
}

// resetPassword looks the token up before it hashes, so that only a valid token costs a hash. The faster
// response to an invalid token reveals nothing useful: nobody can guess 256 bits.
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

// verifyEmail succeeds again while the link is valid, because mail programs and people open links twice.
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
