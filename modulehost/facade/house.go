package facade

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// House is what an administrator has set for the whole house. "" was not set. Rev counts the changes.
type House struct {
	Name, Language, TimeZone string
	Rev                      int64
}

// house answers from memory.
func (s *session) house(context.Context, *abi.HouseRequest) (proto.Message, error) {
	if s.facade.config.House == nil {
		return &abi.HouseResponse{}, nil
	}
	h := s.facade.config.House()
	return &abi.HouseResponse{Name: h.Name, Language: h.Language, TimeZone: h.TimeZone, Rev: h.Rev}, nil
}
