package process

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/supervisor/deadlines"
)

// PersonErased reports whether the module registered to be notified of erasures. See Routes.
func (p *Process) PersonErased() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetPersonErased()
}

// PersonExport reports whether the module registered to export people's data. See Routes.
func (p *Process) PersonExport() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.registered.GetPersonExport()
}

// ErasePerson makes the module delete its data about a person. Errors as for Call.
func (p *Process) ErasePerson(ctx context.Context, userID string) error {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Erase)
	defer cancel()
	return p.Call(ctx, abi.Method_METHOD_PERSON_ERASED, &abi.PersonErasedRequest{UserId: userID}, nil)
}

// ExportPerson returns the module's data about a person, as JSON. Errors as for Call.
func (p *Process) ExportPerson(ctx context.Context, userID string) (document []byte, err error) {
	return ReadExport(ctx, p.Call, userID)
}

var (
	errExport  = errors.New("the export is too long, or no JSON")
	errNoPiece = errors.New("a piece of the export is empty, and another one is said to follow")
)

// ReadExport fetches an export piece by piece, using call, and checks it.
func ReadExport(
	ctx context.Context,
	call func(ctx context.Context, m abi.Method, request, response proto.Message) error,
	userID string,
) (document []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, deadlines.Export)
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
		if len(response.GetData()) == 0 { // otherwise the host would ask again and again, until the deadline
			return nil, withCause(ErrHandlerFailed, errNoPiece)
		}
		request.Export = response.GetExport()
	}
	if !jsontext.Value(document).IsValid() {
		return nil, withCause(ErrHandlerFailed, errExport)
	}
	return document, nil
}
