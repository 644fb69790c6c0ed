package sdk

import (
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/pgtype"
)

// Values returns the row's columns with the types that drivers of database/sql use: nil, int64, float64,
// bool, string, time.Time, and []byte for bytea and JSON. Every other type is returned as PostgreSQL's text.
// A range is refused: select it as text. The caller may keep the values.
func (r *Rows) Values() ([]driver.Value, error) {
	values := make([]driver.Value, len(r.columns))
	for i, column := range r.columns {
		known, found := r.types.TypeForOID(column.GetTypeOid())
		if r.values[i] == nil {
			continue
		}
		if !found { // a type that the module has created, which is sent as text
			values[i] = string(r.values[i])
			continue
		}
		format := int16(pgtype.TextFormatCode)
		if column.GetBinary() {
			format = pgtype.BinaryFormatCode
		}
		value, err := columnValue(r.types, known, format, r.values[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", column.GetName(), err)
		}
		values[i] = value
	}
	return values, nil
}

// columnValue handles the types that the type map would return as raw bytes: it converts arrays to text and
// refuses ranges.
func columnValue(types *pgtype.Map, known *pgtype.Type, format int16, src []byte) (driver.Value, error) {
	switch known.Codec.(type) {
	case *pgtype.ArrayCodec:
		var elements pgtype.Array[any] // with its dimensions
		if err := types.Scan(known.OID, format, src, &elements); err != nil {
			return nil, err
		}
		text, err := types.Encode(known.OID, pgtype.TextFormatCode, elements, nil)
		return string(text), err
	case *pgtype.RangeCodec, *pgtype.MultirangeCodec:
		return nil, fmt.Errorf("select a %s as text", known.Name)
	}
	return known.Codec.DecodeDatabaseSQLValue(types, known.OID, format, src)
}

// ColumnTypes returns PostgreSQL's names of the columns' types: "int8", "text", "timestamptz"; "" for a type
// that is not built in.
func (r *Rows) ColumnTypes() []string {
	types := typeMaps.Get().(*pgtype.Map)
	defer typeMaps.Put(types)
	names := make([]string, len(r.columns))
	for i, column := range r.columns {
		if known, found := types.TypeForOID(column.GetTypeOid()); found {
			names[i] = known.Name
		}
	}
	return names
}
