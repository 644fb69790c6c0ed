package facade

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Realtime sends a module's updates to the readers of its channels.
type Realtime interface {
	// Publish never blocks. Its errors have codes: CHANNEL_UNKNOWN, KEY_INVALID, TOO_LARGE, DATA_INVALID,
	// HOST_OVERLOADED.
	Publish(module, channel string, process, number uint64, data []byte) error
	// PublishLatest is Publish for a LatestChannel.
	PublishLatest(module, channel string, process, number uint64, key string, data []byte) error
	// Ended makes the readers of a process that has ended reconnect.
	Ended(module string, process uint64)
}

// ProcessNumber returns the number of the module's current or last process, from 1; 0 before the first. If it
// is the same before and after a call, one process served the whole call, because a process begins only after
// the previous one has ended.
func (f *Facade) ProcessNumber() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sessions
}

func (s *session) publish(_ context.Context, request *abi.PublishRequest) (proto.Message, error) {
	hubs := s.facade.config.Realtime
	if hubs == nil {
		return nil, ErrChannelUnknown
	}
	module, channel, number, data := s.facade.config.ModuleID, request.GetChannel(), request.GetNumber(),
		request.GetData()
	var err error
	if key := request.GetKey(); key != "" {
		err = hubs.PublishLatest(module, channel, s.process, number, key, data)
	} else {
		err = hubs.Publish(module, channel, s.process, number, data)
	}
	if err != nil {
		return nil, err
	}
	return &abi.PublishResponse{}, nil
}
