package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Error is a stable code that callers may see. Its cause is wrapped beside it.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// The codes of the pipeline itself. The function status returns the HTTP status of these codes and of the
// services' codes.
const (
	ErrNotFound       = Error("NOT_FOUND")
	ErrLink           = Error("LINK_NOT_FOUND") // of every request of a link that is not allowed
	ErrAuthentication = Error("AUTHENTICATION_REQUIRED")
	ErrPermission     = Error("PERMISSION_DENIED")
	ErrFactorMissing  = Error("SECOND_FACTOR_MISSING") // of an administrator in a house that asks for one
	ErrOrigin         = Error("ORIGIN_NOT_TRUSTED")
	ErrRequest        = Error("REQUEST_INVALID")
	ErrBodyTooLarge   = Error("REQUEST_BODY_TOO_LARGE")
	ErrPrincipal      = Error("PRINCIPAL_RESOLUTION_FAILED")
	ErrStore          = Error("STORE_UNAVAILABLE")
	ErrInternal       = Error("INTERNAL_ERROR")
)

// ErrBodyAborted is the error of a request whose client stopped sending: an ordinary invalid request, not a
// 413.
var ErrBodyAborted = errors.Join(ErrRequest, errors.New("the body ended early"))

// status maps a platform code to its HTTP status. No other code decides a status. It returns 0 for a code
// that callers must not see.
func status(code string) int {
	switch code {
	case "REQUEST_INVALID", "PERMISSION_UNKNOWN", "CONFIGURATION_KEY_UNDECLARED", "CONFIGURATION_VALUE_INVALID",
		"CONFIGURATION_SECRET_NOT_WRITABLE", "PASSWORD_TOO_SHORT", "PASSWORD_TOO_LONG":
		return http.StatusBadRequest
	case "AUTHENTICATION_REQUIRED":
		return http.StatusUnauthorized
	case "PERMISSION_DENIED", "ORIGIN_NOT_TRUSTED", "SECOND_FACTOR_MISSING", "SECOND_FACTOR_INVALID",
		"RECENT_SIGN_IN_REQUIRED":
		return http.StatusForbidden
	case "NOT_FOUND", "USER_NOT_FOUND", "GRANT_NOT_FOUND", "DISPLAY_NOT_FOUND", "PAIRING_NOT_FOUND",
		"DEVICE_NOT_FOUND", "INVITATION_NOT_FOUND", "FEED_NOT_FOUND", "LINK_NOT_FOUND",
		"MODULE_NOT_INSTALLED", "NAVIGATION_GROUP_NOT_FOUND":
		return http.StatusNotFound
	case "CONFLICT", "AUTHORIZATION_GRANT_ALREADY_EXISTS", "PAIRING_NOT_APPROVED", "PAIRING_ALREADY_DECIDED",
		"PERSON_ALREADY_EXISTS", "PERSON_PROTECTED", "PERSON_ERASED", "PERSON_ACTIVE", "REMINDER_NOT_NEEDED",
		"INVITATION_NOT_OPEN", "INVITATION_ALREADY_ACCEPTED", "FEED_LIMIT",
		"SECOND_FACTOR_LIMIT", "SECOND_FACTOR_UNAVAILABLE":
		return http.StatusConflict
	case "REQUEST_BODY_TOO_LARGE":
		return http.StatusRequestEntityTooLarge
	case "TOO_MANY_REQUESTS":
		return http.StatusTooManyRequests
	case "INTERNAL_ERROR", "MODULE_HANDLER_FAILED":
		return http.StatusInternalServerError
	case "PRINCIPAL_RESOLUTION_FAILED", "STORE_UNAVAILABLE", "NOT_READY", "MODULE_UNAVAILABLE",
		"MODULE_OVERLOADED",
		"CLIENT_ADDRESS_UNRESOLVED", "PAIRING_CAPACITY":
		return http.StatusServiceUnavailable
	}
	return 0
}

// WriteError responds with err's code and nothing else. An error without a code that callers may see
// becomes INTERNAL_ERROR. It returns the code that it sent, so that the caller can log it.
func WriteError(w http.ResponseWriter, err error) (sent string) {
	code := ErrInternal.Code()
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) && status(coded.Code()) != 0 {
		code = coded.Code()
	}
	header := w.Header()
	switch code {
	case "REQUEST_BODY_TOO_LARGE":
		header.Set("Connection", "close")
	case "MODULE_UNAVAILABLE", "MODULE_OVERLOADED":
		header.Set("Retry-After", strconv.Itoa(retryAfter(err)))
	}
	body := `{"code":"` + code + `"}`
	jsonHeader(header, len(body))
	w.WriteHeader(status(code))
	_, _ = io.WriteString(w, body) // fails only when the client has left
	return code
}

// retryAfter returns the pause that the error itself names (RetryAfter() time.Duration), in whole seconds
// rounded up, and at least 1.
func retryAfter(err error) int {
	pausing, ok := errors.AsType[interface {
		error
		RetryAfter() time.Duration
	}](err)
	if !ok {
		return 1
	}
	return max(int((pausing.RetryAfter()+time.Second-1)/time.Second), 1)
}
