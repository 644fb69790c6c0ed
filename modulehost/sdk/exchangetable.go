package sdk

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
)

// ImportedColumns are what an import reads of a table.
type ImportedColumns struct {
	files.Columns
	// Needed has groups of columns; the table must have one of each group.
	Needed [][]string
}

// TablePreview shows a person the beginning of a table, so that they can say where its columns are: they send
// the file again with ?columns=above:1,name:0,email:3.
type TablePreview struct {
	Rows    [][]string     `json:"rows"`    // the first ones with content, their cells shortened
	Above   int            `json:"above"`   // how many of them stand above the data
	Columns []string       `json:"columns"` // which columns there may be
	Needed  [][]string     `json:"needed"`  // one of each group has to be there
	At      map[string]int `json:"at"`      // where they are, as far as that is known
}

// Bounds of a TablePreview.
const (
	maxShownColumns = 40
	maxShownCell    = 60 // characters
)

// ReadTable reads a table of at most so many rows, by its headings or by the columns that the person has
// chosen. It returns nil if that fails; the answer has a problem then: TOO_MANY, WORKBOOK_UNREADABLE, EMPTY,
// COLUMNS_UNKNOWN, or COLUMNS_INVALID for a choice that is none. A preview has the beginning of the table. A
// text whose encoding is a guess has the note ENCODING_GUESSED.
func (e *Exchange) ReadTable(content []byte, columns ImportedColumns, most int) *files.Table {
	var chosen *files.Choice
	if e.Choice != "" {
		var ok bool
		if chosen, ok = files.ParseChoice(e.Choice, columns.Columns); !ok {
			e.Problem(0, "COLUMNS_INVALID")
			return nil
		}
	}
	table, err := files.ReadChosen(content, columns.Columns, chosen, most)
	if table != nil {
		e.Columns = table.Headings
		if e.Preview && len(table.First) > 0 {
			e.Table = previewOf(table, columns)
		}
	}
	switch {
	case errors.Is(err, files.ErrTooMany):
		e.Problem(0, "TOO_MANY")
	case errors.Is(err, files.ErrUnreadable):
		e.Problem(0, "WORKBOOK_UNREADABLE")
	case errors.Is(err, files.ErrEmpty) && hasAll(table, columns.Needed):
		e.Problem(0, "EMPTY")
	case err != nil || !hasAll(table, columns.Needed):
		e.Problem(0, "COLUMNS_UNKNOWN", strings.Join(e.Columns, ", "))
	}
	if e.ProblemCount > 0 {
		return nil
	}
	if table.Encoding == files.Windows1252 {
		e.Note(Problem{Code: "ENCODING_GUESSED", Detail: string(table.Encoding)})
	}
	return table
}

func hasAll(table *files.Table, needed [][]string) bool {
	for _, group := range needed {
		if !slices.ContainsFunc(group, table.Has) {
			return false
		}
	}
	return true
}

func previewOf(table *files.Table, columns ImportedColumns) *TablePreview {
	shown := &TablePreview{Above: table.Above, Columns: slices.Sorted(maps.Keys(columns.Columns)),
		Needed: columns.Needed, At: table.At()}
	for _, row := range table.First {
		cells := make([]string, min(len(row.Cells), maxShownColumns))
		for n := range cells {
			cells[n] = row.Cells[n]
			if runes := []rune(cells[n]); len(runes) > maxShownCell {
				cells[n] = string(runes[:maxShownCell]) + "…"
			}
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return shown
}
