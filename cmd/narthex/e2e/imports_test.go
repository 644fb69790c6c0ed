package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/storage/storagetest"
)

// startImporters starts the modules that import files, and signs in the owner.
func startImporters(t *testing.T) (*invocation, *person) {
	t.Helper()
	i := install(t, "stage", "rota", "announcements", "calendar")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.useObjectStorage("http://" + storagetest.New(t).Address)
	daemon := i.start(t)
	return daemon, i.signIn(t, ownerAddress, ownerPassword)
}

// TestPreviewMeansOneThing: in every module preview=1 and preview=true answer what an import would change,
// and write nothing; another value is refused; and a file with problems is refused with the problems.
func TestPreviewMeansOneThing(t *testing.T) {
	t.Parallel()
	_, owner := startImporters(t)
	const id = "7d0f5b1e-5a55-4c3e-9a6a-1c9a3f0f6f1"
	for _, row := range []struct{ path, query, export, good, bad string }{
		{"announcements/import", "", "announcements/export",
			`{"announcements":1,"notices":[{"id":"` + id + `0","kind":"notice","title":"Lunch","body":"",` +
				`"imageId":null,"payload":null,"startsAt":null,"endsAt":null,"enabled":true}],"pictures":[]}`, `{}`},
		{"stage/import", "", "stage/export", `{"songs":[{"id":"` + id + `1","title":"Song","credit":"",` +
			`"sections":[{"label":"1","text":"words"}]}],"services":[]}`, `{"x":[]}`},
		{"stage/songs/import", "", "stage/export", "Another song\n\nwords", "\n"},
		{"rota/import", "", "rota/export", `{"rota":1,"roles":[{"id":"` + id + `2","name":"Tea"}],` +
			`"volunteers":[],"assignments":[]}`, `{"rota":2,"roles":[],"volunteers":[],"assignments":[]}`},
		{"rota/volunteers/import", "", "rota/export", "Name\nRuth\n", "Name\n"},
		{"calendar/import", "format=csv&", "calendar/export",
			"title,start,end\nFete,2099-06-06T10:00,2099-06-06T11:00\n", "x\n"},
	} {
		at := "/api/v1/modules/" + row.path + "?" + row.query
		export := func() string { return owner.do("GET", "/api/v1/modules/"+row.export, nil).body }
		send := func(query, file string) httpResponse { return owner.do("POST", at+query, strings.NewReader(file)) }
		before := export()
		for query, status := range map[string]int{"preview=1": 200, "preview=true": 200, "preview=false": 400,
			"preview=0": 400, "preview=yes": 400, "preview=": 400} {
			got := send(query, row.good)
			if got.status != status || (status == 200) != strings.Contains(got.body, `"problems":[]`) {
				t.Errorf("POST %s%s: status %d, want %d; body %s", at, query, got.status, status, got.body)
			}
			if export() != before {
				t.Fatalf("POST %s%s has imported the file", at, query)
			}
		}
		if got := send("preview=1", row.bad); got.status != 200 || !strings.Contains(got.body, `"problems":[{`) {
			t.Errorf("POST %spreview=1 of %q: status %d, want 200; body %s, want a problem", at, row.bad, got.status,
				got.body)
		}
		if got := send("", row.bad); got.status != 400 || !strings.Contains(got.body, `"code":"IMPORT_INVALID"`) ||
			!strings.Contains(got.body, `"problems":[{`) {
			t.Errorf("POST %s of %q: status %d, want 400; body %s, want IMPORT_INVALID and a problem", at, row.bad,
				got.status, got.body)
		}
		if got := send("", row.good); got.status != 200 || !strings.Contains(got.body, `"problems":[]`) ||
			export() == before {
			t.Errorf("POST %s: status %d, want 200 and the file imported; body %s", at, got.status, got.body)
		}
	}
}

// TestFilesOfManyMistakes: a file as long as an import may be, in which everything is wrong, or which names
// one thing again and again, gets a response of the module, which then still runs.
func TestFilesOfManyMistakes(t *testing.T) {
	t.Parallel()
	_, owner := startImporters(t)
	filled := func(begin, repeated, end string, size int) string {
		return begin + strings.Repeat(repeated, (size-len(begin)-len(end))/len(repeated)) + end
	}
	var rooms strings.Builder
	for n := range 380_000 {
		fmt.Fprintf(&rooms, `"%06d",`, n)
	}
	const invalid = `"code":"IMPORT_INVALID","problems":[{`
	for _, row := range []struct {
		path, body, want string
		status           int
	}{
		{"stage/import", filled(`{"songs":[0`, `,0`, `]}`, 8<<20), `"skippedCount":4`, 200},
		{"stage/import", filled(`{"services":[0`, "\n,0", `]}`, 8<<20), `"skippedCount":2`, 200},
		{"stage/songs/import", filled(`{"songs":[0`, `,0`, `]}`, 16<<20), `"skippedCount":8`, 200},
		{"stage/songs/import", filled("x\n", "---\nx\n", "", 2<<20), `"skippedCount":3`, 200},
		{"announcements/import", filled(`{"announcements":1,"notices":[],"pictures":[{}`, `,{}`, `]}`, 32<<20),
			invalid, 400},
		{"rota/import", filled(`{"rota":1,"roles":[],"volunteers":[],"assignments":[{}`, `,{}`, `]}`, 8<<20),
			invalid, 400},
		{"rota/import", filled(`{"rota":1,"roles":[],"volunteers":[{}`, `,{}`, `]}`, 256<<10),
			`"skippedCount":8`, 200},
		{"rota/volunteers/import", filled("name\n", "x\n", "", 512<<10), invalid, 400},
		{"rota/volunteers/import", filled("name;roles\nx;\"a", ";a", "\"\n", 512<<10), `"skippedCount":1`, 200},
		{"calendar/import?format=json", `{"format":"narthex-calendar-1","zone":"UTC","rooms":[` + rooms.String() +
			`"Hall"],"events":[]}`, "TOO_MANY", 400},
	} {
		got := owner.do("POST", "/api/v1/modules/"+row.path, strings.NewReader(row.body))
		if got.status != row.status || !strings.Contains(got.body, row.want) {
			t.Errorf("POST /%s of %.40s...: status %d, want %d; body %.100s, want %s",
				row.path, row.body, got.status, row.status, got.body, row.want)
		}
	}
	for _, module := range []string{"stage", "rota", "announcements", "calendar"} {
		var process struct {
			Starts int `json:"starts"`
		}
		told := owner.do("GET", "/api/v1/module-lifecycle/"+module+"/process", nil)
		if err := json.Unmarshal([]byte(told.body), &process); err != nil || process.Starts != 1 {
			t.Errorf("the process of %s afterwards: %s, want one start", module, told.body)
		}
	}
}

// TestLargeImports: 5,000 events as a table and as a calendar, 3,000 songs of an archive and 2,000 volunteers
// come in, in the memory that a module may have. It logs how long that took, and how much memory.
func TestLargeImports(t *testing.T) {
	if testing.Short() {
		t.Skip("for make proof: it imports thousands of rows")
	}
	t.Parallel()
	daemon, owner := startImporters(t)
	var table, events, people strings.Builder
	table.WriteString("title,start,end,location\n")
	events.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n")
	people.WriteString("Name,E-mail,Roles\n")
	for n := range 5000 {
		month, day, hour := 1+n%12, 1+n/12%28, 4+n/336
		fmt.Fprintf(&table, "Event %d,2027-%02d-%02dT%02d:00,,Hall\n", n, month, day, hour)
		fmt.Fprintf(&events, "BEGIN:VEVENT\r\nUID:%d@example.org\r\nSUMMARY:Other %[1]d\r\n"+
			"DTSTART;TZID=Europe/Berlin:2028%02d%02dT%02d0000\r\nDURATION:PT1H\r\nLOCATION:Garden\r\n"+
			"DESCRIPTION:%s\r\nEND:VEVENT\r\n", n, month, day, hour, strings.Repeat("What to bring. ", 8))
	}
	events.WriteString("END:VCALENDAR\r\n")
	for n := range 2000 {
		fmt.Fprintf(&people, "Volunteer %d,v%[1]d@example.org,\"Tea, Reader, Sound\"\n", n)
	}
	for _, row := range []struct{ module, path, body, want, again string }{
		{"calendar", "calendar/import?format=csv", table.String(), `"events":5000`, `"known":5000`},
		{"calendar", "calendar/import?format=ics", events.String(), `"events":5000`, `"known":5000`},
		{"stage", "stage/songs/import", manySongs(t, 3000), `"new":3000`, `"same":3000`},
		{"rota", "rota/volunteers/import", people.String(), `"added":2000`, `"unchanged":2000`},
	} {
		pid := modulePID(t, daemon, row.module)
		resetPeak(t, pid)
		for _, want := range []string{row.want, row.again} {
			began := time.Now()
			got := owner.do("POST", "/api/v1/modules/"+row.path, strings.NewReader(row.body))
			if got.status != 200 || !strings.Contains(got.body, want) {
				t.Errorf("POST /%s: status %d, body %.300s; want %s", row.path, got.status, got.body, want)
			}
			t.Logf("POST /%s of %d KiB: %s in %v", row.path, len(row.body)>>10, want, time.Since(began))
			_, peak := memory(t, pid)
			t.Logf("the process of %s has had at most %d MiB of memory", row.module, peak>>20)
		}
		told := owner.do("GET", "/api/v1/module-lifecycle/"+row.module+"/process", nil)
		if !strings.Contains(told.body, `"starts":1,`) {
			t.Errorf("the process of %s afterwards: %s, want one start", row.module, told.body)
		}
	}
}

// manySongs returns an archive of songs as OpenLyrics has them.
func manySongs(t *testing.T, n int) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for n := range n {
		one, err := w.Create(fmt.Sprint(n, ".xml"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(one, `<song xmlns="http://openlyrics.info/namespace/2009/song" version="0.9">`+
			`<properties><titles><title>Song %d</title></titles></properties><lyrics>`, n)
		for part := range 5 {
			fmt.Fprintf(one, `<verse name="v%d"><lines>%s</lines></verse>`, part+1,
				strings.Repeat(fmt.Sprintf(`<chord name="G"/>Words of %d <chord name="C"/>and %d<br/>`, n, part), 6))
		}
		fmt.Fprint(one, `</lyrics></song>`)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
