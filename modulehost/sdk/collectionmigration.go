package sdk

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ErrCollectionTable: the table of a Collection does not fit its struct, so the module does not start.
const ErrCollectionTable = Error("COLLECTION_TABLE_INVALID")

// start compares the tables with the row, so that a missing column is told when the module starts and not
// with the first request.
func (c *Collection[T]) start(ctx context.Context, h *Host) error {
	if h.DB == nil {
		return &mistake{ErrCollectionTable, fmt.Sprintf("the collection %s needs a database; add "+
			"\"database\": {\"abi\": 1, \"migrations\": \"migrations\"} to module.json", c.Path)}
	}
	if c.Change == nil {
		c.changes = h.Changes(`UPDATE ` + c.Table + `_rev SET rev = rev + 1 RETURNING rev`)
	}
	if why := c.unfit(ctx, h.DB); why != "" {
		return &mistake{ErrCollectionTable, fmt.Sprintf("the collection %s does not fit its table: %s; this "+
			"migration fits:\n%s", c.Path, why, c.Migration())}
	}
	return nil
}

// unfit says why the tables do not fit the row; "": they do, or the database is away, which the first request
// tells.
func (c *Collection[T]) unfit(ctx context.Context, db *DB) string {
	rows, err := db.Query(ctx, `SELECT `+c.selection()+` FROM `+c.Table+` AS row LIMIT 0`)
	if err != nil {
		return unknownTo(err)
	}
	types := rows.ColumnTypes()
	rows.Close()
	for n, one := range c.columns {
		if fitting := typesOf[one.kind]; n < len(types) && fitting != nil && !slices.Contains(fitting, types[n]) {
			return fmt.Sprintf("the column %s is a %s, and the field a %s", one.sql, types[n], one.field)
		}
	}
	if c.Change != nil {
		return ""
	}
	counts, err := Select[int64](ctx, db, `SELECT count(*) FROM (`+c.selectRev()+`) AS one`)
	if err == nil && counts[0] != 1 {
		return fmt.Sprintf("the table %s_rev has %d rows instead of one", c.Table, counts[0])
	}
	return unknownTo(err)
}

// typesOf are the types of PostgreSQL that a field is read from. Every type is read as a text.
var typesOf = map[reflect.Kind][]string{
	reflect.Int64: {"int2", "int4", "int8"}, reflect.Float64: {"float4", "float8", "numeric"},
	reflect.Bool: {"bool"}, reflect.Struct: {"timestamptz", "timestamp"}, reflect.Map: {"jsonb", "json"},
}

// unknownTo returns PostgreSQL's text for a table or a column that it does not know; "": something else.
func unknownTo(err error) string {
	if said := (*DatabaseError)(nil); errors.As(err, &said) && strings.HasPrefix(said.SQLState, "42") {
		return said.Error()
	}
	return ""
}

// Migration returns the SQL that makes the collection's tables. Only a new table may be made with it: a table
// that is there already is changed by a migration of its own.
func (c *Collection[T]) Migration() string {
	if c.columns == nil {
		if err := c.compile(); err != nil {
			return "-- " + err.Error()
		}
	}
	var lines []string
	for _, one := range c.columns {
		line := "    " + one.sql + " " + one.sqlType()
		if !one.nullable && one != c.id {
			line += " NOT NULL"
		}
		switch {
		case one == c.id && one.sqlType() == "uuid":
			line += " DEFAULT gen_random_uuid() PRIMARY KEY"
		case one == c.id:
			line += " GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
		case one == c.rev:
			line += " DEFAULT 1"
		case one.key:
			line += " CONSTRAINT " + c.Table + "_" + one.sql + " UNIQUE"
		case one.fixed && one.sqlType() == "timestamptz":
			line += " DEFAULT now()"
		}
		lines = append(lines, line)
	}
	text := "CREATE TABLE " + c.Table + " (\n" + strings.Join(lines, ",\n") + "\n);\n"
	if c.order != nil {
		text += fmt.Sprintf("CREATE INDEX %s_by_%s ON %s (%s, id);\n", c.Table, c.order.sql, c.Table,
			strings.TrimPrefix(c.order.sortedBy(), "row."))
	}
	if c.Change == nil {
		text += fmt.Sprintf("CREATE TABLE %[1]s_rev (rev bigint NOT NULL);\nINSERT INTO %[1]s_rev VALUES (1);\n",
			c.Table)
	}
	return text
}
