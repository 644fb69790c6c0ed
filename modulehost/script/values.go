package script

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/dop251/goja"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// parameters converts the values of a statement.
func (a arguments) parameters(list goja.Value) []any {
	if missing(list) {
		return nil
	}
	object := list.ToObject(a.vm)
	values := make([]any, object.Get("length").ToInteger())
	for n := range values {
		values[n] = a.parameter(object.Get(fmt.Sprint(n)), n+1)
	}
	return values
}

// parameter converts one value of a statement: null, booleans, numbers, bigints, texts, dates, bytes, and
// lists of texts or of whole numbers. Everything else is sent as JSON.
func (a arguments) parameter(value goja.Value, number int) any {
	if missing(value) {
		return nil
	}
	switch v := value.Export().(type) {
	case bool, string, int64, time.Time:
		return v
	case float64:
		return wholeOr(v)
	case *big.Int:
		if v.IsInt64() {
			return v.Int64()
		}
		return v.String()
	case goja.ArrayBuffer:
		return append([]byte(nil), v.Bytes()...)
	case []byte:
		return append([]byte(nil), v...)
	case []any:
		if list := listOf[string](v); list != nil {
			return list
		}
		if list := listOf[int64](v); list != nil {
			return list
		}
	case func(goja.FunctionCall) goja.Value, *goja.Symbol:
		panic(a.vm.NewTypeError("value %d of the statement is a %T, which the database does not have", number, v))
	}
	return a.json(value)
}

// wholeOr returns a float64 as an integer if it is one that a number can hold exactly.
func wholeOr(v float64) any {
	if v == math.Trunc(v) && math.Abs(v) <= maxSafe {
		return int64(v)
	}
	return v
}

// listOf returns nil if not every element is a T, or there is none.
func listOf[T any](list []any) []T {
	made := make([]T, len(list))
	for n, element := range list {
		one, is := element.(T)
		if !is {
			return nil
		}
		made[n] = one
	}
	return made
}

// json returns a value's JSON, as JSON.stringify makes it.
func (a arguments) json(value goja.Value) string {
	text, err := a.vm.ToValue(value).ToObject(a.vm).MarshalJSON()
	if err != nil {
		panic(a.errorValue(err))
	}
	return string(text)
}

// bytes returns a copy of the bytes of a text, a typed array or an array buffer.
func (a arguments) bytes(n int, what string) []byte {
	switch v := a.at(n).Export().(type) {
	case string:
		return []byte(v)
	case []byte:
		return append([]byte(nil), v...)
	case goja.ArrayBuffer:
		return append([]byte(nil), v.Bytes()...)
	}
	panic(a.vm.NewTypeError("%s must be a string or a Uint8Array", what))
}

// byteArray makes a Uint8Array that owns data.
func (e *engine) byteArray(data []byte) (goja.Value, error) {
	return e.vm.New(e.vm.Get("Uint8Array"), e.vm.ToValue(e.vm.NewArrayBuffer(data)))
}

// date makes a Date, or null for a zero time.
func (e *engine) date(t time.Time) (goja.Value, error) {
	if t.IsZero() {
		return goja.Null(), nil
	}
	return e.vm.New(e.vm.Get("Date"), e.vm.ToValue(t.UnixMilli()))
}

// timeOf returns an argument that is a Date; zero for none.
func (a arguments) timeOf(n int, what string) time.Time {
	if missing(a.at(n)) {
		return time.Time{}
	}
	t, is := a.at(n).Export().(time.Time)
	if !is {
		panic(a.vm.NewTypeError("%s must be a Date", what))
	}
	return t
}

// maxSafe is the largest whole number that a number of the language holds exactly.
const maxSafe = 1<<53 - 1

// rowsRead is the whole result of a query.
type rowsRead struct {
	columns, types []string
	cells          [][]any
}

// readRows reads rows to their end. Errors: those of sdk.Rows.
func readRows(rows *sdk.Rows) (*rowsRead, error) {
	defer rows.Close()
	read := &rowsRead{columns: rows.Columns(), types: rows.ColumnTypes()}
	for rows.Next() {
		into := make([]any, len(read.columns))
		for n := range into {
			into[n] = cellOf(read.types[n])
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		read.cells = append(read.cells, into)
	}
	return read, rows.Err()
}

// cellOf returns what a column of a type is scanned into. Types without a counterpart are texts.
func cellOf(name string) any {
	switch name {
	case "bool":
		return new(*bool)
	case "int2", "int4", "int8", "oid":
		return new(*int64)
	case "float4", "float8":
		return new(*float64)
	case "timestamptz", "timestamp", "date":
		return new(*time.Time)
	case "bytea":
		return new([]byte)
	case "_text", "_varchar", "_uuid", "_bpchar":
		return new([]*string)
	case "_int2", "_int4", "_int8":
		return new([]*int64)
	case "_bool":
		return new([]*bool)
	}
	return new(textCell)
}

// textCell is the text of a column; nil: NULL.
type textCell struct{ text *string }

// Scan takes what a driver of database/sql would get.
func (c *textCell) Scan(source any) error {
	text := ""
	switch value := source.(type) {
	case nil:
		return nil
	case string:
		text = value
	case []byte:
		text = string(value)
	default:
		text = fmt.Sprint(value)
	}
	c.text = &text
	return nil
}

// value makes the rows' objects.
func (e *engine) rowValues(read *rowsRead) (goja.Value, error) {
	rows := make([]any, len(read.cells))
	for n, cells := range read.cells {
		row := e.vm.NewObject()
		for at, cell := range cells {
			value, err := e.cellValue(cell, read.types[at])
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", read.columns[at], err)
			}
			if err := row.Set(read.columns[at], value); err != nil {
				return nil, err
			}
		}
		rows[n] = row
	}
	return e.vm.NewArray(rows...), nil
}

func (e *engine) cellValue(cell any, name string) (goja.Value, error) {
	switch v := cell.(type) {
	case **bool:
		return orNull(e, *v, func(is bool) (goja.Value, error) { return e.vm.ToValue(is), nil })
	case **int64:
		return orNull(e, *v, e.wholeNumber)
	case **float64:
		return orNull(e, *v, func(n float64) (goja.Value, error) { return e.vm.ToValue(n), nil })
	case *textCell:
		return orNull(e, v.text, func(text string) (goja.Value, error) {
			if name == "json" || name == "jsonb" {
				return e.prelude.parseJSON(goja.Undefined(), e.vm.ToValue(text))
			}
			return e.vm.ToValue(text), nil
		})
	case **time.Time:
		return orNull(e, *v, func(t time.Time) (goja.Value, error) { return e.timeValue(t, name) })
	case *[]byte:
		if *v == nil {
			return goja.Null(), nil
		}
		return e.byteArray(*v)
	case *[]*string:
		return elements(e, *v, func(s string) (goja.Value, error) { return e.vm.ToValue(s), nil })
	case *[]*int64:
		return elements(e, *v, e.wholeNumber)
	case *[]*bool:
		return elements(e, *v, func(is bool) (goja.Value, error) { return e.vm.ToValue(is), nil })
	}
	return nil, fmt.Errorf("a %T has no value", cell)
}

func (e *engine) wholeNumber(n int64) (goja.Value, error) {
	if n > maxSafe || n < -maxSafe {
		return nil, fmt.Errorf("%d is more than a number can hold exactly; select it as text", n)
	}
	return e.vm.ToValue(n), nil
}

// timeValue makes a Date of a moment, and a text of what is none: a day, or a time on a clock.
func (e *engine) timeValue(t time.Time, name string) (goja.Value, error) {
	switch name {
	case "date":
		return e.vm.ToValue(t.Format(time.DateOnly)), nil
	case "timestamp":
		return e.vm.ToValue(t.Format("2006-01-02T15:04:05.000")), nil
	}
	return e.date(t)
}

func orNull[T any](e *engine, value *T, make func(T) (goja.Value, error)) (goja.Value, error) {
	if value == nil {
		return goja.Null(), nil
	}
	return make(*value)
}

func elements[T any](e *engine, list []*T, make func(T) (goja.Value, error)) (goja.Value, error) {
	if list == nil {
		return goja.Null(), nil
	}
	var values []any
	for _, element := range list {
		value, err := orNull(e, element, make)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return e.vm.NewArray(values...), nil
}

// query runs a statement, in a transaction or outside, and reads all of its rows.
func query(ctx context.Context, in sdk.Querier, statement string, values []any) (*rowsRead, error) {
	rows, err := in.Query(ctx, statement, values...)
	if err != nil {
		return nil, err
	}
	return readRows(rows)
}
