package platform

import (
	"context"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/catalog"
	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/process"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// capabilityCaller makes one module's calls of other modules. It follows only the dependencies that the
// module's manifest declares. Dependencies form no cycle, so a chain of calls ends, and a module never waits
// for itself.
type capabilityCaller struct {
	caller string
	edges  []dependencyEdge
}

// dependencyEdge is one declared dependency and its provider.
type dependencyEdge struct {
	kind     manifest.Kind
	id       string
	running  bool             // false: optional, and not run by this start
	provider *process.Process // nil: it has no server
}

// capabilitiesOf is called before the module starts, when all its dependencies have started.
func (s *Server) capabilitiesOf(module *catalog.Module) capabilityCaller {
	r := capabilityCaller{caller: module.Manifest.ID}
	for _, edge := range module.Declared() {
		reached := dependencyEdge{kind: edge.Kind, id: edge.ID}
		for _, running := range s.modules {
			if running.Manifest.ID == edge.Provider {
				reached.running, reached.provider = true, running.process
			}
		}
		r.edges = append(r.edges, reached)
	}
	return r
}

// Invoke calls the provider, which alone knows whether it implements the capability. See facade.Capabilities.
func (r capabilityCaller) Invoke(
	ctx context.Context, capability, method string, input []byte,
) ([]byte, error) {
	edge, declared := r.edgeTo(capability)
	switch {
	case declared && !edge.running:
		return nil, facade.ErrCapabilityAbsent
	case edge.provider == nil:
		return nil, facade.ErrCapabilityFailed
	}
	var response abi.ProvideResponse
	err := edge.provider.Call(ctx, abi.Method_METHOD_PROVIDE, &abi.ProvideRequest{
		Capability: capability,
		Method:     method,
		Input:      input,
		Caller:     r.caller,
	}, &response)
	return response.GetOutput(), err
}

// edgeTo returns the dependency for a capability. One that names the capability, with a version range of its
// own, has precedence over one that names its module.
func (r capabilityCaller) edgeTo(capability string) (edge dependencyEdge, declared bool) {
	moduleID, _, _ := strings.Cut(capability, ".")
	for _, e := range r.edges {
		switch {
		case e.kind == manifest.KindCapability && e.id == capability:
			return e, true
		case e.kind == manifest.KindModule && e.id == moduleID:
			edge, declared = e, true
		}
	}
	return edge, declared
}
