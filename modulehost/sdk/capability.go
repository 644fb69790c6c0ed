package sdk

import (
	"context"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The errors of a Call, beside its context's own.
const (
	// ErrCapabilityAbsent: the manifest calls the provider optional, and the platform was started without a
	// provider in range. The next start may change that.
	ErrCapabilityAbsent = Error(abi.CodeCapabilityAbsent)
	// ErrCapabilityFailed: the manifest declares no dependency on the provider; or the provider is restarting,
	// refused, failed, took longer than 10 s or returned a result that out cannot hold; or one of the two
	// values is more than 256 KiB of JSON. The provider may have acted or not.
	ErrCapabilityFailed = Error(abi.CodeCapabilityFailed)
)

// maxInvocations bounds a module's calls to others at once: half of what the host serves, so that slow ones
// leave room for the database.
const maxInvocations = 8

// Capability is something that another module provides.
type Capability struct {
	host *Host
	id   string
}

// Capability returns a capability by its id, for example "stage.services". The manifest must declare a
// dependency, required or optional, on it or on its module.
func (h *Host) Capability(id string) Capability { return Capability{host: h, id: id} }

// Call calls one of the capability's methods: in is sent as JSON, the result is decoded into out (nil: the
// result is dropped). The provider learns which module calls, and nothing about the request or the person
// behind it, so the calling module must check what that person may do. Call ends with ctx, and after 10 s.
// Eight calls of a module run at once; further ones wait. Errors: ErrCapabilityAbsent, ErrCapabilityFailed,
// ctx's own.
func (c Capability) Call(ctx context.Context, method string, in, out any) error {
	input, err := encode(in)
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
	if err := decodeOfModule(output, out); err != nil {
		return fmt.Errorf("%w: %w", ErrCapabilityFailed, err)
	}
	return nil
}

func (c Capability) invoke(ctx context.Context, method string, input []byte) ([]byte, error) {
	select {
	case c.host.invocations <- struct{}{}:
		defer func() { <-c.host.invocations }()
	case <-ctx.Done():
		return nil, ErrCapabilityFailed
	}
	request := &abi.InvokeRequest{Capability: c.id, Method: method, Input: input}
	var response abi.InvokeResponse
	err := call(ctx, c.host.client, abi.Method_METHOD_INVOKE, request, &response)
	switch {
	case err == nil:
		return response.GetOutput(), nil
	case errors.Is(err, ErrCapabilityAbsent):
		return nil, ErrCapabilityAbsent
	}
	return nil, ErrCapabilityFailed
}
