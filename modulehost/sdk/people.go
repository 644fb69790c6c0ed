package sdk

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// ErasePerson deletes what the module stores about a person (Registry.PersonErased).
type ErasePerson func(ctx context.Context, userID string) error

// ExportPerson returns what the module stores about a person (Registry.PersonExport).
type ExportPerson func(ctx context.Context, userID string) (any, error)

// PersonErased declares the function that is called after a person was erased. forget must delete everything
// that identifies the person; it may keep the rest without the id. It has 30 s. After an error the platform
// calls it again, after a minute at first and later after up to an hour. It also does so after a restart and
// for people who were erased while the module did not run, so forget may be called twice for a person. A
// module that stores nothing about people does not declare it.
func (r *Registry) PersonErased(forget ErasePerson) {
	if r.forget != nil {
		r.problems = append(r.problems, errors.New("PersonErased is declared twice"))
	}
	r.forget = forget
}

// PersonExport declares the function that returns the module's part of a person's data export: a value whose
// JSON has at most 8 MiB, or nil when the module stores nothing about them. It has 10 s. After an error or a
// timeout the person receives the rest of the export with a note that this module's part is missing.
func (r *Registry) PersonExport(export ExportPerson) {
	if r.export != nil {
		r.problems = append(r.problems, errors.New("PersonExport is declared twice"))
	}
	r.export = export
}

var errNotDeclared = errors.New("the module did not declare it")

func (l *moduleServer) personErased(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.PersonErasedRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	if l.registry.forget == nil {
		return nil, errNotDeclared
	}
	err := l.registry.forget(ctx, request.GetUserId())
	if err != nil {
		reportError("PersonErased", err)
	}
	return &abi.PersonErasedResponse{}, err
}

// personExport begins an export, or continues one.
func (l *moduleServer) personExport(ctx context.Context, payload []byte) (proto.Message, error) {
	var request abi.PersonExportRequest
	if err := proto.Unmarshal(payload, &request); err != nil {
		return nil, err
	}
	if number := request.GetExport(); number != 0 {
		return l.exports.next(number)
	}
	if l.registry.export == nil {
		return nil, errNotDeclared
	}
	value, err := l.registry.export(ctx, request.GetUserId())
	var document []byte
	if err == nil {
		document, err = encode(value)
	}
	var piece proto.Message
	if err == nil {
		piece, err = l.exports.begin(document, l.timeouts.short)
	}
	if err != nil {
		reportError("PersonExport", err)
		return nil, err
	}
	return piece, nil
}

// openExports bounds the exports that are not read to the end.
const openExports = 4

var (
	errExportTooLarge = errors.New("the export is more than 8 MiB")
	errExportUnknown  = errors.New("no such export is open")
	errExportsOpen    = errors.New("too many exports are open")
)

// exports holds the rest of each export that is longer than one message.
type exports struct {
	mu   sync.Mutex
	last uint64
	rest map[uint64]*export
}

type export struct {
	document []byte
	expiry   *time.Timer // deletes the rest when the platform stops reading without a message
}

// begin returns the first piece of a document, and keeps the rest for at most within.
func (e *exports) begin(document []byte, within time.Duration) (proto.Message, error) {
	if len(document) > abi.MaxExport {
		return nil, errExportTooLarge
	}
	if len(document) <= abi.MaxExportPiece {
		return &abi.PersonExportResponse{Data: document}, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.rest) == openExports {
		return nil, errExportsOpen
	}
	if e.rest == nil {
		e.rest = make(map[uint64]*export)
	}
	e.last++
	number := e.last
	e.rest[number] = &export{
		document: document[abi.MaxExportPiece:],
		expiry:   time.AfterFunc(within, func() { e.drop(number) }),
	}
	return &abi.PersonExportResponse{Export: number, Data: document[:abi.MaxExportPiece]}, nil
}

// next returns the next piece of an export.
func (e *exports) next(number uint64) (proto.Message, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	open, found := e.rest[number]
	if !found {
		return nil, errExportUnknown
	}
	if len(open.document) <= abi.MaxExportPiece {
		open.expiry.Stop()
		delete(e.rest, number)
		return &abi.PersonExportResponse{Data: open.document}, nil
	}
	piece := open.document[:abi.MaxExportPiece]
	open.document = open.document[abi.MaxExportPiece:]
	return &abi.PersonExportResponse{Export: number, Data: piece}, nil
}

func (e *exports) drop(number uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.rest, number)
}

// close deletes all open exports.
func (e *exports) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for number, open := range e.rest {
		open.expiry.Stop()
		delete(e.rest, number)
	}
}
