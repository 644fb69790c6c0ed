package facade

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// Capabilities calls the other modules for one module.
type Capabilities interface {
	// Invoke calls a capability in the module's name. ctx has a deadline and ends with the caller's context. The
	// error is ErrCapabilityAbsent if the dependency is optional and no provider runs; the module gets every
	// other error as ErrCapabilityFailed, whatever its code.
	Invoke(ctx context.Context, capability, method string, input []byte) (output []byte, err error)
}

// invoke replaces the provider's error, because its code could be anything.
func (s *session) invoke(ctx context.Context, request *abi.InvokeRequest) (proto.Message, error) {
	others := s.facade.config.Capabilities
	if others == nil || len(request.GetInput()) > abi.MaxCapabilityJSON {
		return nil, ErrCapabilityFailed
	}
	ctx, cancel := context.WithTimeout(ctx, deadlines.Capability)
	defer cancel()
	output, err := others.Invoke(ctx, request.GetCapability(), request.GetMethod(), request.GetInput())
	switch {
	case errors.Is(err, ErrCapabilityAbsent):
		return nil, ErrCapabilityAbsent
	case err != nil || len(output) > abi.MaxCapabilityJSON:
		return nil, ErrCapabilityFailed
	}
	return &abi.InvokeResponse{Output: output}, nil
}

// CheckCapabilities refuses to register a capability that the manifest does not provide, and to register one
// twice.
func CheckCapabilities(provides []manifest.Capability, registered []string) error {
	for n, id := range registered {
		switch {
		case !slices.ContainsFunc(provides, func(c manifest.Capability) bool { return c.ID == id }):
			return fmt.Errorf("capability %q: it is not among the manifest's provides", id)
		case slices.Contains(registered[:n], id):
			return fmt.Errorf("capability %q: it is registered twice", id)
		}
	}
	return nil
}
