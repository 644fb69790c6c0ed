package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/abi"
	"github.com/narthex-platform/narthex/modulehost/link"
)

// The errors of a Call, beside its context's own.
const (
	// ErrCapabilityAbsent: the manifest calls the provider optional, and this start of the platform runs none
	// in range. It stays so until the next start.
	ErrCapabilityAbsent = Error(abi.CodeCapabilityAbsent)
	// ErrCapabilityFailed: no dependency on the provider is declared, or it is being restarted, refused,
	// failed, took longer than 10 s or answered what out cannot hold; or one of the two values is more than
	// 256 KiB of JSON. Whether it acted is unknown.
	ErrCapabilityFailed = Error(abi.CodeCapabilityFailed)
)

// invoking bounds a module's calls to others at once: half of what the host serves, so that slow ones leave
// room for the database.
const invoking = 8

// Capability is something that another module provides.
type Capability struct {
	host *Host
	id   string
}

// Capability names one, "stage.services". The manifest must declare a dependency, required or optional, on
// it or on its module.
func (h *Host) Capability(id string) Capability { return Capability{host: h, id: id} }

// Call calls one of the capability's methods: in travels as JSON, the answer is decoded into out (nil: not
// wanted). The provider learns which module calls, and nothing of the request or the person behind it: what
// they may do is decided here. It ends with ctx, and after 10 s. Eight calls of a module run at once;
// further ones wait. Errors: ErrCapabilityAbsent, ErrCapabilityFailed, ctx's own.
func (c Capability) Call(ctx context.Context, method string, in, out any) error {
	input, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCapabilityFailed, err)
	}
	if len(input) > abi.MaxCapabilityJSON {
		return ErrCapabilityFailed
	}
	within, cancel := context.WithTimeout(ctx, abi.CapabilityWithin)
	defer cancel()
	output, err := c.invoke(within, method, input)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case err != nil:
		return err
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(output, out); err != nil {
		return fmt.Errorf("%w: %w", ErrCapabilityFailed, err)
	}
	return nil
}

func (c Capability) invoke(ctx context.Context, method string, input []byte) ([]byte, error) {
	select {
	case c.host.invoking <- struct{}{}:
		defer func() { <-c.host.invoking }()
	case <-ctx.Done():
		return nil, ErrCapabilityFailed
	}
	request := &abi.InvokeRequest{Capability: c.id, Method: method, Input: input}
	var response abi.InvokeResponse
	err := call(ctx, c.host.client, abi.Method_METHOD_INVOKE, request, &response)
	failure := (*link.Failure)(nil)
	switch {
	case err == nil:
		return response.GetOutput(), nil
	case errors.As(err, &failure) && failure.Code() == abi.CodeCapabilityAbsent:
		return nil, ErrCapabilityAbsent
	}
	return nil, ErrCapabilityFailed
}
