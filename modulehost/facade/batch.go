package facade

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/protobuf/proto"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
	"github.com/narthex-platform/narthex/modulehost/sdk/link"
	"github.com/narthex-platform/narthex/services/database"
)

// The limits of a batch (docs/reference/modules.md). batchBytes is the size of all results together.
const (
	mostStatements = 32
	batchBytes     = pageBytes
)

// batch runs several statements as one message to PostgreSQL. A failure of one of them is a part of the
// response, because the module needs its index.
func (s *session) batch(ctx context.Context, request *abi.BatchRequest) (proto.Message, error) {
	count := len(request.GetStatements())
	if count == 0 || count > mostStatements {
		return nil, ErrRequest
	}
	list := make([]database.Statement, count)
	for i, statement := range request.GetStatements() {
		if !database.IsPlain(statement.GetSql()) {
			return failedAt(i, errNotInBatch())
		}
		list[i] = database.Statement{SQL: statement.GetSql(), Args: decodeArguments(statement.GetArguments())}
	}
	var answer batchAnswer
	failed := 0
	err := s.onConnection(ctx, request.GetTransaction(), func(ctx context.Context, l *lease) (err error) {
		failed, err = l.conn.Batch(ctx, list, answer.read)
		return err
	})
	if err != nil {
		return failedAt(failed, databaseError(err))
	}
	return &abi.BatchResponse{Results: answer.results()}, nil
}

// errNotInBatch returns PostgreSQL's error for a feature that it does not support.
func errNotInBatch() error {
	return databaseError(&pgconn.PgError{Code: "0A000",
		Message: "a batch takes only statements that read or change rows; use Exec for others"})
}

// failedAt returns the response to a batch that a statement has ended. A failure that is not about one of the
// statements is the call's.
func failedAt(index int, err error) (proto.Message, error) {
	response := &abi.BatchResponse{Failed: uint32(index)}
	var said *link.Failure
	switch {
	case errors.As(err, &said):
		response.Code, response.Detail = said.CodeText, said.Detail
	case errors.Is(err, ErrRowTooLarge), errors.Is(err, ErrBatchTooLarge):
		response.Code = err.Error()
	default:
		return nil, err
	}
	return response, nil
}

// batchAnswer has the rows of all results in one buffer.
type batchAnswer struct {
	rows  []byte
	parts []batchPart
	size  int // of the columns and rows
}

type batchPart struct {
	columns  []*abi.Column
	end      int // of its rows in the buffer
	affected int64
}

// read appends the rows of the statement with this index, in place of those of an earlier run.
func (a *batchAnswer) read(index int, rows *pgconn.ResultReader) error {
	a.parts = a.parts[:index]
	if index == 0 {
		a.rows, a.size = a.rows[:0], 0
	}
	part := batchPart{columns: columns(rows)}
	for _, column := range part.columns {
		a.size += proto.Size(column)
	}
	if a.size > batchBytes {
		return ErrBatchTooLarge
	}
	for rows.NextRow() {
		before := len(a.rows)
		a.rows = appendRow(a.rows, rows.Values())
		if len(a.rows)-before > pageBytes {
			return ErrRowTooLarge
		}
		if a.size += len(a.rows) - before; a.size > batchBytes {
			return ErrBatchTooLarge
		}
	}
	tag, err := rows.Close()
	part.end, part.affected = len(a.rows), tag.RowsAffected()
	a.parts = append(a.parts, part)
	return err
}

func (a *batchAnswer) results() []*abi.BatchResult {
	results, begin := make([]*abi.BatchResult, len(a.parts)), 0
	for i, part := range a.parts {
		results[i] = &abi.BatchResult{Columns: part.columns, Rows: a.rows[begin:part.end:part.end],
			RowsAffected: part.affected}
		begin = part.end
	}
	return results
}
