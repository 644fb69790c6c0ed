package sdk

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/narthex-platform/narthex/modulehost/sdk/abi"
)

// Rows is the result of a query, fetched page by page. Not safe for concurrent use.
type Rows struct {
	ctx        context.Context
	statements statements
	columns    []*abi.Column
	cursor     uint64 // 0: the current page is the last one
	page       []byte // the unread part of the current page
	values     [][]byte
	err        error
	types      *pgtype.Map
}

// typeMaps reuses type maps, so that a query rarely needs a new one. A map caches plans, and one query at a
// time may use it.
var typeMaps = sync.Pool{New: func() any { return pgtype.NewMap() }}

func newRows(ctx context.Context, s statements, first *abi.RowsResponse) *Rows {
	return &Rows{
		ctx:        ctx,
		statements: s,
		columns:    first.GetColumns(),
		cursor:     first.GetCursor(),
		page:       first.GetRows(),
		values:     make([][]byte, len(first.GetColumns())),
		types:      typeMaps.Get().(*pgtype.Map),
	}
}

// Columns returns the columns' names.
func (r *Rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, column := range r.columns {
		names[i] = column.GetName()
	}
	return names
}

// Next advances to the next row. It returns false at the end and after a failure, which Err returns.
func (r *Rows) Next() bool {
	for len(r.page) == 0 && r.cursor != 0 && r.err == nil {
		var next abi.RowsResponse
		if err := r.statements.call(r.ctx, abi.Method_METHOD_FETCH, &abi.FetchRequest{Cursor: r.cursor},
			&next); err != nil {
			r.err, r.cursor = err, 0
			break
		}
		r.page, r.cursor = next.GetRows(), next.GetCursor()
	}
	if r.err != nil || len(r.page) == 0 {
		r.Close()
		return false
	}
	r.err = r.readRow()
	return r.err == nil
}

var errPage = errors.New("the host sent a damaged page of rows")

func (r *Rows) readRow() error {
	if len(r.values) == 0 { // a row without columns is encoded as one NULL
		if len(r.page) < 4 {
			return errPage
		}
		r.page = r.page[4:]
	}
	for i := range r.values {
		if len(r.page) < 4 {
			return errPage
		}
		length := int32(binary.BigEndian.Uint32(r.page))
		r.page = r.page[4:]
		switch {
		case length < 0:
			r.values[i] = nil
		case int(length) > len(r.page):
			return errPage
		default:
			r.values[i] = r.page[:length:length]
			r.page = r.page[length:]
		}
	}
	return nil
}

// Scan copies the row's columns into dst, one pointer for each column. A pointer to a pointer and a
// sql.Scanner also accept NULL; a pointer to a slice accepts an array.
func (r *Rows) Scan(dst ...any) error {
	if len(dst) != len(r.columns) {
		return fmt.Errorf("%d columns, but %d destinations", len(r.columns), len(dst))
	}
	for i, column := range r.columns {
		format := int16(pgtype.TextFormatCode)
		if column.GetBinary() {
			format = pgtype.BinaryFormatCode
		}
		if column.GetTypeOid() == pgtype.BoolOID && r.scanBool(format, r.values[i], dst[i]) {
			continue
		}
		if err := r.types.Scan(column.GetTypeOid(), format, r.values[i], dst[i]); err != nil {
			return fmt.Errorf("column %s: %w", column.GetName(), err)
		}
	}
	return nil
}

// scanBool converts a bool to "true" or "false" when dst is a string, as database/sql does. It returns false
// when dst is not a string or the value is NULL; then the type map handles the column.
func (r *Rows) scanBool(format int16, value []byte, dst any) bool {
	to := reflect.ValueOf(dst)
	if value == nil || to.Kind() != reflect.Pointer || to.IsNil() {
		return false
	}
	if to = to.Elem(); to.Kind() == reflect.Pointer && to.Type().Elem().Kind() == reflect.String {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	var is bool
	if to.Kind() != reflect.String || r.types.Scan(pgtype.BoolOID, format, value, &is) != nil {
		return false
	}
	to.SetString(strconv.FormatBool(is))
	return true
}

// Err returns the failure that ended the rows early, or nil.
func (r *Rows) Err() error { return r.err }

// Close releases the connection. Rows read to the end are closed already; closing twice is fine.
func (r *Rows) Close() {
	if r.cursor != 0 {
		_ = r.statements.call(context.WithoutCancel(r.ctx), abi.Method_METHOD_CLOSE_ROWS,
			&abi.CloseRowsRequest{Cursor: r.cursor}, &abi.CloseRowsResponse{})
		r.cursor = 0
	}
	r.page = nil
	if r.types != nil {
		typeMaps.Put(r.types)
		r.types = nil
	}
}

// Row is the first row of a query.
type Row struct {
	rows *Rows
	err  error
}

// Scan copies the row's columns into dst. It returns sql.ErrNoRows when there is no row.
func (r *Row) Scan(dst ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return sql.ErrNoRows
	}
	return r.rows.Scan(dst...)
}
