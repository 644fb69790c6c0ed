package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestFollowedSlides: the module that brings a kind of slide replaces what its slides say. Screens learn it,
// a writer can still save, and nothing is published when nothing is different.
func TestFollowedSlides(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, screen := m.Person(manageSlides), m.Device(viewDisplay)
	made := func(kind, payload, more string) (s slide) {
		t.Helper()
		got := office.Do("POST", "/slides", fmt.Sprintf(
			`{"title":"Next","kind":%q,"payload":%s,"enabled":true%s}`, kind, payload, more))
		if got.Status != 201 {
			t.Fatal(got)
		}
		got.JSON(&s)
		return s
	}
	one := made("calendar.slide", `{"heading":"Soon","events":[]}`, "")
	bare := made("calendar.slide", `null`, "")
	made("stage.scripture", `{"events":1}`, "")
	made("calendar.slide", `{"heading":"Over"}`, `,"endsAt":"2020-01-02T00:00:00.000Z"`)
	follower := screen.Subscribe(boardChannel)
	tell := func(by, kind, set string) error {
		t.Helper()
		return m.Ask(by, "announcements.slides", "follow",
			map[string]any{"kind": kind, "set": json.RawMessage(set)}, nil)
	}
	payloads := func() (all []string) {
		t.Helper()
		var list struct{ Slides []slide }
		office.Do("GET", "/slides", nil).JSON(&list)
		for _, s := range list.Slides {
			all = append(all, strings.ReplaceAll(string(s.Payload), " ", ""))
		}
		return all
	}
	want := []string{`{"events":["a"],"heading":"Soon"}`, `{"events":["a"]}`, `{"events":1}`,
		`{"heading":"Over"}`}
	for range 2 {
		if err := tell("calendar", "calendar.slide", `{"events":["a"]}`); err != nil {
			t.Fatal(err)
		}
	}
	if got := payloads(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the slides say %s, want %s", got, want)
	}
	told := updateOf(t, follower)
	if len(told.Upsert) != 2 || told.Upsert[0].Rev != one.Rev || told.Upsert[1].ID != bare.ID {
		t.Errorf("a screen is told %+v, want the two slides with the revs that they had", told)
	}
	for what, of := range map[string]struct{ by, kind, set string }{
		"another module's kind":         {"stage", "calendar.slide", `{"events":["b"]}`},
		"a kind that only begins alike": {"cal", "calendar.slide", `{"events":["b"]}`},
		"a notice":                      {"announcements", "notice", `{"events":["b"]}`},
		"no object":                     {"calendar", "calendar.slide", `["b"]`},
		"a NUL":                         {"calendar", "calendar.slide", `{"events":["\u0000"]}`},
	} {
		if err := tell(of.by, of.kind, of.set); !errors.Is(err, sdk.ErrCapabilityFailed) {
			t.Errorf("%s: error %v, want %v", what, err, sdk.ErrCapabilityFailed)
		}
	}
	long := `{"events":"` + strings.Repeat("x", maxPayload) + `"}`
	if err := tell("calendar", "calendar.slide", long); err != nil {
		t.Errorf("what is too long: error %v, want none", err)
	}
	if got := payloads(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after refusals the slides say %s, want %s", got, want)
	}
	if got := office.Do("PUT", "/slides/"+one.ID, fmt.Sprintf(
		`{"title":"Later","kind":"calendar.slide","payload":{},"enabled":true,"rev":%d}`,
		one.Rev)); got.Status != 200 {
		t.Errorf("a writer who had it open: %s, want 200", got)
	}
	if told = updateOf(t, follower); len(told.Upsert) != 1 || told.Upsert[0].Title != "Later" {
		t.Errorf("the next thing that a screen is told is %+v, want the writer's", told)
	}
}
