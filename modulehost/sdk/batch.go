package sdk

import (
	"context"
	"errors"
	"fmt"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

const mostInBatch = 32 // docs/reference/modules.md

// Statement is one of a batch, with the place for its result: see SelectInto, RowInto and ExecInto.
type Statement struct {
	sql  string
	args []any
	read func(rows *Rows, affected int64) error
}

// SelectInto is a query of a batch. Its rows replace those of into, scanned as by Select.
func SelectInto[T any](into *[]T, sql string, args ...any) Statement {
	return SelectIntoBy(into, scanFields[T], sql, args...)
}

// SelectIntoBy is a query of a batch. Its rows replace those of into, each as scan reads it.
func SelectIntoBy[T any](
	into *[]T, scan func(row Scanner, into *T) error, sql string, args ...any,
) Statement {
	return Statement{sql, args, func(rows *Rows, _ int64) (err error) {
		*into, err = collect(rows, scan)
		return err
	}}
}

// RowInto is a query of a batch whose first row is copied into dst. Its error is sql.ErrNoRows when there is
// none.
func RowInto(dst []any, sql string, args ...any) Statement {
	return Statement{sql, args, func(rows *Rows, _ int64) error { return (&Row{rows: rows}).Scan(dst...) }}
}

// ExecInto is a statement of a batch that sets the number of affected rows. affected may be nil.
func ExecInto(affected *int64, sql string, args ...any) Statement {
	return Statement{sql, args, func(rows *Rows, n int64) error {
		rows.Close()
		if affected != nil {
			*affected = n
		}
		return nil
	}}
}

// Read runs queries as one batch. If their results are too large for that, or if there is only one, it runs
// one after the other without a limit on their size. Errors: those of Batch and Query.
func Read(ctx context.Context, in Querier, queries ...Statement) error {
	if len(queries) > 1 {
		if err := in.Batch(ctx, queries...); !errors.Is(err, ErrMessageTooLarge) {
			return err
		}
	}
	for _, one := range queries {
		rows, err := in.Query(ctx, one.sql, one.args...)
		if err == nil {
			err = one.read(rows, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// BatchError is the failure of one statement of a batch.
type BatchError struct {
	Index int // of the statement; as many as there are: the commit
	Err   error
}

// Error returns the text of the failure with the number of the statement.
func (e *BatchError) Error() string {
	return fmt.Sprintf("statement %d of a batch: %v", e.Index+1, e.Err)
}

// Unwrap returns the failure.
func (e *BatchError) Unwrap() error { return e.Err }

var errAnswer = errors.New("the host sent a damaged answer to a batch")

// Batch runs up to 32 statements one after the other, with one call to the host and one to PostgreSQL. Each
// begins with SELECT, INSERT, UPDATE, DELETE, MERGE, WITH, VALUES, TABLE or "(". All of their results
// together have at most 1 MiB. DB.Batch is a transaction of its own, without a call to begin or commit it.
//
// The first failure ends the batch: no place for a result has changed, nothing of DB.Batch was done, and
// a transaction can only be rolled back. Errors: a *BatchError around one of Query's, or one of Query's if
// the failure is not about one statement. When a result does not fit (ErrMessageTooLarge, ErrRowTooLarge) or
// cannot be scanned, what DB.Batch has changed stays changed.
func (s statements) Batch(ctx context.Context, list ...Statement) error {
	switch {
	case len(list) == 0:
		return nil
	case len(list) > mostInBatch:
		return fmt.Errorf("a batch of %d statements, but %d are the most", len(list), mostInBatch)
	}
	request := &abi.BatchRequest{Transaction: s.transaction,
		Statements: make([]*abi.BatchStatement, len(list))}
	for i, statement := range list {
		values, err := encodeArguments(statement.args)
		if err != nil {
			return &BatchError{i, err}
		}
		request.Statements[i] = &abi.BatchStatement{Sql: statement.sql, Arguments: values}
	}
	var response abi.BatchResponse
	if err := s.open(ctx, abi.Method_METHOD_BATCH, request, &response); err != nil {
		return err
	}
	if response.GetCode() != "" {
		return batchError(list, &response)
	}
	if len(response.GetResults()) != len(list) {
		return errAnswer
	}
	for i, result := range response.GetResults() {
		page := &abi.RowsResponse{Columns: result.GetColumns(), Rows: result.GetRows()}
		if err := list[i].read(newRows(ctx, s, page), result.GetRowsAffected()); err != nil {
			return &BatchError{i, err}
		}
	}
	return nil
}

func batchError(list []Statement, response *abi.BatchResponse) error {
	failed := &BatchError{Index: int(response.GetFailed())}
	failed.Err = failureError(response.GetCode(), response.GetDetail())
	if failed.Index < len(list) {
		failed.Err = withPosition(failed.Err, list[failed.Index].sql)
	}
	return failed
}
