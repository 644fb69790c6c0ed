package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// calendarProgram is khal, which shows what vdirsyncer fetches from one address.
type calendarProgram struct {
	calendarReaders
	address  string
	programs map[string]string // their paths
}

// TestCalendarProgram: a calendar program that fetches the house's calendar again and again has after each
// change exactly that change: new, renamed, moved, cancelled and deleted events, a date of a series, and what
// comes back. When nothing has changed it writes no file, and when the address ends it keeps what it has. So
// have the libraries of two other languages, which other programs read calendars with.
func TestCalendarProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts a program of Python many times")
	}
	program := &calendarProgram{calendarReaders: readers(t), programs: map[string]string{}}
	for _, name := range []string{"vdirsyncer", "khal"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed: .ci/packages calendars", name)
		}
		program.programs[name] = path
	}
	i := install(t, "calendar")
	i.db.Exec(t, `UPDATE core.house SET name = 'St. Mary', time_zone = 'Europe/Berlin', rev = rev + 1`)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	const events = "/api/v1/modules/calendar/events"
	// on is a day of the month that the program shows.
	on := func(day int) string { return program.from.AddDate(0, 0, day).Format(time.DateOnly) }
	event := func(title, start string, more ...string) map[string]any {
		body := map[string]any{"title": title, "start": start, "end": start[:11] + "23:30"}
		for at := 0; at < len(more); at += 2 {
			body[more[at]] = more[at+1]
		}
		return body
	}
	write := func(method, path string, body any, status int) {
		t.Helper()
		if got := owner.do(method, path, body); got.status != status {
			t.Fatalf("%s %s: %d %s", method, path, got.status, got.body)
		}
	}
	feed := owner.create(t, 201, "/api/v1/feeds",
		map[string]string{"moduleId": "calendar", "path": "/calendar.ics", "label": "khal"})
	program.address = feed["url"].(string)
	program.subscribe()

	program.assert("an empty calendar")
	made := owner.create(t, 201, events, event("Market; with, cake", on(0)+"T10:00"))
	market := events + "/" + made["id"].(string)
	program.assert("a new event", on(0)+" 10:00 Market; with, cake")
	choir := events + "/" + owner.create(t, 201, events, event("Chor übt", on(1)+"T19:00", "rule",
		"FREQ=WEEKLY;COUNT=3"))["id"].(string)
	program.assert("a series", on(0)+" 10:00 Market; with, cake", on(1)+" 19:00 Chor übt",
		on(8)+" 19:00 Chor übt", on(15)+" 19:00 Chor übt")
	before := program.files()
	program.assertUnchanged(program.address)
	program.assert("nothing", on(0)+" 10:00 Market; with, cake", on(1)+" 19:00 Chor übt",
		on(8)+" 19:00 Chor übt", on(15)+" 19:00 Chor übt")
	if after := program.files(); !slices.Equal(before, after) {
		t.Errorf("without a change %v became %v", before, after)
	}
	changed := event("Spring market", on(0)+"T11:15")
	changed["rev"] = 1
	write("PUT", market, changed, 200)
	program.assert("another title and time", on(0)+" 11:15 Spring market", on(1)+" 19:00 Chor übt",
		on(8)+" 19:00 Chor übt", on(15)+" 19:00 Chor übt")
	write("POST", choir+"/dates/"+on(8)+"T19:00/cancel", map[string]int{"rev": 1}, 200)
	cancelled := "CANCELLED " + on(8) + " 19:00 Chor übt"
	program.assert("a cancelled date", on(0)+" 11:15 Spring market", on(1)+" 19:00 Chor übt", cancelled,
		on(15)+" 19:00 Chor übt")
	later := event("Chor draußen", on(16)+"T20:00")
	later["rev"] = 2
	write("PUT", choir+"/dates/"+on(15)+"T19:00", later, 200)
	program.assert("a moved date", on(0)+" 11:15 Spring market", on(1)+" 19:00 Chor übt", cancelled,
		on(16)+" 20:00 Chor draußen")
	write("POST", choir+"/dates/"+on(8)+"T19:00/restore", map[string]int{"rev": 3}, 200)
	write("DELETE", market, nil, 204)
	program.assert("a date that is back, and a deleted event", on(1)+" 19:00 Chor übt",
		on(8)+" 19:00 Chor übt", on(16)+" 20:00 Chor draußen")
	write("POST", market+"/restore", map[string]any{}, 200)
	program.assert("an event that is back", on(0)+" 11:15 Spring market", on(1)+" 19:00 Chor übt",
		on(8)+" 19:00 Chor übt", on(16)+" 20:00 Chor draußen")
	kept := program.files()
	write("POST", "/api/v1/feeds/"+feed["id"].(string)+"/revoke", map[string]any{}, 200)
	if report, err := program.run("vdirsyncer", "sync"); err == nil {
		t.Errorf("an address that has ended is fetched: %s", report)
	}
	if after := program.files(); !slices.Equal(kept, after) {
		t.Errorf("after the end of the address %v became %v", kept, after)
	}
}

// subscribe writes the settings of both programs.
func (p *calendarProgram) subscribe() {
	p.t.Helper()
	for _, folder := range []string{"events", "status"} {
		if err := os.Mkdir(filepath.Join(p.home, folder), 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"vdirsyncer": "[general]\nstatus_path = \"%[1]s/status\"\n" +
			"[pair house]\na = \"feed\"\nb = \"here\"\ncollections = null\n" +
			"conflict_resolution = \"a wins\"\npartial_sync = \"revert\"\n" +
			"[storage feed]\ntype = \"http\"\nurl = \"%[2]s\"\n" +
			"[storage here]\ntype = \"filesystem\"\npath = \"%[1]s/events\"\nfileext = \".ics\"\n",
		"khal": "[calendars]\n[[house]]\npath = %[1]s/events\nreadonly = True\n" +
			"[sqlite]\npath = %[1]s/khal.db\n" +
			"[locale]\nlocal_timezone = Europe/Berlin\ndefault_timezone = Europe/Berlin\ntimeformat = %%H:%%M\n" +
			"dateformat = %%Y-%%m-%%d\nlongdateformat = %%Y-%%m-%%d\n" +
			"datetimeformat = %%Y-%%m-%%d %%H:%%M\n" +
			"longdatetimeformat = %%Y-%%m-%%d %%H:%%M\n",
	} {
		text = fmt.Sprintf(text+"%.[2]s", p.home, p.address)
		if err := os.WriteFile(filepath.Join(p.home, name), []byte(text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	if report, err := p.run("vdirsyncer", "discover"); err != nil {
		p.t.Fatalf("%v\n%s", err, report)
	}
}

// assert fetches the calendar, and checks all that the program and the libraries show of a month.
func (p *calendarProgram) assert(what string, want ...string) {
	p.t.Helper()
	p.assertRead(what, p.address, want...)
	// Clients that have emptied everything ask first; this one is told that it may.
	if report, err := p.run("vdirsyncer", "sync", "--force-delete"); err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, report)
	}
	report, err := p.run("khal", "list", "--day-format", "", "--format",
		"{cancelled}{start-date} {start-time} {title}", "--notstarted", p.from.Format(time.DateOnly), "30d")
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, report)
	}
	p.assertLines(what+": the program", report, want)
}

// files returns names, times and lengths of the files that the program has.
func (p *calendarProgram) files() (all []string) {
	p.t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.home, "events"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			p.t.Fatal(err)
		}
		all = append(all, fmt.Sprint(e.Name(), " ", info.ModTime(), " ", info.Size()))
	}
	return all
}

// run runs one of the programs with nothing of this person's own.
func (p *calendarProgram) run(name string, arguments ...string) (report string, err error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	arguments = append([]string{"-c", filepath.Join(p.home, name)}, arguments...)
	command := exec.CommandContext(ctx, p.programs[name], arguments...)
	command.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
	output, err := command.CombinedOutput()
	return string(output), err
}
