package facade

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Realtime takes a module's updates to the readers of its channels.
type Realtime interface {
	// Publish never blocks. Its errors have codes: CHANNEL_UNKNOWN, KEY_INVALID, TOO_LARGE, DATA_INVALID,
	// HOST_OVERLOADED.
	Publish(module, channel string, process, number uint64, data []byte) error
	// PublishLatest is Publish for a channel of newest values.
	PublishLatest(module, channel string, process, number uint64, key string, data []byte) error
	// Ended tells the readers of a process that is gone to come again.
	Ended(module string, process uint64)
}

// ProcessNumber numbers the module's process, from 1 for its first: 0 before. It is the same before and after
// a call only if one process was there all the time, for a process begins after the one before has ended.
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
