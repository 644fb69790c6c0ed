package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// readFile imports a file of testdata and returns what the calendar then shows from December 2026 on (at most
// ten dates), and the codes of what was told. The events are removed again.
func (s *started) readFile(t *testing.T, query, name string) (shown, told string) {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	o, status := s.send(t, query, string(content))
	for _, one := range slices.Concat(o.Problems, o.Skipped, o.Notes) {
		told += fmt.Sprintf(" %d:%s", one.Line, one.Code)
	}
	if status != 200 {
		return "", fmt.Sprint(status, told)
	}
	again, _ := s.send(t, query, string(content))
	if again.Events != 0 || again.Known != o.Events {
		t.Errorf("%s: the second import: %+v, want nothing new of %d", name, again, o.Events)
	}
	shown = s.year(t)
	if _, err := s.module.db.Exec(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	return shown, strings.TrimSpace(told)
}

// year returns the dates of thirteen months as "day time–time title", at most ten.
func (s *started) year(t *testing.T) string {
	t.Helper()
	var lines []string
	for from := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC); from.Year() < 2028; from = from.AddDate(0, 0, 90) {
		for _, o := range s.seen(t, from.Format(dayForm), from.AddDate(0, 0, 90).Format(dayForm)).Occurrences {
			line := strings.ReplaceAll(o.Start+"–"+o.End, "T", " ")
			line = strings.ReplaceAll(line, "–"+o.Start[:10]+" ", "–") + " " + o.Title
			if !slices.Contains(lines, line) && len(lines) < 10 {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TestFilesOfOtherPrograms: what other programs write comes in, whatever the zone of the house, and what does
// not is told. testdata/ics.txt and tables.txt have what must be shown: for each file and zone the codes with
// their lines after the bar, then the dates.
func TestFilesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"Europe/Berlin", "UTC"} {
		s := start(t, place)
		for folder, query := range map[string]string{"ics": "format=ics", "tables": "format=csv"} {
			want := expectedOf(t, "testdata/"+folder+".txt")
			entries, err := os.ReadDir("testdata/" + folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				shown, told := s.readFile(t, query, "testdata/"+folder+"/"+e.Name())
				if name := e.Name() + " " + place; want[name] != told+"\n"+shown {
					t.Errorf("%s | %s\n%s\nwant %s", name, told, shown, want[name])
				}
			}
		}
	}
}

// expectedOf reads a file of expectations: codes and dates by "file zone".
func expectedOf(t *testing.T, name string) map[string]string {
	t.Helper()
	expected, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for block := range strings.SplitSeq(strings.TrimSpace(string(expected)), "\n\n") {
		head, dates, _ := strings.Cut(block, "\n")
		name, told, _ := strings.Cut(head, " | ")
		want[name] = told + "\n" + dates
	}
	return want
}
