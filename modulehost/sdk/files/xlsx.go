package files

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds of a workbook. A small archive can hold gigabytes, deeply nested elements, or one element with
// millions of attributes, each of which would need far more memory than the file.
const (
	maxWorkbook = 16 << 20  // bytes of all parts that are read, unpacked
	maxTag      = 128 << 10 // bytes from one "<" to the next
	maxDepth    = 64
	maxParts    = 4096
	maxRows     = 200000 // of the sheet, with those that only have a format
	maxTexts    = 200000
)

// workbook is the first sheet of a file of Excel or of a program that writes such files.
type workbook struct {
	parts   map[string]*zip.File
	left    int64 // bytes that may still be unpacked
	strings []string
	dates   map[int]bool // the styles that show a number as a date
	epoch   time.Time
	cells   int
}

// readXLSX reads the rows of the first sheet, of at most so many.
func readXLSX(content []byte, most int) ([]Row, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil || len(archive.File) > maxParts {
		return nil, ErrUnreadable
	}
	w := &workbook{parts: make(map[string]*zip.File, len(archive.File)), left: maxWorkbook,
		dates: make(map[int]bool), epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	for _, part := range archive.File {
		w.parts[strings.TrimPrefix(part.Name, "/")] = part
	}
	sheet, err := w.firstSheet()
	if err != nil {
		return nil, err
	}
	for _, read := range []func() error{w.readStrings, w.readStyles} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return w.readSheet(sheet, most)
}

// element is a start of an element, with the names of those around it.
type element struct {
	xml.StartElement
	around []string
}

func (e element) in(name string) bool { return len(e.around) > 0 && e.around[len(e.around)-1] == name }

func (e element) attribute(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walk calls start, text and end for what a part contains. A part that does not exist contains nothing.
func (w *workbook) walk(
	name string, start func(element) error, text func(string), end func(string) error,
) error {
	part, is := w.parts[name]
	if !is {
		return nil
	}
	reader, err := part.Open()
	if err != nil {
		return ErrUnreadable
	}
	defer reader.Close()
	decoder := xml.NewDecoder(&boundedXML{from: reader, left: &w.left})
	var around []string
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, ErrTooMany) {
			return ErrTooMany
		}
		if err != nil {
			return ErrUnreadable
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(around) >= maxDepth {
				return ErrUnreadable
			}
			err = start(element{token, around})
			around = append(around, token.Name.Local)
		case xml.EndElement:
			if len(around) == 0 {
				return ErrUnreadable
			}
			around = around[:len(around)-1]
			err = end(token.Name.Local)
		case xml.CharData:
			text(string(token))
		}
		if err != nil {
			return err
		}
	}
}

// boundedXML ends with an error where a part, or one of its tags, becomes too long.
type boundedXML struct {
	from io.Reader
	left *int64
	tag  int
}

func (b *boundedXML) Read(into []byte) (int, error) {
	n, err := b.from.Read(into)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, ErrTooMany
	}
	for _, c := range into[:n] {
		if b.tag++; c == '<' {
			b.tag = 0
		}
		if b.tag > maxTag {
			return 0, ErrTooMany
		}
	}
	return n, err
}

func noText(string)      {}
func noEnd(string) error { return nil }

// firstSheet returns the part with the first sheet that is not hidden.
func (w *workbook) firstSheet() (string, error) {
	if w.parts["xl/workbook.xml"] == nil {
		return "", ErrUnreadable
	}
	id := ""
	err := w.walk("xl/workbook.xml", func(e element) error {
		switch e.Name.Local {
		case "workbookPr":
			if v := e.attribute("date1904"); v == "1" || v == "true" {
				w.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case "sheet":
			if state := e.attribute("state"); id == "" && (state == "" || state == "visible") {
				id = e.attribute("id")
			}
		}
		return nil
	}, noText, noEnd)
	if err != nil {
		return "", err
	}
	sheet := "xl/worksheets/sheet1.xml"
	err = w.walk("xl/_rels/workbook.xml.rels", func(e element) error {
		if e.Name.Local == "Relationship" && e.attribute("Id") == id && id != "" {
			sheet = e.attribute("Target")
			if !strings.HasPrefix(sheet, "/") {
				sheet = path.Join("xl", sheet)
			}
			sheet = strings.TrimPrefix(sheet, "/")
		}
		return nil
	}, noText, noEnd)
	if err == nil && w.parts[sheet] == nil {
		err = ErrUnreadable
	}
	return sheet, err
}

// readStrings reads the texts that cells refer to.
func (w *workbook) readStrings() error {
	var one strings.Builder
	inText, phonetic := false, 0
	return w.walk("xl/sharedStrings.xml", func(e element) error {
		switch e.Name.Local {
		case "rPh":
			phonetic++
		case "t":
			inText = phonetic == 0
		}
		return nil
	}, func(text string) {
		if inText {
			one.WriteString(text)
		}
	}, func(name string) error {
		switch name {
		case "t":
			inText = false
		case "rPh":
			phonetic--
		case "si":
			if len(w.strings) >= maxTexts {
				return ErrTooMany
			}
			w.strings = append(w.strings, one.String())
			one.Reset()
		}
		return nil
	})
}

// readStyles finds the styles that show a number as a date.
func (w *workbook) readStyles() error {
	custom := make(map[string]bool)
	style := 0
	return w.walk("xl/styles.xml", func(e element) error {
		switch {
		case e.Name.Local == "numFmt" && len(custom) < maxParts:
			custom[e.attribute("numFmtId")] = isDateFormat(e.attribute("formatCode"))
		case e.Name.Local == "xf" && e.in("cellXfs"):
			format := e.attribute("numFmtId")
			n, err := strconv.Atoi(format)
			builtIn := n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
			if custom[format] || err == nil && builtIn {
				w.dates[style] = true
			}
			style++
		}
		return nil
	}, noText, noEnd)
}

// isDateFormat reports whether a format of numbers has parts of a date or of a time outside of quotes and
// brackets.
func isDateFormat(format string) bool {
	quoted, bracket := false, false
	for at, r := range strings.ToLower(format) {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '[' || r == ']':
			bracket = r == '['
		case !quoted && !bracket && strings.ContainsRune("ymdhsjt", r) && (at == 0 || format[at-1] != '\\'):
			return true
		}
	}
	return false
}

// cell is a cell that is being read.
type cell struct {
	column int
	kind   string
	style  int
	value  strings.Builder
}

func (w *workbook) readSheet(sheet string, most int) (rows []Row, err error) {
	var row Row
	var c cell
	line, read, reads := 0, 0, false
	err = w.walk(sheet, func(e element) error {
		switch e.Name.Local {
		case "row":
			if read++; read > maxRows {
				return ErrTooMany
			}
			line++
			if n, err := strconv.Atoi(e.attribute("r")); err == nil && n > 0 {
				line = n
			}
			row = Row{Line: line}
		case "c":
			style, _ := strconv.Atoi(e.attribute("s")) // without one it is the first
			c = cell{column: columnOf(e.attribute("r"), len(row.Cells)), kind: e.attribute("t"), style: style}
			if w.cells++; w.cells > maxCells || c.column >= maxColumns {
				return ErrTooMany
			}
		case "v", "t":
			reads = e.Name.Local == "v" || c.kind == "inlineStr" && !e.in("rPh")
		}
		return nil
	}, func(text string) {
		if reads {
			c.value.WriteString(text)
		}
	}, func(name string) error {
		switch name {
		case "v", "t":
			reads = false
		case "c":
			for len(row.Cells) <= c.column {
				row.Cells = append(row.Cells, "")
			}
			row.Cells[c.column] = w.shown(&c)
		case "row":
			if !hasContent(row.Cells) {
				return nil
			}
			if len(rows) >= most {
				return ErrTooMany
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// columnOf returns the number of a column from a reference such as AB12, from 0.
func columnOf(reference string, next int) int {
	column := 0
	for _, r := range reference {
		if r < 'A' || r > 'Z' || column > maxColumns {
			break
		}
		column = column*26 + int(r-'A') + 1
	}
	if column == 0 {
		return next
	}
	return column - 1
}

// shown returns what a cell shows: a date as 2006-01-02 15:04:05, or what of it there is.
func (w *workbook) shown(c *cell) string {
	text := c.value.String()
	switch c.kind {
	case "s":
		if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(w.strings) {
			return w.strings[n]
		}
		return ""
	case "b":
		if text == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "inlineStr", "e", "d":
		return text
	}
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || !w.dates[c.style] || days < 0 || days > 200000 {
		return strings.TrimRightFunc(text, unicode.IsSpace)
	}
	part := time.Duration((days-float64(int(days)))*24*60*60+0.5) * time.Second
	at := w.epoch.AddDate(0, 0, int(days)).Add(part)
	switch {
	case days < 1:
		return at.Format(time.TimeOnly)
	case days == float64(int(days)):
		return at.Format(time.DateOnly)
	}
	return at.Format(time.DateTime)
}
