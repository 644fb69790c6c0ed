// Package icaltest checks calendars that are offered to programs, in tests: by the rules of RFC 5545 and
// RFC 7986 that a validator checks, and by what programs need that fetch a calendar again and again.
package icaltest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Check fails the test for everything that is wrong with a calendar.
func Check(t testing.TB, file string) {
	t.Helper()
	if all := Problems(file); len(all) > 0 {
		t.Errorf("the calendar is wrong:\n%s\nin\n%s", strings.Join(all, "\n"), file)
	}
}

// CheckChange fails the test if a program that has read a calendar would miss a change in a newer state of
// it: an event that is another one by now needs a larger SEQUENCE, and none may go back.
func CheckChange(t testing.TB, before, after string) {
	t.Helper()
	if all := ChangeProblems(before, after); len(all) > 0 {
		t.Errorf("a program would miss a change:\n%s\nbefore\n%s\nafter\n%s", strings.Join(all, "\n"), before,
			after)
	}
}

// state is an event with its dates, without what says how new it is.
type state struct {
	content  string
	sequence int
	stamp    string
}

func states(file string) map[string]*state {
	all := map[string]*state{}
	root := (&checker{}).read(file)
	if root == nil {
		return all
	}
	for _, e := range root.parts {
		if e.kind != "VEVENT" {
			continue
		}
		s := all[e.one("UID")]
		if s == nil {
			s = &state{sequence: -1}
			all[e.one("UID")] = s
		}
		for _, l := range e.lines {
			if l.name != "SEQUENCE" && l.name != "DTSTAMP" {
				s.content += fmt.Sprintln(l.name, l.parameters, l.value)
			}
		}
		sequence, _ := strconv.Atoi(e.one("SEQUENCE"))
		s.sequence = max(s.sequence, sequence)
		s.stamp = max(s.stamp, e.one("DTSTAMP"))
	}
	return all
}

// ChangeProblems returns what a program that has read a calendar would miss in a newer state of it.
func ChangeProblems(before, after string) (found []string) {
	was := states(before)
	for uid, now := range states(after) {
		then, known := was[uid]
		switch {
		case !known:
		case now.sequence < then.sequence || now.stamp < then.stamp:
			found = append(found, fmt.Sprintf("%s goes back from %d, %s to %d, %s", uid, then.sequence, then.stamp,
				now.sequence, now.stamp))
		case now.content != then.content && now.sequence == then.sequence:
			found = append(found, fmt.Sprintf("%s has changed and its SEQUENCE is still %d", uid, now.sequence))
		}
	}
	slices.Sort(found)
	return found
}
