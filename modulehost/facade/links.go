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
	// Create makes a link and returns its address. A zero end means that it has none.
	Create(ctx context.Context, subject string, ends time.Time) (address string, err error)
	// Revoke ends all links of a subject.
	Revoke(ctx context.Context, subject string) error
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
	address, err := s.facade.config.Links.Create(ctx, request.GetSubject(), ends)
	if err != nil {
		return nil, linkError(err)
	}
	return &abi.CreateLinkResponse{Address: address}, nil
}

func (s *session) revokeLinks(ctx context.Context, request *abi.RevokeLinksRequest) (proto.Message, error) {
	if s.facade.config.Links == nil {
		return nil, ErrPermissionDenied
	}
	if err := s.facade.config.Links.Revoke(ctx, request.GetSubject()); err != nil {
		return nil, linkError(err)
	}
	return &abi.RevokeLinksResponse{}, nil
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
