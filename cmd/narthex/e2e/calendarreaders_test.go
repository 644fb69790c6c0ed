package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk/ical/icaltest"
)

// calendarDays is how many days the readers show.
const calendarDays = 30

// calendarReaders are the libraries icalendar, of Python, and ical.js, of JavaScript. They show what is at an
// address.
type calendarReaders struct {
	t       *testing.T
	home    string
	from    time.Time           // the first day that is shown
	readers map[string][]string // their commands, by names
	known   map[string]fetched  // the last answers, by addresses
}

type fetched struct{ tag, body string }

func readers(t *testing.T) calendarReaders {
	t.Helper()
	const library, python = "../../../web/node_modules/ical.js/dist/ical.js", "/usr/bin/python3" // Debian's
	if _, err := os.Stat(library); err != nil {
		t.Skip("web/node_modules is not installed: make web/node_modules")
	}
	if exec.CommandContext(t.Context(), python, "-c", "import icalendar, dateutil").Run() != nil {
		t.Skip("icalendar is not installed: .ci/packages calendars")
	}
	return calendarReaders{t: t, home: t.TempDir(), from: time.Now().AddDate(0, 0, 20),
		known: map[string]fetched{}, readers: map[string][]string{
			"icalendar": {python, "testdata/calendars/read.py"},
			"ical.js":   {"node", "testdata/calendars/read.mjs", library},
		}}
}

// fetch returns what is at an address, with the tag of the last answer as programs send it.
func (r *calendarReaders) fetch(address string) (status int, now fetched) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	if tag := r.known[address].tag; tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response.StatusCode, fetched{response.Header.Get("Etag"), string(body)}
}

// assertUnchanged wants the answer that nothing is new.
func (r *calendarReaders) assertUnchanged(address string) {
	r.t.Helper()
	if status, now := r.fetch(address); status != http.StatusNotModified || now.body != "" {
		r.t.Errorf("a calendar that has not changed: status %d, %d bytes; want 304 and none", status, len(now.body))
	}
}

// assertRead fetches a calendar, which has to follow the rules, and checks all that the libraries show of it.
func (r *calendarReaders) assertRead(what, address string, want ...string) {
	r.t.Helper()
	before := r.known[address]
	switch status, now := r.fetch(address); status {
	case http.StatusOK:
		icaltest.Check(r.t, now.body)
		icaltest.CheckChange(r.t, before.body, now.body)
		r.known[address] = now
	case http.StatusNotModified:
	default:
		r.t.Fatalf("%s: status %d, want 200 or 304", what, status)
	}
	file := filepath.Join(r.home, "read.ics")
	if err := os.WriteFile(file, []byte(r.known[address].body), 0o600); err != nil {
		r.t.Fatal(err)
	}
	for name, command := range r.readers {
		arguments := append(command[1:len(command):len(command)], file, r.from.Format(time.DateOnly),
			r.from.AddDate(0, 0, calendarDays).Format(time.DateOnly))
		output, err := exec.CommandContext(r.t.Context(), command[0], arguments...).CombinedOutput()
		if err != nil {
			r.t.Fatalf("%s: %s: %v\n%s", what, name, err, output)
		}
		r.assertLines(what+": "+name, string(output), want)
	}
}

// assertLines checks what was printed.
func (r *calendarReaders) assertLines(what, report string, want []string) {
	r.t.Helper()
	var got []string
	for line := range strings.Lines(report) {
		if line = strings.TrimSpace(line); line != "" && line != "No events" {
			got = append(got, line)
		}
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("%s shows\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFeedsInOtherLanguages: the libraries of two other languages read the calendar of the house, those of a
// room and of the website, and a person's own duties, and see in each exactly what changes.
func TestFeedsInOtherLanguages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts programs of Python and JavaScript many times")
	}
	r := readers(t)
	i := install(t, "calendar", "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `UPDATE core.house SET name = 'St. Mary', time_zone = 'America/New_York', rev = rev + 1`)
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.start(t)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	address := func(module, path, query string, house bool) string {
		body := map[string]any{"moduleId": module, "path": path, "label": "Reader"}
		if query != "" {
			body["query"] = query
		}
		if house {
			body["house"] = true
		}
		return owner.create(t, 201, "/api/v1/feeds", body)["url"].(string)
	}
	const calendar, stage = "/api/v1/modules/calendar", "/api/v1/modules/stage/services"
	on := func(day int) string { return r.from.AddDate(0, 0, day).Format(time.DateOnly) }
	room := owner.create(t, 201, calendar+"/rooms", object{"name": "Hall; upstairs"})["id"]
	hall := address("calendar", "/calendar.ics", fmt.Sprint("room=", room), false)
	house := address("calendar", "/calendar.ics", "", false)
	website := address("calendar", "/public.ics", "", true)
	duties := address("rota", "/duties.ics", "", false)

	camp := owner.create(t, 201, calendar+"/events", object{"title": "Sommerlager; Zelte, Süßes \\ 𝄞" +
		strings.Repeat(" lang", 12), "start": on(3), "end": on(5)})
	owner.create(t, 201, calendar+"/events", object{"title": "Choir", "start": on(1) + "T19:00",
		"end": on(1) + "T20:30", "rooms": []any{room},
		"rule": "FREQ=DAILY;UNTIL=" + strings.ReplaceAll(on(2), "-", "")})
	whole := on(3) + " " + camp["title"].(string)
	choir := []string{on(1) + " 19:00 Choir", on(2) + " 19:00 Choir"}
	all := append(slices.Clone(choir), whole)
	r.assertRead("the house", house, all...)
	r.assertRead("the website", website, all...)
	r.assertRead("the hall", hall, choir...)
	if got := owner.do("DELETE", calendar+"/events/"+camp["id"].(string), nil); got.status != 204 {
		t.Fatalf("DELETE the event: %d %s", got.status, got.body)
	}
	r.assertRead("the house", house, choir...)
	r.assertRead("the website", website, choir...)
	r.assertUnchanged(hall)

	r.assertRead("no duties", duties)
	place, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour int) string {
		d := r.from.AddDate(0, 0, day)
		return time.Date(d.Year(), d.Month(), d.Day(), hour, 0, 0, 0, place).UTC().Format(stamp)
	}
	service := owner.create(t, 201, stage, object{"title": "Service", "startsAt": at(6, 10)})["id"].(string)
	i.db.Exec(t, `
		WITH role AS (INSERT INTO module_rota.roles (name, position) VALUES ('Reader', 1) RETURNING id),
		     anna AS (
			INSERT INTO module_rota.volunteers (label, email, language, digest, user_id)
			VALUES ('Anna', 'anna@example.org', 'en', false, $2) RETURNING id)
		INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
		SELECT $1, role.id, anna.id, 'yes' FROM role, anna`, service, owner.userID(t))
	i.db.Exec(t, `UPDATE core.module_schedule SET due_at = now() WHERE module_id = 'rota' AND name = 'services'`)
	eventually(t, "the rota knows when the service is", func() bool {
		return len(i.column(t, `SELECT title FROM module_rota.known_services`)) == 1
	})
	r.assertRead("a duty", duties, on(6)+" 10:00 Reader: Service")
	r.assertUnchanged(duties)
	if got := owner.do("PUT", stage+"/"+service, object{"title": "Late service", "startsAt": at(7, 18),
		"rev": 1}); got.status != 200 {
		t.Fatalf("PUT the service: %d %s", got.status, got.body)
	}
	r.assertRead("a moved duty", duties, on(7)+" 18:00 Reader: Late service")
	if got := owner.do("DELETE", stage+"/"+service, nil); got.status/100 != 2 {
		t.Fatalf("DELETE the service: %d %s", got.status, got.body)
	}
	r.assertRead("a cancelled duty", duties, "CANCELLED "+on(7)+" 18:00 Reader: Late service")
}
