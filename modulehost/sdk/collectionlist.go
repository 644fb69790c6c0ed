package sdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// listEnd is where a page of the list ends, as texts of PostgreSQL.
type listEnd struct {
	By string `json:"by,omitempty"` // the column that the list is ordered by
	ID string `json:"id"`
}

// listed is a row with its place in the list.
type listed struct {
	row any
	end listEnd
}

// maxSearch is the longest text that is searched for, in characters.
const maxSearch = 100

func (c *Collection[T]) listPage(ctx context.Context, r *http.Request) (any, error) {
	var further []string
	if c.searches() {
		further = []string{"q"}
	}
	page, err := ReadPage[listEnd](r, further...)
	if err != nil {
		return nil, err
	}
	search := strings.TrimSpace(page.Query["q"])
	if !IsLine(search, 0, maxSearch) {
		return nil, invalid("q has more than %d characters, or control characters", maxSearch)
	}
	var rev int64
	var rows []listed
	if err := Read(ctx, c.host().DB, c.withRev(&rev, c.selectPage(&rows, search, page))...); err != nil {
		return nil, ofCursor(err, page.After)
	}
	rows, next, err := CutPage(page, rows, func(one listed) listEnd { return one.end })
	all := make([]any, len(rows))
	for n := range rows {
		all[n] = rows[n].row
	}
	answer := c.answer(all, rev)
	answer["nextCursor"] = next
	return answer, err
}

// answer is that of a list. Its rev is there if the collection counts its changes itself.
func (c *Collection[T]) answer(rows any, rev int64) map[string]any {
	answer := map[string]any{c.name: rows}
	if c.Change == nil {
		answer["rev"] = rev
	}
	return answer
}

// withRev reads the rev of the list before its rows, so that what is done by a list that changes meanwhile is
// refused.
func (c *Collection[T]) withRev(rev *int64, list Statement) []Statement {
	if c.Change != nil {
		return []Statement{list}
	}
	return []Statement{RowInto([]any{rev}, c.selectRev()), list}
}

func (c *Collection[T]) searches() bool {
	for _, one := range c.columns {
		if one.search {
			return true
		}
	}
	return c.Search != ""
}

// selectPage selects one row more than the page has.
func (c *Collection[T]) selectPage(into *[]listed, search string, page PageOf[listEnd]) Statement {
	var where []string
	var args []any
	if search != "" {
		args = append(args, "%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(search)+"%")
		where = append(where, "("+c.matches()+")")
	}
	if page.After != nil {
		than := " > "
		if c.descends() {
			than = " < "
		}
		args = append(args, page.After.ID)
		id := fmt.Sprintf("$%d::text::%s", len(args), c.id.sqlType())
		if c.order == nil {
			where = append(where, "row.id"+than+id)
		} else {
			args = append(args, page.After.By)
			where = append(where, fmt.Sprintf("(%s, row.id)%s($%d::text::%s, %s)",
				c.order.sortedBy(), than, len(args), c.order.sqlType(), id))
		}
	}
	by := "''"
	if c.order != nil {
		by = "row." + c.order.sql + "::text"
	}
	statement := `SELECT ` + cmp.Or(c.Listed, c.selection()) + `, ` + by + `, row.id::text FROM ` + c.Table +
		` AS row`
	if len(where) > 0 {
		statement += ` WHERE ` + strings.Join(where, " AND ")
	}
	statement += fmt.Sprintf(` ORDER BY %s LIMIT %d`, c.orderBy(), page.Limit+1)
	return SelectIntoBy(into, func(from Scanner, one *listed) error {
		if c.Listed != "" {
			var text []byte
			err := from.Scan(&text, &one.end.By, &one.end.ID)
			one.row = jsontext.Value(text)
			return err
		}
		row := c.copied(nil)
		err := c.scan(from, &row, &one.end.By, &one.end.ID)
		one.row = row
		return err
	}, statement, args...)
}

// matches is the condition for rows that are searched for by $1.
func (c *Collection[T]) matches() string {
	if c.Search != "" {
		return c.Search
	}
	var conditions []string
	for _, one := range c.columns {
		if one.search {
			conditions = append(conditions,
				`lower(row.`+one.sql+` COLLATE "und-x-icu") LIKE lower($1 COLLATE "und-x-icu")`)
		}
	}
	return strings.Join(conditions, " OR ")
}

// ofCursor returns ErrRequestInvalid for an error that a forged cursor causes, such as a text that is no
// time.
func ofCursor(err error, after *listEnd) error {
	said := (*DatabaseError)(nil)
	if after != nil && errors.As(err, &said) && strings.HasPrefix(said.SQLState, "22") {
		return invalid("cursor has a value that the column does not have")
	}
	return err
}

func (c *Collection[T]) selectRev() string { return `SELECT rev FROM ` + c.Table + `_rev` }

// readRev reads the rev of the list.
func (c *Collection[T]) readRev(ctx context.Context, from Querier) (rev int64, err error) {
	return rev, from.QueryRow(ctx, c.selectRev()).Scan(&rev)
}
