package sdk

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// ErasePerson forgets a person in the module's own data (Registry.PersonErased).
type ErasePerson func(ctx context.Context, userID string) error

// ExportPerson returns what the module keeps of a person (Registry.PersonExport).
type ExportPerson func(ctx context.Context, userID string) (any, error)

// PersonErased declares what is done when somebody was erased, for ever: forget must delete what tells who
// they were, and may keep the rest without the id. It has 30 s. After an error the platform calls again,
// after a minute at first and after an hour at last, also after a restart, and also about people who were
// erased while the module did not run; so it may come twice for a person. A module that keeps nothing of
// people does not declare it.
func (r *Registry) PersonErased(forget ErasePerson) {
	if r.forget != nil {
		r.problems = append(r.problems, errors.New("PersonErased is declared twice"))
	}
	r.forget = forget
}

// PersonExport declares what a person gets of the module when they ask for their data: a value whose
// JSON has at most 8 MiB; nil when the module keeps nothing of them. It has 10 s. After an
// error, or when it takes longer, the person gets the rest of their data and reads that this module's is
// missing.
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
	return &abi.PersonErasedResponse{}, l.registry.forget(ctx, request.GetUserId())
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
	if err != nil {
		return nil, err
	}
	document, err := encode(value)
	if err != nil {
		return nil, err
	}
	return l.exports.begin(document, l.timeouts.short)
}

// openExports bounds the exports that wait to be continued.
const openExports = 4

var (
	errExportTooLarge = errors.New("the export is more than 8 MiB")
	errExportUnknown  = errors.New("no such export is open")
	errExportsOpen    = errors.New("too many exports are open")
)

// exports holds what is left of exports that are longer than a message.
type exports struct {
	mu   sync.Mutex
	last uint64
	rest map[uint64]*export
}

type export struct {
	document []byte
	expiry   *time.Timer // the platform gives up, and does not say so
}

// begin returns the first piece of a document, and keeps the rest for a time.
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

// close drops what is left.
func (e *exports) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for number, open := range e.rest {
		open.expiry.Stop()
		delete(e.rest, number)
	}
}
