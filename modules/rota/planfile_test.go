package main

import (
	"strings"
	"testing"
	"time"
)

// TestPlanFiles: a period's plan is a table with a row for each service, and a calendar with an event for
// each, with the names of those who serve, and no address.
func TestPlanFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	anna, ben := f.volunteer("Anna", "Reader"), f.volunteer("=Ben", "Reader", "Welcome")
	query := strings.TrimPrefix(f.monthToFill(), "/fill")
	f.services = f.services[:2]
	said := f.assign("service-1", "Reader", anna)
	f.set(said.ID, statusYes, said.Rev)
	f.assign("service-1", "Reader", ben)
	no := f.assign("service-1", "Welcome", ben)
	f.set(no.ID, statusNo, no.Rev)
	asked := f.assign("service-2", "Welcome", ben)
	f.set(asked.ID, statusOpen, asked.Rev)

	first := f.services[0].Start
	table := f.do(f.office, "GET", "/plan.csv"+query, nil, 200)
	want := "\ufeffDate,Time,Service,Welcome,Reader\r\n" +
		first.Format(time.DateOnly) + `,10:00,` + f.services[0].Title + `,,"'=Ben (planned), Anna"` + "\r\n" +
		first.AddDate(0, 0, 7).Format(time.DateOnly) + ",10:00," + f.services[1].Title + ",'=Ben (asked),\r\n"
	if table.Body != want {
		t.Errorf("the table is\n%q\nwant\n%q", table.Body, want)
	}
	calendar := f.do(f.office, "GET", "/plan.ics"+query, nil, 200)
	lines := strings.Split(strings.ReplaceAll(calendar.Body, "\r\n ", ""), "\r\n")
	f.wantLines(lines, "UID:plan-service-1@narthex", "DTSTART:"+first.Format("20060102T150405Z"),
		"SUMMARY:"+f.services[0].Title, `DESCRIPTION:Reader: =Ben (planned)\, Anna`,
		"UID:plan-service-2@narthex", "DESCRIPTION:Welcome: =Ben (asked)")
	if all := table.Body + calendar.Body; strings.Contains(all, "@example.org") {
		t.Errorf("an address is in the files:\n%s", all)
	}

	for _, path := range []string{"/plan.csv", "/plan.ics"} {
		f.refused(f.Person(), "GET", path+query, nil, 403, "PERMISSION_DENIED")
		for _, wrong := range []string{"", "?from=2027-01-02&to=2027-01-01", "?from=2027-01-01&to=2027-04-03"} {
			f.refused(f.office, "GET", path+wrong, nil, 400, "REQUEST_INVALID")
		}
	}
}
