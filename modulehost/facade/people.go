package facade

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// People reads the names of people.
type People interface {
	// Names returns the names of people who exist and were not erased, by id. An id may be any text.
	Names(ctx context.Context, userIDs []string) (map[string]string, error)
}

// namesAtOnce bounds how many of the platform's shared connections one module uses for names.
const namesAtOnce = 2

// names serves modules whose manifest requests people's names; others are refused.
func (s *session) names(ctx context.Context, request *abi.NamesRequest) (proto.Message, error) {
	switch people := s.facade.config.People; {
	case people == nil:
		return nil, ErrPermissionDenied
	case len(request.GetUserIds()) > abi.MaxNames:
		return nil, ErrRequest
	default:
		wait, stopWaiting := context.WithTimeout(ctx, deadlines.Acquire)
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
