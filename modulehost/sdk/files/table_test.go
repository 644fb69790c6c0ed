package files_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/files"
	"github.com/narthex-platform/narthex/modulehost/sdk/files/filestest"
)

var columns = files.Columns{"name": {"Name"}, "email": {"E-Mail", "Email address"}}

func table(content string) string {
	t, err := files.ReadTable([]byte(content), columns, 100)
	if err != nil {
		return err.Error()
	}
	var rows []string
	for _, row := range t.Rows {
		rows = append(rows, fmt.Sprintf("%d %s <%s>", row.Line, t.Cell(row, "name"), t.Cell(row, "email")))
	}
	return strings.Join(rows, "; ")
}

// TestTables: tables come out the same whatever program has written them.
func TestTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ content, want string }{
		"commas":           {"Name,E-mail\nA,a@x\n", "2 A <a@x>"},
		"semicolons, mark": {"\ufeffName;E-Mail\r\nA;a@x\r\n", "2 A <a@x>"},
		"tabs, UTF-16": {"\xff\xfeN\x00a\x00m\x00e\x00\t\x00e\x00m\x00a\x00i\x00l\x00" +
			"\n\x00A\x00\t\x00b\x00", "2 A <b>"},
		"sep=":                 {"sep=;\r\nName;E-Mail\r\nA;a@x\r\n", "3 A <a@x>"},
		"sep=, quoted":         {"\"SEP=|\"\nName|E-Mail\nA, B|a@x\n", "3 A, B <a@x>"},
		"sep= and a tab":       {"sep=\t\nName\tE-Mail\nA\ta@x\n", "3 A <a@x>"},
		"CR":                   {"Name;E-Mail\rA;a@x\r", "2 A <a@x>"},
		"a title above":        {"Members of 2026\n\nNo.;Name;E-Mail Address\n1;A;a@x\n", "4 A <a@x>"},
		"short and empty rows": {"Name;E-Mail\nA\n;;\n \n;;;\nB;b@x;more\n", "2 A <>; 6 B <b@x>"},
		"commas in headings":   {"\"Name, first\";Name;E-Mail\nx;A;a@x\n", "2 A <a@x>"},
		"two lines in a cell":  {"Name,E-Mail\n\"A\nB\",a@x\nC,c\n", "2 A\nB <a@x>; 4 C <c>"},
		"quotes within":        {"Name,E-Mail\nA \"B\" C,a@x\n", "2 A \"B\" C <a@x>"},
		"a quote never closed": {"Name,E-Mail\n\"A,a@x\nB,b@x\n", "2 A,a@x <>; 3 B <b@x>"},
		"a guarded formula":    {"Name,E-Mail\n'=1+1,'@x\n", "2 =1+1 <@x>"},
		"Windows-1252":         {"Name;E-Mail\nJ\xfcrgen;\n", "2 Jürgen <>"},
		"other headings":       {"Town;Street\nA;B\n", files.ErrHeadings.Error()},
		"headings only":        {"Name;E-Mail\n\n", files.ErrEmpty.Error()},
		"nothing":              {"", files.ErrHeadings.Error()},
		"too many rows":        {"Name\n" + strings.Repeat("A\n", 101), files.ErrTooMany.Error()},
		"too many columns":     {"Name\n" + strings.Repeat(",", 1000), files.ErrTooMany.Error()},
		"too many cells": {"Name,E-Mail\n" + strings.Repeat("A,a@x\n\"\n\",", 150000),
			files.ErrTooMany.Error()},
	} {
		if got := table(c.content); strings.TrimRight(got, "\n") != strings.TrimRight(c.want, "\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestChosenColumns: a choice says where the columns are, with headings that nobody knows or with none at
// all, and one that is none is refused.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	const content = "Town;Who;Where to\n\nA;Ada;a@x\nB;Ben\n"
	for choice, want := range map[string]string{
		"above:1,name:1,email:2": "3 Ada <a@x>; 4 Ben <>",
		"above:0,name:1":         "1 Who <>; 3 Ada <>; 4 Ben <>",
		"above:2,name:0":         "4 B <>",
		"above:3,name:0":         files.ErrEmpty.Error(),
		"above:9,name:199":       files.ErrEmpty.Error(),
		"above:1,name:199":       "3  <>; 4  <>",
	} {
		chosen, ok := files.ParseChoice(choice, columns)
		if !ok {
			t.Errorf("%s is refused", choice)
			continue
		}
		read, err := files.ReadChosen([]byte(content), columns, chosen, 100)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var rows []string
			for _, row := range read.Rows {
				rows = append(rows, fmt.Sprintf("%d %s <%s>", row.Line, read.Cell(row, "name"), read.Cell(row, "email")))
			}
			got = strings.Join(rows, "; ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", choice, got, want)
		}
		if len(read.First) != 3 {
			t.Errorf("%s: %d first rows, want all three", choice, len(read.First))
		}
	}
	for _, choice := range []string{"", "above:1", "name:0", "above:1,town:0", "above:1,name:0,name:1",
		"above:1,above:1,name:0", "above:11,name:0", "above:1,name:200", "above:1,name:-1", "above:1,name:x",
		"above:1,name", "above:1,name:0,", "above:1, name:0", "above:1,name:1000000000000"} {
		if _, ok := files.ParseChoice(choice, columns); ok {
			t.Errorf("%q is taken for a choice", choice)
		}
	}
}

// TestMoments: dates and times as people and spreadsheets write them.
func TestMoments(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"31.12.26":                   "2026-12-31",
		"31.12.2026":                 "2026-12-31",
		"1. 2. 2027":                 "2027-02-01",
		"31.12.2026 18:00":           "2026-12-31T18:00",
		"31.12.2026, 18:00:30":       "2026-12-31T18:00",
		"31.12.2026 18.30 Uhr":       "2026-12-31T18:30",
		"Do, 31.12.2026 18 Uhr":      "2026-12-31T18:00",
		"Donnerstag, 31.12.2026":     "2026-12-31",
		"Do 31.12.2026":              "2026-12-31",
		"31. Dezember 2026":          "2026-12-31",
		"3. März 2027 9:00":          "2027-03-03T09:00",
		"31-Dec-26":                  "2026-12-31",
		"Dec 31, 2026 6:00 PM":       "2026-12-31T18:00",
		"December 31st, 2026":        "2026-12-31",
		"2026-12-31":                 "2026-12-31",
		"2026-12-31T18:00":           "2026-12-31T18:00",
		"2026-12-31T17:00:00Z":       "2026-12-31T18:00",
		"2026-12-31T23:30:00.000Z":   "2027-01-01T00:30",
		"2026-06-30 09:00:00+03:00":  "2026-06-30T08:00",
		"2026-12-31t17:00z":          "2026-12-31T18:00",
		"2026-12-31T17:00:00X":       "no",
		"2026-12-31 18:00:00":        "2026-12-31T18:00",
		"2026/12/31":                 "2026-12-31",
		"31/12/2026":                 "2026-12-31",
		"3/4/2027 12:15 AM":          "2027-04-03T00:15",
		"12.03.48":                   "2048-03-12",
		"12.03.1948":                 "1948-03-12",
		"46387":                      "2026-12-31",
		"46387.75":                   "2026-12-31T18:00",
		"46387,75":                   "2026-12-31T18:00",
		"32.12.2026":                 "no",
		"31.13.2026":                 "no",
		"30.02.2026":                 "no",
		"31.12.2026 25:00":           "no",
		"never":                      "no",
		"":                           "no",
		"2026-12-31T":                "no",
		strings.Repeat("1", 70):      "no",
		"31.12.2026\u00a018:00":      "2026-12-31T18:00",
		"12/31/2026":                 "no",
		"31.12.2026 18:00 bis 20:00": "no",
		"18:00":                      "no",
	} {
		at, timed, ok := files.ParseMoment(text, files.DayFirst, berlin)
		got := at.Format(time.DateOnly)
		if timed {
			got = at.Format("2006-01-02T15:04")
		}
		if !ok {
			got = "no"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if at, _, ok := files.ParseMoment("12/31/26 6 pm", files.MonthFirst, berlin); !ok ||
		at.Format("2006-01-02T15:04") != "2026-12-31T18:00" {
		t.Errorf("month first: %v %t", at, ok)
	}
	for texts, want := range map[string]string{"3/4/27 13/4/27": "dmy true", "3/4/27 4/13/27": "mdy true",
		"3/4/27": "dmy false", "3/3/27": "dmy true", "2027-03-04": "dmy true"} {
		if order, certain := files.OrderOf(strings.Fields(texts)); fmt.Sprint(order, " ", certain) != want {
			t.Errorf("%s: %s %t, want %s", texts, order, certain, want)
		}
	}
	if clock, ok := files.ParseClock("0,75"); !ok || clock != 18*time.Hour {
		t.Errorf("0,75 of a day: %v %t", clock, ok)
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte("sep=;\nName;E-Mail\n\"A;31.12.26\n"), "above:1,name:1")
	f.Fuzz(func(t *testing.T, content []byte, choice string) {
		chosen, _ := files.ParseChoice(choice, columns)
		var read *files.Table
		var err error
		filestest.Bounded(t, content, func() { read, err = files.ReadChosen(content, columns, chosen, 50) })
		if err != nil {
			if !errors.Is(err, files.ErrEmpty) && !errors.Is(err, files.ErrHeadings) &&
				!errors.Is(err, files.ErrTooMany) && !errors.Is(err, files.ErrUnreadable) {
				t.Fatal(err)
			}
			return
		}
		for _, row := range read.Rows {
			if len(row.Cells) < len(read.Headings) {
				t.Fatalf("a row of %d cells below %d headings", len(row.Cells), len(read.Headings))
			}
			files.ParseMoment(read.Cell(row, "name"), files.MonthFirst, time.UTC)
		}
	})
}
