package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// duties returns the lines of somebody's feed, which is a calendar by the rules.
func (f *fixture) duties(of *sdktest.Caller) []string {
	f.t.Helper()
	got := f.do(of, "GET", "/duties.ics", nil, 200)
	icaltest.Check(f.t, got.Body)
	return strings.Split(strings.ReplaceAll(got.Body, "\r\n ", ""), "\r\n")
}

func (f *fixture) wantLines(lines []string, want ...string) {
	f.t.Helper()
	for _, line := range want {
		if !slices.Contains(lines, line) {
			f.t.Errorf("the feed has no line %q:\n%s", line, strings.Join(lines, "\n"))
		}
	}
}

// TestFeed: a person's calendar has their own dates, asked or agreed, and follows answers and the plan. An
// event stays the same one with a higher sequence, and a feed without news is not sent again.
func TestFeed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("Ben", "Welcome")
	one, planned := f.assign("service-1", "Reader", anna), f.assign("service-2", "Reader", anna)
	other := f.assign("service-1", "Welcome", ben)
	f.set(one.ID, statusOpen, one.Rev)
	f.set(other.ID, statusYes, other.Rev)
	who := f.member(anna)
	start := "DTSTART:" + f.services[0].Start.Format("20060102T150405Z")
	lines := f.duties(who)
	f.wantLines(lines, "NAME:Welcome team", "UID:"+one.ID+"@narthex", "SEQUENCE:2", start, "STATUS:TENTATIVE",
		"SUMMARY:Reader: Morning service", "URL:https://church.example.org/#/m/rota/mine")
	if all := strings.Join(lines, "\n"); strings.Count(all, "BEGIN:VEVENT") != 1 ||
		strings.Contains(all, planned.ID) {
		t.Errorf("the feed is:\n%s\nwant Anna's open date alone", all)
	}
	f.set(one.ID, statusYes, 2)
	f.wantLines(f.duties(who), "SEQUENCE:3", "STATUS:CONFIRMED")

	f.services[0].Start = f.services[0].Start.Add(time.Hour)
	f.revs = map[string]int64{"service-1": 1}
	f.wantLines(f.duties(who), "SEQUENCE:5", "STATUS:TENTATIVE", // it is asked for again
		"DTSTART:"+f.services[0].Start.Format("20060102T150405Z"))
	known := f.do(who, "GET", "/duties.ics", nil, 200).Header.Get("Etag")
	request := who.Request("GET", "/duties.ics", nil)
	request.Header.Set("If-None-Match", known)
	if got := who.Send(request); got.Status != http.StatusNotModified {
		t.Errorf("a known feed: status %d, want 304", got.Status)
	}
	f.services = f.services[1:] // deleted
	f.wantLines(f.duties(who), "SEQUENCE:6", "STATUS:CANCELLED")
	f.set(one.ID, statusNo, 4)
	if all := f.duties(who); slices.Contains(all, "BEGIN:VEVENT") {
		t.Errorf("after a no the feed is:\n%s\nwant no event", strings.Join(all, "\n"))
	}
	if all := f.duties(f.Person()); slices.Contains(all, "BEGIN:VEVENT") {
		t.Errorf("the feed of somebody else is:\n%s", strings.Join(all, "\n"))
	}
	f.refused(f.Visitor(), "GET", "/duties.ics", nil, 401, "AUTHENTICATION_REQUIRED")
}
