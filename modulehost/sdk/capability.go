package sdk

import (
	"context"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// The errors of Call, besides those of its context.
const (
	// ErrCapabilityAbsent: the dependency is optional in the manifest, and the running platform has no provider
	// with a version in the declared range. The next start may change that.
	ErrCapabilityAbsent = Error(abi.CodeCapabilityAbsent)
	// ErrCapabilityFailed: the manifest declares no dependency on the provider; or the provider is restarting,
	// refused the call, failed, needed more than 10 s or returned a result that out cannot hold; or the JSON of
	// in or of the result is larger than 256 KiB. The provider may have executed the call or not.
	ErrCapabilityFailed = Error(abi.CodeCapabilityFailed)
)

// maxInvocations bounds a module's concurrent calls to other modules. It is half of the calls that the host
// serves at once, so that slow providers leave room for database calls.
const maxInvocations = 8

// Capability is an interface that another module provides.
type Capability struct {
	host *Host
	id   string
}

// Capability returns the capability with this id, for example "stage.services". The manifest must declare a
// dependency, required or optional, on the capability or on its module.
func (h *Host) Capability(id string) Capability { return Capability{host: h, id: id} }

// Call calls one of the capability's methods. It sends in as JSON and decodes the result into out; with a nil
// out it drops the result. The provider learns which module calls, but nothing about the request or its
// principal, so the calling module must check what that person may do. Call ends with ctx, and after 10 s at
// the latest. A module has at most eight calls in progress; further ones wait. Errors: ErrCapabilityAbsent,
// ErrCapabilityFailed, ctx's own.
func (c Capability) Call(ctx context.Context, method string, in, out any) error {
	if err := missingDependency(c.host.declared, c.id); err != nil {
		return err
	}
	input, err := encode(in)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCapabilityFailed, err)
	}
	if len(input) > abi.MaxCapabilityJSON {
		return &mistake{ErrCapabilityFailed, fmt.Sprintf("the input has %d bytes of JSON, and at most %d are "+
			"sent; send less", len(input), abi.MaxCapabilityJSON)}
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
