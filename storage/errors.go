package storage

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
)

// Error is a stable code that modules may see. It wraps no cause, because the service's messages contain
// buckets, hosts and requests.
type Error string

func (e Error) Error() string { return string(e) }

// Code returns the stable code.
func (e Error) Code() string { return string(e) }

// These are all the codes. docs/reference/error-codes.md explains them.
const (
	ErrNotFound = Error("NOT_FOUND") // no object has this key
	// the key, prefix or position breaks the rules for keys, or the service's rules
	ErrKey          = Error("KEY_INVALID")
	ErrAccessDenied = Error("ACCESS_DENIED")    // the service refuses the installation's credentials
	ErrTooLarge     = Error("TOO_LARGE")        // more than MaxObject, or more than the service accepts
	ErrLifetime     = Error("LIFETIME_INVALID") // a URL's lifetime is out of range
	ErrTimeout      = Error("TIMEOUT")          // a time limit has passed, or the caller's context has ended
	// no connection, a broken one, an invalid response, or no space for the spool
	ErrUnavailable = Error("UNAVAILABLE")
)

// The service's codes that are treated specially.
const (
	codeNoBucket     = "NoSuchBucket"
	codeNotFound     = "NotFound" // from the status, because a response to HEAD has no body
	codeInvalidRange = "InvalidRange"
	codeBadGateway   = "BadGateway" // from the status, of a proxy that got no response from the service
)

// coded converts an error of the client library to a code. For nil it returns nil.
func coded(ctx context.Context, err error) error {
	var network net.Error
	var result interface{ HTTPStatusCode() int }
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, errors.As(err, &network) && network.Timeout():
		return ErrTimeout
	}
	switch errorCode(err) {
	case "NoSuchKey", codeNoBucket:
		return ErrNotFound
	case "InvalidAccessKeyId", "XAdminUserNotFound": // some services send these with another status than 403
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

// errorCode returns the code in the service's response, or "" when there is no response with a code.
func errorCode(err error) string {
	var result smithy.APIError
	if errors.As(err, &result) {
		return result.ErrorCode()
	}
	return ""
}
