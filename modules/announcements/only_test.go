package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestOnly: when and where alone a slide is shown is kept in one form, and what no screen could follow is
// refused. Absent means always and everywhere, as in what older clients send.
func TestOnly(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, screen := m.Person(manageSlides), m.Device(viewDisplay)
	of := func(weekdays, hours, screens string) string {
		return `{"weekdays":[` + weekdays + `],"hours":` + hours + `,"screens":[` + screens + `]}`
	}
	clock := func(from, until string) string { return fmt.Sprintf(`{"from":%q,"until":%q}`, from, until) }
	names := make([]string, maxScreens+1)
	for n := range names {
		names[n] = fmt.Sprintf(`"Hall %d"`, n)
	}
	night := of("", clock("22:00", "06:00"), "")
	for only, want := range map[string]string{
		"null":                              "none",
		of("", "null", ""):                  "none",
		of("7,6,5,4,3,2,1,1", "null", ""):   "none",
		of("7,3,7", "null", ""):             of("3,7", "null", ""),
		night:                               night,
		of("", "null", `" Foyer ","foyer"`): of("", "null", `"Foyer"`),
		of("0", "null", ""):                 "",
		of("8", "null", ""):                 "",
		of("", clock("9:00", "10:00"), ""):  "",
		of("", clock("09:00", "24:00"), ""): "",
		of("", clock("09:00", "09:00"), ""): "",
		of("", clock("09:00", ""), ""):      "",
		of("", "null", `" "`):               "",
		of("", "null", `"`+strings.Repeat("a", maxScreenName+1)+`"`): "",
		of("", "null", strings.Join(names, ",")):                     "",
		`{"weekdays":[],"hours":null,"screens":[],"rooms":["Hall"]}`: "",
	} {
		got := office.Do("POST", "/slides", `{"title":"Coffee","only":`+only+`}`)
		if want == "" {
			if got.Status != 400 {
				t.Errorf("%s: %s, want 400", only, got)
			}
			continue
		}
		shown := strings.Contains(got.Body, `"only":`+want+`,`)
		if want == "none" {
			shown = !strings.Contains(got.Body, `"only"`)
		}
		if got.Status != 201 || !shown {
			t.Errorf("%s: %s, want %s", only, got, want)
		}
	}

	var made slide
	office.Do("POST", "/slides",
		`{"title":"Lunch","enabled":true,"only":`+of("7", "null", `"Hall"`)+`}`).JSON(&made)
	if seen := screen.Subscribe(boardChannel); !strings.Contains(string(seen.Body), `"screens":["Hall"]`) {
		t.Errorf("a screen gets %s, want the names of the screens", seen.Body)
	}
	if got := office.Do("PUT", "/slides/"+made.ID, `{"title":"Lunch","rev":1}`); got.Status != 200 ||
		strings.Contains(got.Body, `"only"`) {
		t.Errorf("without only: %s, want none", got)
	}
}

// TestOnlyComesBack: an export keeps it, an import changes nothing where it was exported, and a file from
// before has none.
func TestOnlyComesBack(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	const hall = `"only":{"weekdays":[1],"hours":{"from":"09:00","until":"12:00"},"screens":["Hall"]}`
	office.Do("POST", "/slides", `{"title":"Hall","enabled":true,`+hall+`}`)
	office.Do("POST", "/slides", `{"title":"Everywhere","enabled":true}`)
	file := office.Do("GET", "/export", nil).Body
	if strings.Count(file, `"only"`) != 1 || !strings.Contains(file, hall) {
		t.Fatalf("the export is %s, want %s once", file, hall)
	}
	counted := func(file, want string) {
		t.Helper()
		got := office.Do("POST", "/import", file)
		var all struct{ Notices json.RawMessage }
		got.JSON(&all)
		if string(all.Notices) != want {
			t.Errorf("the import answers %s, want the notices %s", got, want)
		}
	}
	counted(file, `{"new":0,"changed":0,"same":2}`)
	counted(strings.Replace(file, `"weekdays":[1]`, `"weekdays":[1,1]`, 1), `{"new":0,"changed":0,"same":2}`)
	older := strings.Replace(file, hall+",", "", 1)
	counted(older, `{"new":0,"changed":1,"same":1}`)
	if got := office.Do("GET", "/slides", nil); strings.Contains(got.Body, "Hall\"]") {
		t.Errorf("after an older file: %s, want no names of screens", got)
	}
	counted(file, `{"new":0,"changed":1,"same":1}`)
	if got := office.Do("GET", "/slides", nil); !strings.Contains(got.Body, hall) {
		t.Errorf("after the file: %s, want %s", got, hall)
	}
}
