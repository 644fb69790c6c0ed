package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestLatest: the tile shows the slide that came onto the board last, by being written or by its start, and
// nothing else. Only who writes slides learns how many there are.
func TestLatest(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, member := m.Person(manageSlides), m.Person()
	want := func(title string, live int64) {
		t.Helper()
		for _, reader := range []*sdktest.Caller{office, member} {
			var got latest
			reader.Do("GET", "/latest", nil).JSON(&got)
			shown, count := "", int64(0)
			if got.Notice != nil {
				shown = got.Notice.Title
			}
			if got.Live != nil {
				count = *got.Live
			}
			if shown != title || got.Live != nil && reader == member || reader == office && count != live {
				t.Errorf("GET /latest: %q of %d live, want %q of %d for the office", shown, count, title, live)
			}
		}
	}
	write := func(title, more string) {
		t.Helper()
		if got := office.Do("POST", "/slides", `{"title":"`+title+`"`+more+`}`); got.Status != 201 {
			t.Fatal(got)
		}
	}
	want("", 0)
	write("Choir", `,"enabled":true`)
	write("A draft", "")
	in := func(passed time.Duration) string {
		return time.Now().Add(passed).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	write("Later", fmt.Sprintf(`,"enabled":true,"startsAt":%q`, in(time.Hour)))
	write("Over", fmt.Sprintf(`,"enabled":true,"endsAt":%q`, in(-time.Hour)))
	want("Choir", 1)
	write("Countdown", `,"enabled":true,"kind":"countdown.slide"`)
	want("Choir", 2)
	write("Lunch", `,"enabled":true`)
	want("Lunch", 3)
}

// TestWhatIsNewIsOfTheHouse: what is new since a visit depends on when a notice came onto the board of this
// house, which nobody's export has. It stays when the file is imported where it came from. In another house
// everything is new.
func TestWhatIsNewIsOfTheHouse(t *testing.T) {
	t.Parallel()
	from, to := sdktest.Start(t, &announcements{}, sdktest.Options{}),
		sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, other := from.Person(manageSlides), to.Person(manageSlides)
	if got := office.Do("POST", "/slides", `{"title":"Choir","enabled":true}`); got.Status != 201 {
		t.Fatal(got)
	}
	visit := time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)
	newer := func(who *sdktest.Caller, since string) int64 {
		t.Helper()
		var got latest
		if who.Do("GET", "/latest?since="+since, nil).JSON(&got); got.Newer == nil {
			t.Fatalf("GET /latest?since=%s: %+v, want a number", since, got)
		}
		return *got.Newer
	}
	file := office.Do("GET", "/export?pictures=0", nil).Body
	for _, who := range []*sdktest.Caller{office, other} {
		if got := who.Do("POST", "/import", file); got.Status != 200 {
			t.Fatalf("the import: %s, want 200", got)
		}
	}
	if n := newer(office, visit); n != 0 {
		t.Errorf("%d notices are new where they came from, want none", n)
	}
	if n := newer(other, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)); n != 1 {
		t.Errorf("%d notices are new in the other house, want one", n)
	}
}
