package sdk

import (
	"context"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
)

// People returns the names of people to a module whose manifest asks for them: "people": {"names": true}.
// Safe for concurrent use.
type People struct{ client *link.Client }

// The errors of Names, besides those of any call.
const (
	// ErrPermissionDenied: the manifest does not ask for it.
	ErrPermissionDenied = Error("PERMISSION_DENIED")
	// ErrStoreUnavailable: the platform could not read the names.
	ErrStoreUnavailable = Error("STORE_UNAVAILABLE")
)

// Names returns the names of people by their ids, which are those of Principal; it never returns an e-mail
// address. More than 200 ids are ErrRequestInvalid. People who were erased or never existed are left out;
// deactivated people have a name. A name may change at any time, so call Names when the name is shown and do
// not store it. A module has at most two such calls in progress; further ones wait. Errors:
// ErrPermissionDenied, ErrRequestInvalid, ErrStoreUnavailable, ctx's own, or one of any call.
func (p *People) Names(ctx context.Context, ids []string) (map[string]string, error) {
	if len(ids) > abi.MaxNames {
		return nil, invalid("Names was called with %d ids, and takes at most %d; ask in parts", len(ids),
			abi.MaxNames)
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
