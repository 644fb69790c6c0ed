package process

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// PersonErased and PersonExport report which calls about people the module registered for, as Routes.
func (p *Process) PersonErased() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetPersonErased()
}

// PersonExport is described beside PersonErased.
func (p *Process) PersonExport() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetPersonExport()
}

// ErasePerson lets the module forget a person. Errors as Call's.
func (p *Process) ErasePerson(ctx context.Context, userID string) error {
	ctx, cancel := context.WithTimeout(ctx, abi.EraseWithin)
	defer cancel()
	return p.Call(ctx, abi.Method_METHOD_PERSON_ERASED, &abi.PersonErasedRequest{UserId: userID}, nil)
}

// ExportPerson returns what the module keeps of a person, as JSON. The caller gives release's memory back
// when it has no more use of it. Errors as Call's.
func (p *Process) ExportPerson(
	ctx context.Context, userID string,
) (document []byte, release func(), err error) {
	document, err = ReadExport(ctx, p.Call, userID)
	if err != nil {
		return nil, nil, err
	}
	if !p.config.Memory.Reserve(len(document)) {
		return nil, nil, withCause(ErrHandlerFailed, errNoMemory)
	}
	return document, func() { p.config.Memory.Release(len(document)) }, nil
}

var (
	errExport   = errors.New("the export is too long, or no JSON")
	errNoMemory = errors.New("the platform holds too much for the module already")
)

// ReadExport fetches an export with call, piece by piece, and checks it.
func ReadExport(
	ctx context.Context,
	call func(ctx context.Context, m abi.Method, request, response proto.Message) error,
	userID string,
) (document []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, abi.ExportWithin)
	defer cancel()
	request := &abi.PersonExportRequest{UserId: userID}
	for {
		var response abi.PersonExportResponse
		if err := call(ctx, abi.Method_METHOD_PERSON_EXPORT, request, &response); err != nil {
			return nil, err
		}
		document = append(document, response.GetData()...)
		if len(document) > abi.MaxExport {
			return nil, withCause(ErrHandlerFailed, errExport)
		}
		if response.GetExport() == 0 {
			break
		}
		request.Export = response.GetExport()
	}
	if !jsontext.Value(document).IsValid() {
		return nil, withCause(ErrHandlerFailed, errExport)
	}
	return document, nil
}
