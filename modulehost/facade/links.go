package facade

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Links makes and revokes one module's links.
type Links interface {
	// Create makes a link and returns its address. A zero end means that it has none. by is the id of the
	// person in whose request the module does it, or "", and person that of whose link it is, or "".
	Create(ctx context.Context, by, person, subject string, ends time.Time) (address string, err error)
	// Revoke ends all links of a subject.
	Revoke(ctx context.Context, by, subject string) error
	// Assign sets the person of all links of a subject; "": nobody's.
	Assign(ctx context.Context, person, subject string) error
}

// createLink serves modules whose manifest has a page for links; others are refused.
func (s *session) createLink(ctx context.Context, request *abi.CreateLinkRequest) (proto.Message, error) {
	if s.facade.config.Links == nil {
		return nil, ErrPermissionDenied
	}
	var ends time.Time
	if request.GetEnds() != 0 {
		ends = time.Unix(request.GetEnds(), 0)
		if ends.Year() < 1 || ends.Year() > 9999 {
			return nil, ErrRequest
		}
	}
	address, err := s.facade.config.Links.Create(ctx, s.personOf(request.GetCall()), request.GetPerson(),
		request.GetSubject(), ends)
	if err != nil {
		return nil, linkError(err)
	}
	return &abi.CreateLinkResponse{Address: address}, nil
}

func (s *session) revokeLinks(ctx context.Context, request *abi.RevokeLinksRequest) (proto.Message, error) {
	if s.facade.config.Links == nil {
		return nil, ErrPermissionDenied
	}
	by := s.personOf(request.GetCall())
	if err := s.facade.config.Links.Revoke(ctx, by, request.GetSubject()); err != nil {
		return nil, linkError(err)
	}
	return &abi.RevokeLinksResponse{}, nil
}

func (s *session) assignLinks(ctx context.Context, request *abi.AssignLinksRequest) (proto.Message, error) {
	if s.facade.config.Links == nil {
		return nil, ErrPermissionDenied
	}
	if err := s.facade.config.Links.Assign(ctx, request.GetPerson(), request.GetSubject()); err != nil {
		return nil, linkError(err)
	}
	return &abi.AssignLinksResponse{}, nil
}

// personOf returns the id of the person whose request it is, and "" for a request of nobody who has one, and
// for none.
func (s *session) personOf(call uint64) (userID string) {
	caller, found := s.facade.caller(call)
	if !found {
		return ""
	}
	return caller.Principal().UserID
}

// linkError returns the code that a module sees.
func linkError(err error) error {
	if coded := (interface{ Code() string })(nil); errors.As(err, &coded) {
		for _, known := range []Error{ErrRequest, ErrLinkCapacity} {
			if coded.Code() == known.Code() {
				return known
			}
		}
	}
	return ErrStore
}
