package sqldb

import (
	"database/sql/driver"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// rows is the result of one query.
type rows struct {
	found *sdk.Rows
	types []string
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

// Columns returns the columns' names.
func (r *rows) Columns() []string { return r.found.Columns() }

// Close releases the connection.
func (r *rows) Close() error {
	r.found.Close()
	return nil
}

// Next copies the next row into dest; it returns io.EOF at the end.
func (r *rows) Next(dest []driver.Value) error {
	if !r.found.Next() {
		if err := r.found.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	values, err := r.found.Values()
	copy(dest, values)
	return err
}

// ColumnTypeDatabaseTypeName returns PostgreSQL's name in capitals, "INT8"; "" for a type of the module's
// own.
func (r *rows) ColumnTypeDatabaseTypeName(index int) string {
	if r.types == nil {
		r.types = r.found.ColumnTypes()
	}
	return strings.ToUpper(r.types[index])
}

// ColumnTypeScanType returns the Go type of the column's values that are not NULL.
func (r *rows) ColumnTypeScanType(index int) reflect.Type {
	switch r.ColumnTypeDatabaseTypeName(index) {
	case "INT2", "INT4", "INT8", "OID":
		return reflect.TypeFor[int64]()
	case "FLOAT4", "FLOAT8":
		return reflect.TypeFor[float64]()
	case "BOOL":
		return reflect.TypeFor[bool]()
	case "DATE", "TIMESTAMP", "TIMESTAMPTZ":
		return reflect.TypeFor[time.Time]()
	case "BYTEA", "JSON", "JSONB":
		return reflect.TypeFor[[]byte]()
	}
	return reflect.TypeFor[string]()
}
