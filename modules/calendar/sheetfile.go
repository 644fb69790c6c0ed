package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// sheetWords are the words of a printed list in one language.
type sheetWords struct {
	columns       []string
	placed, waits string
	yes, no       string
	comma         rune
	file          string
	dateAndTime   string
}

var sheetEnglish = sheetWords{
	columns: []string{"Name", "E-mail", "Place", "Signed up"}, placed: "yes", waits: "waiting list",
	yes: "yes", no: "no", comma: ',', file: "sign-ups.csv", dateAndTime: "2006-01-02 15:04",
}

var sheetGerman = sheetWords{
	columns: []string{"Name", "E-Mail", "Platz", "Angemeldet"}, placed: "ja", waits: "Warteliste",
	yes: "ja", no: "nein", comma: ';', file: "anmeldungen.csv", dateAndTime: "2006-01-02 15:04",
}

// listCSV writes the list for spreadsheets, in the house's language as exportCSV does.
func (c *calendar) listCSV(ctx context.Context, r *http.Request) (any, error) {
	of, err := targetOf(r)
	if err != nil {
		return nil, err
	}
	s, err := of.readSheet(ctx, c.db, "")
	if err != nil {
		return nil, err
	}
	people, err := readPeople(ctx, c.db, s.id)
	if err != nil {
		return nil, err
	}
	house, err := c.host.House(ctx)
	if err != nil {
		return nil, err
	}
	words := &sheetEnglish
	if house.Language == "de" {
		words = &sheetGerman
	}
	rows := [][]string{words.columns[:len(words.columns):len(words.columns)]}
	for _, q := range s.Questions {
		rows[0] = append(rows[0], q.Text)
	}
	for _, p := range people {
		place := words.placed
		if p.Waits {
			place = words.waits
		}
		row := []string{p.Name, p.Email, place, c.zone().local(p.At).Format(words.dateAndTime)}
		for _, q := range s.Questions {
			row = append(row, words.said(&q, p.Answers[q.ID]))
		}
		rows = append(rows, row)
	}
	var body bytes.Buffer
	body.WriteString("\ufeff") // so that spreadsheets read UTF-8
	writer := csv.NewWriter(&body)
	writer.UseCRLF, writer.Comma = true, words.comma
	for _, row := range rows {
		for at := range row {
			row[at] = asText(row[at])
		}
		if err := writer.Write(row); err != nil {
			return nil, err
		}
	}
	writer.Flush()
	return sdk.Download(words.file, "text/csv; charset=utf-8", &body), writer.Error()
}

func (w *sheetWords) said(q *question, answer string) string {
	if q.Kind != kindYesNo {
		return answer
	}
	return map[string]string{saysYes: w.yes, saysNo: w.no}[answer]
}
