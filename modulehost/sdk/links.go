package sdk

import (
	"context"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Links makes links for people without an account, in a module whose manifest has entrypoints.link. Safe for
// concurrent use.
type Links struct{ client *link.Client }

// ErrLinkCapacity: the module has 50,000 links that are neither revoked nor ended.
const ErrLinkCapacity = Error("LINK_CAPACITY")

// Create makes a link and returns its address, which holds its secret and cannot be read again: the platform
// stores a hash. Whoever has the address opens the module's page for links, and may use the routes whose
// permission the manifest names there; Principal is then of the kind Link, with this subject. A subject is
// the module's own name for what the link is for: 1 to 128 bytes of UTF-8, without NUL. A zero end means that
// the link works until it is revoked; an end is exact to a second. In the request of a person, the activity
// says that they have made it, or revoked it. Errors: ErrPermissionDenied (the manifest
// has no entrypoints.link), ErrRequestInvalid, ErrLinkCapacity, ErrStoreUnavailable, ctx's own, or one of any
// call.
func (l *Links) Create(ctx context.Context, subject string, ends time.Time) (address string, err error) {
	return l.CreateFor(ctx, "", subject, ends)
}

// CreateFor is Create for somebody who has an account, by the id of Principal: the link does not work while
// they are deactivated. A module revokes it in PersonErased all the same, with what else it has of them. ""
// is somebody without an account.
func (l *Links) CreateFor(
	ctx context.Context, userID, subject string, ends time.Time,
) (address string, err error) {
	request := &abi.CreateLinkRequest{Subject: subject, Call: callOf(ctx), Person: userID}
	if !ends.IsZero() {
		request.Ends = ends.Unix()
	}
	var response abi.CreateLinkResponse
	err = call(ctx, l.client, abi.Method_METHOD_CREATE_LINK, request, &response)
	return response.GetAddress(), err
}

// callOf returns the id of the request whose context it is; 0: none.
func callOf(ctx context.Context) uint64 {
	request, _ := ctx.Value(requestKey{}).(*abi.HandleRequest)
	return request.GetCall()
}

// Revoke ends all links that were made for a subject; requests in progress are finished. It is no error if
// there are none. A module that makes links for people revokes them in PersonErased. Errors: those of Create,
// but for ErrLinkCapacity.
func (l *Links) Revoke(ctx context.Context, subject string) error {
	request := &abi.RevokeLinksRequest{Subject: subject, Call: callOf(ctx)}
	return call(ctx, l.client, abi.Method_METHOD_REVOKE_LINKS, request, &abi.RevokeLinksResponse{})
}

// Assign sets the person of the links that were made for a subject, as CreateFor does: for somebody who was
// mailed a link and has an account now. With "" they belong to somebody without an account. Errors: those of
// Revoke.
func (l *Links) Assign(ctx context.Context, subject, userID string) error {
	request := &abi.AssignLinksRequest{Subject: subject, Person: userID}
	return call(ctx, l.client, abi.Method_METHOD_ASSIGN_LINKS, request, &abi.AssignLinksResponse{})
}
