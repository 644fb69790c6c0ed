package storage

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
)

// Error is a stable code that modules may see. It wraps nothing: what the service says names buckets, hosts
// and requests.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// These are all the codes. docs/reference/error-codes.md explains them.
const (
	ErrNotFound = Error("NOT_FOUND") // no object has this key
	// the key, prefix or position breaks the rules for keys, or the service's own
	ErrKey          = Error("KEY_INVALID")
	ErrAccessDenied = Error("ACCESS_DENIED")    // the service refuses the installation's credentials
	ErrTooLarge     = Error("TOO_LARGE")        // more than MaxObject, or more than the service takes
	ErrLifetime     = Error("LIFETIME_INVALID") // a URL's lifetime is out of range
	ErrTimeout      = Error("TIMEOUT")          // a limit of time passed, or the caller gave up
	// no connection, a broken one, a response that is none, no room to spool
	ErrUnavailable = Error("UNAVAILABLE")
)

// The service's codes that mean something here.
const (
	answerNoBucket     = "NoSuchBucket"
	answerNotFound     = "NotFound" // the status alone: a response to HEAD has no body to say more
	answerInvalidRange = "InvalidRange"
	answerBadGateway   = "BadGateway" // the status alone: of a proxy to which the service has not answered
)

// coded gives an error of the client library its code. It returns no error for none.
func coded(ctx context.Context, err error) error {
	var network net.Error
	var result interface{ HTTPStatusCode() int }
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return ErrTimeout
	}
	switch answerCode(err) {
	case "NoSuchKey", answerNoBucket:
		return ErrNotFound
	case "InvalidAccessKeyId", "XAdminUserNotFound": // not with every service a 403
		return ErrAccessDenied
	case "KeyTooLongError":
		return ErrKey
	case "EntityTooLarge":
		return ErrTooLarge
	case "RequestTimeout":
		return ErrTimeout
	}
	if errors.As(err, &result) && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden},
		result.HTTPStatusCode()) {
		return ErrAccessDenied
	}
	return ErrUnavailable
}

// answerCode is the code in the service's response, "" when no response came that has one.
func answerCode(err error) string {
	var result smithy.APIError
	if errors.As(err, &result) {
		return result.ErrorCode()
	}
	return ""
}
