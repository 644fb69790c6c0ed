package sdktest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/facade"
	"github.com/narthex-platform/narthex/modulehost/manifest"
	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// Ask calls a capability that the module provides, in the name of another module. It sends in as JSON and
// decodes the result into out (nil: it is dropped). It returns the error that the other module would get,
// sdk.ErrCapabilityFailed.
func (m *Module) Ask(caller, capability, method string, in, out any) error {
	m.tb.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		m.tb.Fatal("sdktest: ", err)
	}
	ctx, cancel := context.WithTimeout(m.tb.Context(), abi.CapabilityWithin)
	defer cancel()
	request := &abi.ProvideRequest{Capability: capability, Method: method, Input: input, Caller: caller}
	var response abi.ProvideResponse
	if err := m.run().client.Call(ctx, link.Method(abi.Method_METHOD_PROVIDE), request, &response); err != nil {
		return sdk.ErrCapabilityFailed
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(response.GetOutput(), out); err != nil {
		return sdk.ErrCapabilityFailed
	}
	return nil
}

// capabilityRouter calls the stand-ins for the modules that the module depends on.
type capabilityRouter struct {
	manifest     *manifest.Manifest
	faults       *faults
	capabilities map[string]sdk.Methods
}

var errNoMethod = errors.New("no such method")

// Invoke calls a stand-in if the manifest declares the dependency.
func (o capabilityRouter) Invoke(
	ctx context.Context, capability, method string, input []byte,
) ([]byte, error) {
	if err := o.faults.capability(capability); err != nil {
		return nil, err
	}
	provided, found := o.capabilities[capability]
	required := o.declares(o.manifest.Dependencies.Required, capability)
	switch {
	case !required && !o.declares(o.manifest.Dependencies.Optional, capability):
		return nil, facade.ErrCapabilityFailed
	case !found && !required:
		return nil, facade.ErrCapabilityAbsent
	case provided[method] == nil:
		return nil, errNoMethod
	}
	value, err := provided[method](ctx, input)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func (o capabilityRouter) declares(dependencies []manifest.Dependency, capability string) bool {
	moduleID, _, _ := strings.Cut(capability, ".")
	for _, d := range dependencies {
		if d.Kind == manifest.KindCapability && d.ID == capability || d.Kind == manifest.KindModule &&
			d.ID == moduleID {
			return true
		}
	}
	return false
}
