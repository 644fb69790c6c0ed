package sdk

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"time"
)

// Querier is a DB or a Tx: what a function takes that reads, and is used in a transaction and outside.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (rowsAffected int64, err error)
	Query(ctx context.Context, sql string, args ...any) (*Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) *Row
	Batch(ctx context.Context, list ...Statement) error
}

// Scanner is a row of a query.
type Scanner interface{ Scan(dst ...any) error }

// Select runs a query and returns all of its rows. The columns are scanned into the exported fields of T, in
// their order and with those of embedded structs; a T that is no struct is the only column. Errors: those of
// Query and Rows, and one for a wrong number of columns.
//
//	names, err := sdk.Select[string](ctx, tx, `SELECT name FROM rooms ORDER BY id`)
func Select[T any](ctx context.Context, from Querier, statement string, args ...any) ([]T, error) {
	return SelectBy(ctx, from, scanFields[T], statement, args...)
}

func scanFields[T any](row Scanner, into *T) error {
	return row.Scan(destinations(reflect.ValueOf(into).Elem())...)
}

// SelectBy runs a query and returns all of its rows, each as scan reads it.
func SelectBy[T any](
	ctx context.Context, from Querier, scan func(row Scanner, into *T) error, statement string, args ...any,
) ([]T, error) {
	rows, err := from.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scan)
}

func collect[T any](rows *Rows, scan func(row Scanner, into *T) error) ([]T, error) {
	defer rows.Close()
	var all []T
	for rows.Next() {
		var one T
		if err := scan(rows, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// destinations returns where the columns of a row go: the fields of a struct, or the value itself.
func destinations(value reflect.Value) []any {
	into := value.Addr().Interface()
	if _, scans := into.(sql.Scanner); value.Kind() != reflect.Struct || scans || value.Type() == timeType {
		return []any{into}
	}
	return fields(nil, value)
}

var timeType = reflect.TypeFor[time.Time]()

// fields appends pointers to the exported fields of a struct, and to those of embedded structs.
func fields(to []any, value reflect.Value) []any {
	for at := range value.NumField() {
		switch field := value.Type().Field(at); {
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			to = fields(to, value.Field(at))
		case field.IsExported():
			to = append(to, value.Field(at).Addr().Interface())
		}
	}
	return to
}

// OrNoRow returns err, or the refusal instead of sql.ErrNoRows.
func OrNoRow(err, refusal error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return refusal
	}
	return err
}
