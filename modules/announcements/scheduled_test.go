package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestScheduledIsForWriters: until its time, a published slide and its picture are for those who write slides
// and for screens, which load them in advance. Once its time has come, everybody reads it.
func TestScheduledIsForWriters(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office, member, screen := m.Person(manageSlides), m.Person(), m.Device(viewDisplay)
	p := uploaded(t, office, pngOf(t, 30, 40))
	at := time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
	var scheduled slide
	if got := office.Do("POST", "/slides", fmt.Sprintf(
		`{"title":"A new pastor","imageId":%q,"enabled":true,"startsAt":%q}`, p.ID, at)); got.Status != 201 {
		t.Fatal(got)
	} else {
		got.JSON(&scheduled)
	}
	want := func(when string, reads bool, picture int) {
		t.Helper()
		for who, c := range map[string]struct {
			by    *sdktest.Caller
			reads bool
		}{"office": {office, true}, "member": {member, reads}} {
			got := c.by.Do("GET", "/slides", nil)
			if strings.Contains(got.Body, "A new pastor") != c.reads {
				t.Errorf("%s, the %s reads %s, want the slide: %t", when, who, got.Body, c.reads)
			}
		}
		for path, c := range map[string]struct {
			by     *sdktest.Caller
			status int
		}{
			"/images/" + p.ID + "/url":       {member, picture},
			"/board/images/" + p.ID + "/url": {screen, 200},
		} {
			if got := c.by.Do("GET", path, nil); got.Status != c.status {
				t.Errorf("%s, GET %s: %s, want %d", when, path, got, c.status)
			}
		}
		if got := office.Do("GET", "/images/"+p.ID+"/url", nil); got.Status != 200 {
			t.Errorf("%s, the office gets for the picture %s, want 200", when, got)
		}
	}
	want("before its time", false, 404)
	if got := office.Do("PUT", "/slides/"+scheduled.ID, fmt.Sprintf(
		`{"title":"A new pastor","imageId":%q,"enabled":true,"startsAt":"2020-01-02T00:00:00.000Z","rev":1}`,
		p.ID)); got.Status != 200 {
		t.Fatal(got)
	}
	want("after its time", true, 200)
}
