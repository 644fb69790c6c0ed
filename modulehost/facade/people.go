package facade

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// People knows the names of people.
type People interface {
	// Names returns the names of those who exist and were not erased, by id. Any text may be asked for.
	Names(ctx context.Context, userIDs []string) (map[string]string, error)
}

// namesAtOnce bounds what one module takes of the connections that all of the platform shares.
const namesAtOnce = 2

// names serves modules whose manifest asks for the names of people; the others are refused.
func (s *session) names(ctx context.Context, request *abi.NamesRequest) (proto.Message, error) {
	switch people := s.facade.config.People; {
	case people == nil:
		return nil, ErrPermissionDenied
	case len(request.GetUserIds()) > abi.MaxNames:
		return nil, ErrRequest
	default:
		wait, stopWaiting := context.WithTimeout(ctx, acquireWithin)
		defer stopWaiting()
		select {
		case s.facade.names <- struct{}{}:
			defer func() { <-s.facade.names }()
		case <-wait.Done():
			return nil, ErrStore
		}
		names, err := people.Names(ctx, request.GetUserIds())
		if err != nil {
			return nil, ErrStore
		}
		return &abi.NamesResponse{Names: names}, nil
	}
}
