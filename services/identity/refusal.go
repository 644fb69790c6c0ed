package identity

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/services/httpapi"
	"github.com/narthex-platform/narthex/services/store"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// refusal is an error response with the codes and messages that the browser client's library expects
// (docs/reference/identity.md). Some have no code, some have no message.
type refusal struct {
	status     int
	message    string
	code       string
	retryAfter int // seconds; 0: no header
}

func (r refusal) Error() string { return r.code + " " + r.message }

var (
	errInvalidJSON = refusal{
		status:  http.StatusBadRequest,
		code:    "BAD_REQUEST",
		message: "Invalid JSON in request body",
	}
	errInvalidEmail = refusal{
		status:  http.StatusBadRequest,
		code:    "INVALID_EMAIL",
		message: "Invalid email",
	}
	errCredentials = refusal{
		status:  http.StatusUnauthorized,
		code:    "INVALID_EMAIL_OR_PASSWORD",
		message: "Invalid email or password",
	}
	errUntrustedOrigin = refusal{
		status:  http.StatusForbidden,
		code:    "INVALID_ORIGIN",
		message: "Invalid origin",
	}
	errMissingOrigin = refusal{
		status:  http.StatusForbidden,
		code:    "MISSING_OR_NULL_ORIGIN",
		message: "Missing or null Origin",
	}
	errCrossSiteLogin = refusal{status: http.StatusForbidden, code: "CROSS_SITE_NAVIGATION_LOGIN_BLOCKED",
		message: "Cross-site navigation login blocked. This request appears to be a CSRF attack."}

	errInvalidToken = refusal{
		status:  http.StatusBadRequest,
		code:    "INVALID_TOKEN",
		message: "Invalid token",
	}
	errInvalidLink = refusal{
		status:  http.StatusUnauthorized,
		code:    "INVALID_TOKEN",
		message: "Invalid token",
	}
	errExpiredLink = refusal{
		status:  http.StatusUnauthorized,
		code:    "TOKEN_EXPIRED",
		message: "Token expired",
	}
	errPasswordTooShort = refusal{
		status:  http.StatusBadRequest,
		code:    "PASSWORD_TOO_SHORT",
		message: "Password too short",
	}
	errPasswordTooLong = refusal{
		status:  http.StatusBadRequest,
		code:    "PASSWORD_TOO_LONG",
		message: "Password too long",
	}

	// errSignUpDisabled has a code and no message, as docs/reference/identity.md says.
	errSignUpDisabled = refusal{status: http.StatusBadRequest, code: "EMAIL_PASSWORD_SIGN_UP_DISABLED"}

	// errNotVerified has a code and no message, as docs/reference/identity.md says.
	errNotVerified = refusal{status: http.StatusForbidden, code: "EMAIL_NOT_VERIFIED"}

	// errSecondFactor: the password is right, and the browser has the cookie of a pending sign-in. It has a
	// code and no message, as docs/reference/identity.md says.
	errSecondFactor = refusal{status: http.StatusForbidden, code: "SECOND_FACTOR_REQUIRED"}

	// errBusy: too many password checks are waiting. Retry-After is the longest possible wait in the queue.
	errBusy = tooMany(deadlines.Hash)

	errFailed = refusal{status: http.StatusInternalServerError, code: "IDENTITY_FAILED"}
)

// tooMany is the only 429. The wait is sent in whole seconds, rounded up.
func tooMany(wait time.Duration) refusal {
	return refusal{status: http.StatusTooManyRequests, code: "TOO_MANY_REQUESTS",
		message:    "Too many requests. Please try again later.",
		retryAfter: int((wait + time.Second - 1) / time.Second)}
}

// respond writes the response for an error. A platform code is returned to the pipeline, which writes it.
// For an unknown error the client gets a fixed code and the log one fixed line, because the cause may quote
// a driver.
func (s *Service) respond(c *httpapi.Call, err error) error {
	if err == nil {
		return nil
	}
	if platform := httpapi.Error(""); errors.As(err, &platform) {
		return err
	}
	known := refusal{}
	if !errors.As(err, &known) {
		s.logFailure(c, err)
		known = errFailed
	}
	if known.retryAfter > 0 {
		c.Writer.Header().Set("X-Retry-After", strconv.Itoa(known.retryAfter))
	}
	return c.JSON(known.status, struct {
		Message string `json:"message,omitzero"`
		Code    string `json:"code,omitzero"`
	}{known.message, known.code})
}

func (s *Service) logFailure(c *httpapi.Call, err error) {
	s.log.Error("identity failed", zap.String("request_id", c.RequestID),
		zap.String("cause", string(store.CauseOf(err))))
}
