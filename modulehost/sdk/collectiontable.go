package sdk

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// maxImportedRows is how many rows an import may have.
const maxImportedRows = 2000

// writeTable writes rows as a table that spreadsheets and importTable read. German spreadsheets part cells by
// semicolons.
func (c *Collection[T]) writeTable(rows []T, language string) *bytes.Buffer {
	table := bytes.NewBufferString("\ufeff") // so that spreadsheets read UTF-8
	writer := csv.NewWriter(table)
	if writer.UseCRLF = true; language == "de" {
		writer.Comma = ';'
	}
	var cells []string
	for _, one := range c.exchanged() {
		cells = append(cells, one.name)
	}
	_ = writer.Write(cells)
	for n := range rows {
		cells = cells[:0]
		for _, one := range c.exchanged() {
			cells = append(cells, one.cell(&rows[n]))
		}
		_ = writer.Write(cells)
	}
	writer.Flush()
	return table
}

// exchanged are the columns of a table that is exported and imported.
func (c *Collection[T]) exchanged() (columns []*column) {
	for _, one := range c.columns {
		if !one.fixed {
			columns = append(columns, one)
		}
	}
	return columns
}

// cell returns a column of a row as a text. No spreadsheet takes it for a formula.
func (one *column) cell(row any) string {
	value := one.of(row)
	if one.nullable {
		if value.IsNil() {
			return ""
		}
		value = value.Elem()
	}
	switch one.kind {
	case reflect.String:
		text := value.String()
		if rest := strings.TrimLeft(text, "'"); rest != "" && strings.ContainsRune("=+-@\t\r", rune(rest[0])) {
			return "'" + text
		}
		return text
	case reflect.Struct:
		return value.Interface().(time.Time).UTC().Format(timeFormat)
	}
	data, _ := encode(value.Interface())
	return string(data)
}

// tableImport is the answer to an import.
type tableImport struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Exchange
}

// importTable imports a table. A row with the key of another one changes it, in the columns that the table
// has; every other one is added, and none is removed.
func (c *Collection[T]) importTable(ctx context.Context, r *http.Request) (any, error) {
	exchange, err := ReadExchange(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := &tableImport{Exchange: exchange}
	columns := ImportedColumns{Columns: files.Columns{}, Needed: [][]string{{c.key.name}}}
	for _, one := range c.exchanged() {
		columns.Columns[one.name] = append([]string{one.name}, one.headings...)
	}
	if table := answer.ReadTable(content, columns, maxImportedRows); table != nil {
		err = c.Run(ctx, func(tx *Tx) (CollectionEvent, error) {
			err := c.importRows(ctx, tx, table, answer)
			if err == nil && answer.Added+answer.Changed == 0 {
				err = ErrUnchanged
			}
			return CollectionEvent{Event: "imported"}, answer.Keep(err)
		})
	}
	return answer.Answer(answer, err)
}

func (c *Collection[T]) importRows(
	ctx context.Context, tx *Tx, table *files.Table, answer *tableImport,
) error {
	before, err := c.All(ctx, tx)
	if err != nil {
		return err
	}
	there := make(map[string]*T)
	for n := range before {
		there[c.key.of(&before[n]).String()] = &before[n]
	}
	count := len(before)
	for _, line := range table.Rows {
		old := there[table.Cell(line, c.key.name)]
		row, wrong, err := c.rowOf(table, line, old)
		skipped := Problem{Line: line.Line, Code: "ROW_INVALID", Field: wrong, Row: line.Cells}
		switch {
		case err != nil:
			answer.Skip(skipped)
			continue
		case old == nil && c.Max > 0 && count >= c.Max:
			skipped.Code = "TOO_MANY"
			answer.Skip(skipped)
			continue
		case old == nil:
			count++
			answer.Added++
			err = c.Insert(ctx, tx, &row)
		case c.sameJSON(*old, row):
			answer.Unchanged++
		default:
			answer.Changed++
			err = c.Update(ctx, tx, &row)
		}
		if err != nil {
			return err
		}
		there[c.key.of(&row).String()] = &row
	}
	return nil
}

// rowOf reads a line of a table as if it had been sent as JSON. What the table has no column for stays as it
// is in the old row. wrong is the field that is wrong, if one alone is.
func (c *Collection[T]) rowOf(table *files.Table, line files.Row, old *T) (row T, wrong string, err error) {
	row = c.copied(old)
	sent := reflect.New(c.draft).Elem()
	for n, one := range c.columns {
		if one.fixed {
			continue
		}
		field := sent.FieldByName("F" + strconv.Itoa(n))
		if one.mayLack() {
			field.Set(reflect.New(one.field))
			field = field.Elem()
		}
		field.Set(one.of(&row))
		if !table.Has(one.name) {
			continue
		}
		if err := one.read(table.Cell(line, one.name), field); err != nil {
			return row, one.name, err
		}
	}
	wrong, err = c.take(sent, &row)
	return row, wrong, err
}

// read reads a cell into a field.
func (one *column) read(cell string, into reflect.Value) error {
	into.SetZero()
	if cell == "" && (one.nullable || one.kind == reflect.String || one.kind == reflect.Bool ||
		one.optional) {
		return nil
	}
	switch one.kind {
	case reflect.String, reflect.Struct:
		cell = string(quoted(cell))
	case reflect.Bool:
		switch strings.ToLower(cell) {
		case "true", "yes", "ja", "x", "1", "wahr":
			cell = "true"
		case "false", "no", "nein", "0", "falsch":
			cell = "false"
		}
	case reflect.Float64:
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if err := json.Unmarshal([]byte(cell), into.Addr().Interface(), incoming); err != nil {
		return invalid("%.100q is no %s", cell, one.field)
	}
	return nil
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	data, _ := jsontext.AppendQuote(nil, text)
	return data
}
