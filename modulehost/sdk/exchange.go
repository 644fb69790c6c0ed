package sdk

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// Exchange is the import of a file, by rules that are the same in all modules:
//
//   - With ?preview=1 or ?preview=true the answer tells what the import would change, and nothing is
//     written. Without preview the file is imported. Every other value is ErrRequestInvalid.
//   - ?format= names the file's format, if the route reads several ones.
//   - ?dates=dmy or mdy says whether 3/4/2027 is in April or in March, after the person was asked.
//   - ?columns= says where a table's columns are, after the person was asked; see ReadTable.
//   - A row that cannot be imported is left out (Skip), and one that is imported otherwise than it stands in
//     the reader of the file is informed (Note). Neither stops the other rows.
//   - A file with problems changes nothing: it cannot be read at all, or holds too much. A preview tells them
//     with 200, an import with 400 and the code IMPORT_INVALID.
//
// The answer has the members of Exchange, and those of the module's struct in which it is embedded:
//
//	answer := &imported{Exchange: exchange} // ReadExchange returned it
//	notes := answer.read(content)           // calls answer.Skip(sdk.Problem{Line: line, Code: "NOTE_INVALID"})
//	if answer.ProblemCount == 0 {
//		err = changes.Write(ctx, func(tx *sdk.Tx, rev int64) (sdk.Updates, error) {
//			updates, err := answer.write(ctx, tx, notes)
//			return updates, answer.Keep(err)
//		})
//	}
//	return answer.Answer(answer, err)
type Exchange struct {
	Preview      bool          `json:"-"`
	Format       string        `json:"-"`
	Dates        string        `json:"-"`              // "", "dmy" or "mdy": an Order of the package files
	Choice       string        `json:"-"`              // of the columns of a table; "" if nobody has chosen
	Code         string        `json:"code,omitempty"` // of an import with problems
	Problems     []Problem     `json:"problems"`       // the first MaxProblems of them
	ProblemCount int           `json:"problemCount"`
	Skipped      []Problem     `json:"skipped,omitempty"` // rows that are left out; the first MaxSkipped
	SkippedCount int           `json:"skippedCount,omitzero"`
	Notes        []Problem     `json:"notes,omitempty"` // what is imported otherwise; the first MaxProblems
	NoteCount    int           `json:"noteCount,omitzero"`
	Columns      []string      `json:"columns,omitempty"` // the headings of the rows in Skipped
	Table        *TablePreview `json:"table,omitempty"`   // of a preview, the beginning of the table
	rows         int           // bytes of the cells in Skipped
}

// Problem is a mistake in a file.
type Problem struct {
	Line   int      `json:"line"` // where it is, from 1: a line, or a position in a list; 0: the whole file
	Code   string   `json:"code"`
	Field  string   `json:"field,omitempty"`
	Detail string   `json:"detail,omitempty"` // what was found there
	Row    []string `json:"row,omitempty"`    // the cells of a row that is left out, for a file of all such rows
}

// MaxSkipped is how many of the rows that are left out an answer contains, with their cells as long as these
// have maxRows bytes together.
const (
	MaxSkipped = 1000
	maxRows    = 512 << 10
)

// maxDetail is how much of what was found is quoted.
const maxDetail = 200

// MaxProblems is how many problems an answer contains.
const MaxProblems = 20

// ReadExchange reads the parameters of an import. formats are those that the route reads; without any, the
// request may not name one.
func ReadExchange(r *http.Request, formats ...string) (Exchange, error) {
	allowed := []string{"preview", "dates", "columns"}
	if len(formats) > 0 {
		allowed = append(allowed, "format")
	}
	sent, err := Query(r, allowed...)
	if err != nil {
		return Exchange{}, err
	}
	preview, asked := sent["preview"]
	order, ordered := sent["dates"]
	choice, chosen := sent["columns"]
	switch {
	case asked && preview != "1" && preview != "true":
		return Exchange{}, invalid("preview is not 1 or true")
	case ordered && order != "dmy" && order != "mdy":
		return Exchange{}, invalid("dates is not dmy or mdy")
	case chosen && choice == "":
		return Exchange{}, invalid("columns is empty")
	case len(formats) > 0 && !slices.Contains(formats, sent["format"]):
		return Exchange{}, invalid("format is not one of %s", strings.Join(formats, ", "))
	}
	return Exchange{Preview: asked, Format: sent["format"], Dates: order, Choice: choice}, nil
}

// Problem adds a problem. detail is what the code alone does not tell, such as the name of a room.
func (e *Exchange) Problem(line int, code string, detail ...string) {
	if e.ProblemCount++; e.ProblemCount > MaxProblems {
		return
	}
	one := Problem{Line: line, Code: code}
	if len(detail) > 0 {
		one.Detail = detail[0]
	}
	e.Problems = append(e.Problems, one)
}

// Skip tells of a row that is left out.
func (e *Exchange) Skip(one Problem) {
	if e.SkippedCount++; e.SkippedCount > MaxSkipped {
		return
	}
	for _, cell := range one.Row {
		e.rows += len(cell)
	}
	if e.rows > maxRows {
		one.Row = nil
	}
	one.Detail = shortened(one.Detail)
	e.Skipped = append(e.Skipped, one)
}

// Note tells of a row that is imported otherwise than it stands in the file.
func (e *Exchange) Note(one Problem) {
	if e.NoteCount++; e.NoteCount > MaxProblems {
		return
	}
	one.Detail = shortened(one.Detail)
	e.Notes = append(e.Notes, one)
}

// shortened returns at most maxDetail characters.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxDetail {
		return string(runes[:maxDetail]) + "…"
	}
	return text
}

// Keep returns the error with which the change of an import ends: err, or else ErrUnchanged for a preview
// and for a file with problems, so that nothing of it is written.
func (e *Exchange) Keep(err error) error {
	if err == nil && (e.Preview || e.ProblemCount > 0) {
		return ErrUnchanged
	}
	return err
}

// Answer returns what the handler returns: err, or the answer, in which e is embedded.
func (e *Exchange) Answer(answer any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if e.Preview || e.ProblemCount == 0 {
		return answer, nil
	}
	e.Code = "IMPORT_INVALID"
	return Response{Status: http.StatusBadRequest, Body: answer}, nil
}

// Download returns a response that browsers save as a file. body is as in Response.
func Download(name, contentType string, body any) Response {
	return Response{Body: body, Header: http.Header{
		"Content-Type":        {contentType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
	}}
}
