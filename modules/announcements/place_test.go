package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

type list struct {
	Slides []slide `json:"slides"`
	Rev    int64   `json:"rev"`
}

func (l *list) titles() (titles []string) {
	for _, s := range l.Slides {
		titles = append(titles, s.Title)
	}
	return titles
}

// TestPlace moves slides between any two others, even if there is no gap left between them. A move writes one
// row.
func TestPlace(t *testing.T) {
	t.Parallel()
	m := sdktest.Start(t, &announcements{}, sdktest.Options{})
	office := m.Person(manageSlides)
	read := func() (l list) {
		t.Helper()
		office.Do("GET", "/slides", nil).JSON(&l)
		return l
	}
	const count = 500
	for i := range count {
		if got := office.Do("POST", "/slides",
			fmt.Sprintf(`{"title":"%03d"}`, i)); got.Status != http.StatusCreated {
			t.Fatalf("creating slide %d: %s, want 201", i, got)
		}
	}
	board := read()
	want := board.titles()
	move := func(from, to int) {
		t.Helper()
		moved := board.Slides[from]
		rest := slices.Delete(slices.Clone(board.Slides), from, from+1)
		after := "null"
		if to > 0 {
			after = fmt.Sprintf("%q", rest[to-1].ID)
		}
		got := office.Do("PUT", "/slides/"+moved.ID+"/place",
			fmt.Sprintf(`{"after":%s,"rev":%d}`, after, board.Rev))
		if got.Status != http.StatusOK || got.Body != fmt.Sprintf(`{"rev":%d}`, board.Rev+1) {
			t.Fatalf("moving %s from %d to %d: %s, want 200 and the next rev", moved.Title, from, to, got)
		}
		want = slices.Insert(slices.Delete(slices.Clone(want), from, from+1), to, moved.Title)
		before := board
		board = read()
		if got := board.titles(); !slices.Equal(got, want) {
			t.Fatalf("after moving %s from %d to %d the order is %q, want %q", moved.Title, from, to, got[:12],
				want[:12])
		}
		written := 0
		for _, s := range board.Slides {
			i := slices.IndexFunc(before.Slides, func(old slide) bool { return old.ID == s.ID })
			if before.Slides[i].Position != s.Position {
				written++
			}
		}
		if written != 1 && written < 10 { // more only after all gaps were restored
			t.Errorf("moving %s from %d to %d wrote %d rows, want 1", moved.Title, from, to, written)
		}
	}
	move(count-1, 0)
	move(0, count-1)
	move(0, 1)
	for range 12 { // 1024 is halved ten times
		move(9, 2)
	}

	stale := fmt.Sprintf(`{"after":null,"rev":%d}`, board.Rev-1)
	if got := office.Do("PUT", "/slides/"+board.Slides[3].ID+"/place",
		stale); got.Status != http.StatusConflict {
		t.Errorf("moving against an order that changed: %s, want 409", got)
	}
	gone := "00000000-0000-4000-8000-000000000000"
	behindGone := fmt.Sprintf(`{"after":%q,"rev":%d}`, gone, board.Rev)
	if got := office.Do("PUT", "/slides/"+board.Slides[3].ID+"/place",
		behindGone); got.Status != http.StatusConflict {
		t.Errorf("moving behind a slide that is gone: %s, want 409", got)
	}
	first := fmt.Sprintf(`{"after":null,"rev":%d}`, board.Rev)
	if got := office.Do("PUT", "/slides/"+gone+"/place", first); got.Status != http.StatusNotFound {
		t.Errorf("moving a slide that is gone: %s, want 404", got)
	}
	itself := fmt.Sprintf(`{"after":%q,"rev":%d}`, board.Slides[3].ID, board.Rev)
	if got := office.Do("PUT", "/slides/"+board.Slides[3].ID+"/place",
		itself); got.Status != http.StatusBadRequest {
		t.Errorf("moving a slide behind itself: %s, want 400", got)
	}
	if again := read(); again.Rev != board.Rev || !slices.Equal(again.titles(), want) {
		t.Errorf("refused moves have changed the board: rev %d, want %d", again.Rev, board.Rev)
	}
	if got := m.Person().Do("PUT", "/slides/"+board.Slides[3].ID+"/place",
		first); got.Status != http.StatusForbidden {
		t.Errorf("a reader moves a slide: %s, want 403", got)
	}
}
