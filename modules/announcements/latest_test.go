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
