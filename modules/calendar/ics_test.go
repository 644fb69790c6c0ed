package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// readICS imports a file of testdata/ics and returns what the calendar then shows in 2027 (at most ten
// dates), and the codes of what was told. The events are removed again.
func (s *started) readICS(t *testing.T, name string) (shown, told string) {
	t.Helper()
	content, err := os.ReadFile("testdata/ics/" + name)
	if err != nil {
		t.Fatal(err)
	}
	o, status := s.send(t, "format=ics", string(content))
	for _, one := range slices.Concat(o.Problems, o.Skipped, o.Notes) {
		told += fmt.Sprintf(" %d:%s", one.Line, one.Code)
	}
	if status != 200 {
		return "", fmt.Sprint(status, told)
	}
	again, _ := s.send(t, "format=ics", string(content))
	if again.Events != 0 || again.Known != o.Events {
		t.Errorf("%s: the second import: %+v, want nothing new of %d", name, again, o.Events)
	}
	shown = s.year(t)
	if _, err := s.module.db.Exec(t.Context(), `DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	return shown, strings.TrimSpace(told)
}

// year returns the dates of 2027 as "day time–time title", at most ten.
func (s *started) year(t *testing.T) string {
	t.Helper()
	var lines []string
	for from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC); from.Year() == 2027; from = from.AddDate(0, 0, 90) {
		for _, o := range s.seen(t, from.Format(dayForm), from.AddDate(0, 0, 90).Format(dayForm)).Occurrences {
			line := strings.ReplaceAll(o.Start+"–"+o.End+" "+o.Title, "T", " ")
			line = strings.ReplaceAll(line, "–"+o.Start[:10]+" ", "–")
			if !slices.Contains(lines, line) && len(lines) < 10 {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// TestFilesOfOtherPrograms: what other programs write comes in, whatever the zone of the house, and what does
// not is told. testdata/ics.txt has what must be shown: for each file and zone the codes with their lines
// after the bar, then the dates.
func TestFilesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	expected, err := os.ReadFile("testdata/ics.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for block := range strings.SplitSeq(strings.TrimSpace(string(expected)), "\n\n") {
		head, dates, _ := strings.Cut(block, "\n")
		name, told, _ := strings.Cut(head, " | ")
		want[name] = told + "\n" + dates
	}
	entries, err := os.ReadDir("testdata/ics")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"Europe/Berlin", "UTC"} {
		s := start(t, place)
		for _, e := range entries {
			shown, told := s.readICS(t, e.Name())
			if name := e.Name() + " " + place; want[name] != told+"\n"+shown {
				t.Errorf("%s: %s\n%s\nwant %s", name, told, shown, want[name])
			}
		}
	}
}
