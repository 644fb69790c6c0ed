package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Errors of ReadTable.
var (
	ErrEmpty    = errors.New("files: no row below the headings")
	ErrHeadings = errors.New("files: no heading is known")
	ErrTooMany  = errors.New("files: too many rows or cells")
	// ErrUnreadable: a workbook that cannot be read, or a file of an Excel from before 2007.
	ErrUnreadable = errors.New("files: a workbook that cannot be read")
)

// Bounds of a table.
const (
	maxColumns    = 200
	maxCells      = 400000 // of the whole table, for which the reader needs about 40 bytes each
	maxHeadingRow = 10     // a title and a date may stand above the headings
	maxFirst      = 6
)

// Columns are the columns that a program reads, each with all the headings that it may have in a file. How
// headings are written (upper case, spaces, dots, hyphens) makes no difference.
type Columns map[string][]string

// Table is a table with headings.
type Table struct {
	Encoding Encoding
	Headings []string // as they stand in the file
	Rows     []Row
	First    []Row // the first rows with content, the headings among them
	Above    int   // how many rows with content the headings end, from 0: none
	at       map[string]int
}

// Row is a row with content, as long as the headings or longer.
type Row struct {
	Line  int // in the file, from 1
	Cells []string
}

// ReadTable reads a table whose columns are known by their headings.
func ReadTable(content []byte, columns Columns, most int) (*Table, error) {
	return ReadChosen(content, columns, nil, most)
}

// ReadChosen reads a text with a separator, or the first sheet of a workbook (.xlsx), of at most so many
// rows, whose headings are among the columns. It is as tolerant as a person who reads it: the separator is
// the one that the headings have or that a line sep=; names, lines end as they like, rows may be short, and
// rows without any content are passed over. A choice, if there is one, says where the columns are instead of
// the headings.
func ReadChosen(content []byte, columns Columns, chosen *Choice, most int) (*Table, error) {
	t := &Table{Encoding: UTF8}
	var rows []Row
	var err error
	switch {
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		rows, err = readXLSX(content, most+maxHeadingRow)
	case bytes.HasPrefix(content, []byte("\xd0\xcf\x11\xe0")):
		err = ErrUnreadable
	default:
		var text string
		text, t.Encoding = Text(content)
		rows, err = readRows(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), most+maxHeadingRow)
	}
	if err != nil {
		return nil, err
	}
	t.First = rows[:min(len(rows), maxFirst)]
	if chosen != nil {
		t.Above, t.at = min(chosen.Above, len(rows)), chosen.At
	} else {
		for n, row := range rows[:min(len(rows), maxHeadingRow)] {
			if found := columns.find(row.Cells); len(found) > len(t.at) {
				t.Above, t.at = n+1, found
			}
		}
	}
	if t.Above > 0 {
		t.Headings = rows[t.Above-1].Cells
	}
	if len(t.at) == 0 {
		if len(rows) > 0 {
			t.Headings, t.Above = rows[0].Cells, 1
		}
		return t, ErrHeadings
	}
	t.Rows = rows[t.Above:]
	switch {
	case len(t.Rows) == 0:
		return t, ErrEmpty
	case len(t.Rows) > most:
		return t, ErrTooMany
	}
	for n, row := range t.Rows {
		for len(row.Cells) < len(t.Headings) {
			row.Cells = append(row.Cells, "")
		}
		t.Rows[n] = row
	}
	return t, nil
}

// find returns where the columns are. The first of two columns with the same meaning counts, and a name
// earlier in the list of a column before a later one.
func (c Columns) find(headings []string) map[string]int {
	places := make(map[string]int, len(headings))
	for at, heading := range headings {
		key := headingKey(heading)
		if _, twice := places[key]; !twice && key != "" {
			places[key] = at
		}
	}
	found := make(map[string]int)
	for column, names := range c {
		for _, name := range names {
			if at, is := places[headingKey(name)]; is {
				found[column] = at
				break
			}
		}
	}
	return found
}

// headingKey returns the letters and digits of a heading, in lower case.
func headingKey(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// Has reports whether the table has a column.
func (t *Table) Has(column string) bool {
	_, is := t.at[column]
	return is
}

// Cell returns a cell of a row without spaces around it, and without the apostrophe with which an export
// guards it against being a formula; "" if the table does not have the column.
func (t *Table) Cell(row Row, column string) string {
	at, is := t.at[column]
	if !is || at >= len(row.Cells) {
		return ""
	}
	return unguarded(strings.TrimSpace(row.Cells[at]))
}

// unguarded removes the apostrophe before what a spreadsheet would take for a formula.
func unguarded(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); rest != cell && rest != "" &&
		strings.ContainsRune("=+-@\t\r", rune(rest[0])) {
		return cell[1:]
	}
	return cell
}

// readRows reads the rows with content. Lines end with \n.
func readRows(text string, most int) ([]Row, error) {
	line := 1
	separator := rune(0)
	first, rest, _ := strings.Cut(text, "\n")
	if named := strings.Trim(strings.TrimSpace(first), `"`); len(named) == len("sep=;") &&
		strings.EqualFold(named[:4], "sep=") {
		separator, text, line = rune(named[4]), rest, 2
	} else if strings.EqualFold(strings.TrimRight(first, "\t"), "sep=") && strings.HasSuffix(first, "\t") {
		separator, text, line = '\t', rest, 2
	}
	if separator == 0 || separator == '"' || separator == '\n' {
		separator = separatorOf(text)
	}
	if strings.Count(text, string(separator)) > maxCells {
		return nil, ErrTooMany
	}
	if strings.Count(text, `"`)%2 == 0 {
		return appendRows(nil, text, separator, line, most)
	}
	// A quote is never closed and would swallow the rest of the file, so each line is a row.
	var rows []Row
	for text := range strings.SplitSeq(text, "\n") {
		var err error
		if rows, err = appendRows(rows, text, separator, line, most); err != nil {
			return nil, err
		}
		line++
	}
	return rows, nil
}

func appendRows(rows []Row, text string, separator rune, line, most int) ([]Row, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.LazyQuotes = separator, -1, true
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil || len(cells) > maxColumns {
			return nil, ErrTooMany
		}
		if !hasContent(cells) {
			continue
		}
		if len(rows) >= most {
			return nil, ErrTooMany
		}
		at, _ := reader.FieldPos(0)
		rows = append(rows, Row{Line: line + at - 1, Cells: cells})
	}
}

func hasContent(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return true
		}
	}
	return false
}

// separatorOf returns the separator that occurs most often, outside of quotes, in one of the first lines with
// content: a title above the headings has none.
func separatorOf(text string) rune {
	best, most, seen := ',', 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if seen++; seen > maxHeadingRow {
			break
		}
		counts := make(map[rune]int)
		quoted := false
		for _, r := range line[:min(len(line), 10000)] {
			if r == '"' {
				quoted = !quoted
			} else if !quoted {
				counts[r]++
			}
		}
		for _, r := range ";,\t|" {
			if counts[r] > most {
				best, most = r, counts[r]
			}
		}
		if most > 0 {
			break
		}
	}
	return best
}
