package sdk

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// People tells the names of people to a module whose manifest asks for them: "people": {"names": true}. Safe
// for concurrent use.
type People struct{ client *link.Client }

// The errors of Names, beside those of any call.
const (
	// ErrPermissionDenied: the manifest does not ask for the names of people.
	ErrPermissionDenied = Error("PERMISSION_DENIED")
	// ErrStoreUnavailable: the platform could not read them.
	ErrStoreUnavailable = Error("STORE_UNAVAILABLE")
)

// Names returns the names of people by their ids, which are those of Principal; never an address. At most 200
// are asked for at once, else ErrRequestInvalid. Whoever was erased or never existed is left out; who was
// deactivated has a name. A name may change at any time, so ask for it when it is shown and do not store it.
// Two calls of a module run at once; further ones wait. Errors: ErrPermissionDenied, ErrRequestInvalid,
// ErrStoreUnavailable, ctx's own, or one of any call.
func (p *People) Names(ctx context.Context, ids []string) (map[string]string, error) {
	if len(ids) > abi.MaxNames {
		return nil, ErrRequestInvalid
	}
	var response abi.NamesResponse
	err := call(ctx, p.client, abi.Method_METHOD_NAMES, &abi.NamesRequest{UserIds: ids}, &response)
	if err != nil {
		return nil, err
	}
	names := response.GetNames()
	if names == nil {
		names = map[string]string{}
	}
	return names, nil
}
