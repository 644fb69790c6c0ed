package sdk

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// selection is the list of all columns of "row".
func (c *Collection[T]) selection() string {
	names := make([]string, len(c.columns))
	for n, one := range c.columns {
		names[n] = one.selected()
	}
	return strings.Join(names, ", ")
}

// scan reads a row of the selection, and then more columns.
func (c *Collection[T]) scan(from Scanner, row *T, more ...any) error {
	into := make([]any, len(c.columns), len(c.columns)+len(more))
	for n, one := range c.columns {
		into[n] = one.of(row).Addr().Interface()
	}
	return from.Scan(append(into, more...)...)
}

// orderBy is the order of the list.
func (c *Collection[T]) orderBy() string {
	way := ""
	if c.descends() {
		way = " DESC"
	}
	if c.order == nil {
		return "row.id" + way
	}
	return c.order.sortedBy() + way + ", row.id" + way
}

func (c *Collection[T]) descends() bool {
	return c.order == nil && c.id.desc || c.order != nil && c.order.desc
}

// All reads all rows in the order of the list.
func (c *Collection[T]) All(ctx context.Context, from Querier) ([]T, error) {
	var all []T
	err := Read(ctx, from, c.AllInto(&all))
	return all, err
}

// AllInto is All as a query of a batch.
func (c *Collection[T]) AllInto(into *[]T) Statement {
	return SelectIntoBy(into, func(row Scanner, into *T) error {
		*into = c.copied(nil)
		return c.scan(row, into)
	},
		`SELECT `+c.selection()+` FROM `+c.Table+` AS row ORDER BY `+c.orderBy())
}

// Get reads one row. Errors: the refusal 404, like BOOK_NOT_FOUND, and those of Query.
func (c *Collection[T]) Get(ctx context.Context, from Querier, id any) (row T, err error) {
	row = c.copied(nil)
	err = c.scan(from.QueryRow(ctx, `SELECT `+c.selection()+` FROM `+c.Table+` AS row WHERE row.id = `+
		c.parameter(1), id), &row)
	return row, OrNoRow(err, c.refuse(http.StatusNotFound, "NOT_FOUND"))
}

// Insert adds a row to those that there are, at the end if they have positions. The database sets its id and
// its rev. Errors: the refusals of the collection, and those of Query.
func (c *Collection[T]) Insert(ctx context.Context, tx *Tx, row *T) error {
	if c.Max > 0 {
		var count int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+c.Table).Scan(&count); err != nil {
			return err
		}
		if count >= c.Max {
			return Refuse(http.StatusConflict, "TOO_MANY_"+upper(c.name))
		}
	}
	var names, values []string
	var args []any
	for _, one := range c.columns {
		if one.fixed {
			continue
		}
		value, err := one.argument(row)
		if err != nil {
			return err
		}
		args = append(args, value)
		names, values = append(names, one.sql), append(values, fmt.Sprintf("$%d", len(args)))
	}
	if c.position != nil {
		names = append(names, c.position.sql)
		values = append(values, fmt.Sprintf(`(SELECT coalesce(max(%s), 0) + %d FROM %s)`, c.position.sql, gap,
			c.Table))
	}
	err := c.scan(tx.QueryRow(ctx, `INSERT INTO `+c.Table+` AS row (`+strings.Join(names, ", ")+`) VALUES (`+
		strings.Join(values, ", ")+`) RETURNING `+c.selection(), args...), row)
	return c.written(err)
}

// Update replaces the row with the id and the rev of row, which gets the next rev. Errors: the refusals of
// the collection, CONFLICT among them for another rev, and those of Query.
func (c *Collection[T]) Update(ctx context.Context, tx *Tx, row *T) error {
	id := c.idOf(row)
	args := []any{id, c.rev.of(row).Int()}
	var sets []string
	for _, one := range c.columns {
		if one.fixed {
			continue
		}
		value, err := one.argument(row)
		if err != nil {
			return err
		}
		args = append(args, value)
		sets = append(sets, fmt.Sprintf("%s = $%d", one.sql, len(args)))
	}
	rev := c.rev.sql
	err := c.scan(tx.QueryRow(ctx, `UPDATE `+c.Table+` AS row SET `+strings.Join(sets, ", ")+`, `+rev+` = row.`+
		rev+` + 1 WHERE row.id = `+c.parameter(1)+` AND row.`+rev+` = $2 RETURNING `+c.selection(), args...), row)
	if errors.Is(err, sql.ErrNoRows) {
		return c.missing(ctx, tx, id, errCollectionConflict)
	}
	return c.written(err)
}

// Delete removes a row that nothing uses. Errors: the refusals of the collection, and those of Exec.
func (c *Collection[T]) Delete(ctx context.Context, tx *Tx, id any) error {
	inUse := c.refuse(http.StatusConflict, "IN_USE")
	n, err := tx.Exec(ctx, `DELETE FROM `+c.Table+` AS row WHERE row.id = `+c.parameter(1)+` AND NOT coalesce((`+
		cmp.Or(c.Used, "false")+`), false)`, id)
	if said := (*DatabaseError)(nil); errors.As(err, &said) && said.SQLState == "23503" {
		return inUse
	}
	if err != nil || n > 0 {
		return err
	}
	return c.missing(ctx, tx, id, inUse)
}

// missing returns why a change found no row: there is none, or else the refusal.
func (c *Collection[T]) missing(ctx context.Context, tx *Tx, id any, there Refusal) error {
	var found bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+c.Table+` WHERE id = `+c.parameter(1)+`)`,
		id).Scan(&found)
	if err == nil && found {
		return there
	}
	if err == nil {
		return c.refuse(http.StatusNotFound, "NOT_FOUND")
	}
	return err
}
