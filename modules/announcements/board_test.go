package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

func updateOf(t *testing.T, s *sdktest.Subscription) (u update) {
	t.Helper()
	text := s.Update()
	if err := json.Unmarshal([]byte(text), &u); err != nil {
		t.Fatalf("update %s is not JSON: %v", text, err)
	}
	return u
}

// TestBoard: a screen gets every change of published slides, and no other.
func TestBoard(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{},
		sdktest.Options{Configuration: map[string]any{"idleMessage": "Peace"}})
	office, screen, member := m.Person(manageSlides), m.Device(viewDisplay), m.Person()
	var first, second slide
	office.Do("POST", "/slides", `{"title":"Published","enabled":true}`).JSON(&first)
	office.Do("POST", "/slides", `{"title":"Draft"}`).JSON(&second)
	office.Do("POST", "/slides",
		`{"title":"Over","enabled":true,"startsAt":"2020-01-01T00:00:00.000Z","endsAt":"2020-01-02T00:00:00.000Z"}`)
	began := time.Now().Truncate(time.Millisecond)
	follower := screen.Subscribe(boardChannel)
	var seen board
	follower.JSON(&seen)
	if len(seen.Slides) != 1 || seen.Slides[0].Title != "Published" || seen.Rev != 4 || seen.Show != nil ||
		seen.Settings != (settings{SlideSeconds: 12, ShowClock: true, Transition: "fade", IdleMessage: "Peace"}) ||
		seen.ServerTime.Before(began) || seen.ServerTime.After(time.Now()) {
		t.Errorf("the snapshot is %s, want the published slide alone, rev 4 and the settings", follower.Body)
	}
	writer := office.Subscribe(noticesChannel)
	edit := fmt.Sprintf(`{"title":"Draft","body":%q,"enabled":true,"rev":1}`, strings.Repeat("ä", 1000))
	for _, step := range []struct {
		method, path, body string
		status             int
		told               func(u update) bool
	}{
		{"PUT", "/slides/" + second.ID, edit, 200, func(u update) bool {
			return len(u.Upsert) == 1 && u.Upsert[0].ID == second.ID &&
				u.Upsert[0].Body == strings.Repeat("ä", maxBoardText)
		}},
		{"PUT", "/slides/" + second.ID + "/place", `{"after":null,"rev":1}`, 200, func(u update) bool {
			return len(u.Upsert) == 1 && u.Upsert[0].Position < first.Position
		}},
		{"POST", "/slides/" + first.ID + "/show", `{}`, 200, func(u update) bool {
			left := time.Until(u.Show.Until)
			return u.Show.ID == first.ID && left > 30*time.Second && left <= showFor
		}},
		{"DELETE", "/slides/" + first.ID + "/show", "", 204, func(u update) bool {
			return u.Show.ID == first.ID && !u.Show.Until.After(time.Now())
		}},
		{"PUT", "/slides/" + first.ID, `{"title":"Published","enabled":false,"rev":1}`, 200, func(u update) bool {
			return len(u.Remove) == 1 && u.Remove[0] == first.ID
		}},
		{"DELETE", "/slides/" + second.ID, "", 204, func(u update) bool {
			return len(u.Remove) == 1 && u.Remove[0] == second.ID
		}},
	} {
		var body any
		if step.body != "" {
			body = step.body
		}
		if got := office.Do(step.method, step.path, body); got.Status != step.status {
			t.Fatalf("%s %s: %s, want %d", step.method, step.path, got, step.status)
		}
		seen.Rev++
		for name, s := range map[string]*sdktest.Subscription{"screen": follower, "office": writer} {
			if u := updateOf(t, s); u.Rev != seen.Rev || !step.told(u) {
				t.Errorf("after %s %s the %s is told %+v, want rev %d and the change", step.method, step.path,
					name, u, seen.Rev)
			}
		}
	}
	for name, c := range map[string]struct {
		by      *sdktest.Caller
		channel string
	}{
		"a member follows the screens' channel": {member, boardChannel},
		"a screen follows the people's channel": {screen, noticesChannel},
		"a member follows the people's channel": {member, noticesChannel},
	} {
		if got := c.by.Subscribe(c.channel); got.Status != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", name, got.Status)
		}
	}
}

// TestShowRefused: only a published slide that has not ended can be shown, and only by people with the
// permission.
func TestShowRefused(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	var draft, over slide
	office.Do("POST", "/slides", `{"title":"Draft"}`).JSON(&draft)
	office.Do("POST", "/slides",
		`{"title":"Over","enabled":true,"endsAt":"2020-01-02T00:00:00.000Z"}`).JSON(&over)
	for name, c := range map[string]struct {
		by     *sdktest.Caller
		id     string
		body   string
		status int
		code   string
	}{
		"not published": {office, draft.ID, `{}`, 409, "SLIDE_NOT_PUBLISHED"},
		"over":          {office, over.ID, `{}`, 409, "SLIDE_NOT_PUBLISHED"},
		"gone":          {office, "00000000-0000-4000-8000-000000000000", `{}`, 404, "SLIDE_NOT_FOUND"},
		"no id":         {office, "x", `{}`, 404, "SLIDE_NOT_FOUND"},
		"with more":     {office, over.ID, `{"minutes":5}`, 400, "REQUEST_INVALID"},
		"by a member":   {m.Person(), over.ID, `{}`, 403, "PERMISSION_DENIED"},
		"by a screen":   {m.Device(viewDisplay), over.ID, `{}`, 403, "PERMISSION_DENIED"},
	} {
		if got := c.by.Do("POST", "/slides/"+c.id+"/show", c.body); got.Status != c.status ||
			got.Body != `{"code":"`+c.code+`"}` {
			t.Errorf("showing one that is %s: %s, want %d %s", name, got, c.status, c.code)
		}
	}
	follower := m.Device(viewDisplay).Subscribe(boardChannel)
	var seen board
	follower.JSON(&seen)
	if seen.Show != nil || seen.Rev != 3 {
		t.Errorf("the board after refused shows: %s, want no show and rev 3", follower.Body)
	}
}

// TestWritersAtOnce: concurrent writes are published in the order of their revs and without gaps.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	follower := m.Device(viewDisplay).Subscribe(boardChannel)
	const writers, each = 8, 10
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				body := fmt.Sprintf(`{"title":"%d of %d","enabled":true}`, n, w)
				if got := office.Do("POST", "/slides", body); got.Status != http.StatusCreated {
					t.Errorf("writer %d: %s, want 201", w, got)
				}
			}
		})
	}
	for n := range writers * each {
		if u := updateOf(t, follower); u.Rev != int64(n)+2 {
			t.Fatalf("update %d has rev %d, want %d", n, u.Rev, n+2)
		}
	}
	all.Wait()
}

// TestLongBoard: slides that do not fit into one message are omitted, and the others are still shown.
func TestLongBoard(t *testing.T) {
	t.Parallel()
	a := &announcements{}
	m := sdktest.Start(t, a, sdktest.Options{})
	payload := `{"text":"` + strings.Repeat("x", maxPayload-20) + `"}`
	_, err := a.store.db.Exec(t.Context(), `
		INSERT INTO slides (kind, title, body, payload, position, enabled)
		SELECT 'other.kind', n::text, '', $1::jsonb, n, true FROM generate_series(0, 129) AS n`, payload)
	if err != nil {
		t.Fatal(err)
	}
	follower := m.Device(viewDisplay).Subscribe(boardChannel)
	var seen board
	follower.JSON(&seen)
	if len(seen.Slides) < 90 || len(seen.Slides) >= 130 || seen.Slides[0].Title != "0" ||
		!m.Logged("the board is too long for one message") {
		t.Errorf("%d of 130 slides with 8 KiB each are sent, want 90 to 129 and a line in the log",
			len(seen.Slides))
	}
}

// TestSpread: when every slide gets a new position, readers are made to fetch the board again.
func TestSpread(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	ids := make([]string, 3)
	for i := range ids {
		var s slide
		office.Do("POST", "/slides", `{"title":"x","enabled":true}`).JSON(&s)
		ids[i] = s.ID
	}
	follower := m.Device(viewDisplay).Subscribe(boardChannel)
	bare := false
	for rev := 1; rev <= 12 && !bare; rev++ { // each time half as much room is left behind the first
		moved, behind := ids[2-rev%2], ids[0]
		body := fmt.Sprintf(`{"after":%q,"rev":%d}`, behind, rev)
		if got := office.Do("PUT", "/slides/"+moved+"/place", body); got.Status != 200 {
			t.Fatal(got)
		}
		u := updateOf(t, follower)
		bare = u.Upsert == nil && u.Remove == nil && u.Show == nil
	}
	if !bare {
		t.Error("no update says that every slide has moved")
	}
}
