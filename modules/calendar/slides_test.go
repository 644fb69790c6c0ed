package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/sdk"
	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// slidesOfBoard is a board that was told what the slides say.
type slidesOfBoard struct {
	mu   sync.Mutex
	told []string
}

func (b *slidesOfBoard) follow(_ context.Context, in struct {
	Kind string
	Set  struct{ Events []slideEvent }
}) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var events []string
	for _, e := range in.Set.Events {
		events = append(events, fmt.Sprintf("%s %s %s %t", e.Title, e.Start[5:], e.Where, e.AllDay))
	}
	b.told = append(b.told, in.Kind+": "+strings.Join(events, "; "))
	return nil, nil
}

// TestSlidesFollowTheCalendar: the board is told of the next events: of one that was moved, and of one that
// was cancelled. While it starts, it is told in the next run.
func TestSlidesFollowTheCalendar(t *testing.T) {
	t.Parallel()
	shown := &slidesOfBoard{}
	s := &started{module: &calendar{}}
	s.Module = sdktest.Start(t, s.module, sdktest.Options{TimeZone: "Europe/Berlin",
		Capabilities: map[string]sdk.Methods{board: {"follow": sdk.Func(shown.follow)}}})
	s.office = s.Person(manageEvents)
	for _, name := range []string{strings.Repeat("ä", 58), "Hall"} {
		if got := s.office.Do("POST", "/rooms", map[string]string{"name": name}); got.Status != 201 {
			t.Fatal(got)
		}
	}
	tells := func(when, want string) {
		t.Helper()
		if err := s.Advance(slidesEvery); err != nil {
			t.Fatal(err)
		}
		shown.mu.Lock()
		defer shown.mu.Unlock()
		if got := shown.told[len(shown.told)-1]; got != slideKind+": "+want {
			t.Errorf("%s, the board is told %q, want %q", when, got, slideKind+": "+want)
		}
	}
	tells("without an event", "")
	at := soon(3) + "T10:00"
	lunch := s.write(t, "POST", "/events", event1("Lunch", at, soon(3)+"T12:00", "", 1, 2), 201)
	where := strings.Repeat("ä", 58) + ", Hall"
	tells("with an event", "Lunch "+at[5:]+" "+where+" false")
	if got := s.NothingFor("slides"); got != slidesRest {
		t.Errorf("then there is nothing to do for %v, want %v", got, slidesRest)
	}
	moved := soon(4) + "T11:00"
	changed := with(event1("Lunch", moved, soon(4)+"T12:00", "", 2), lunch.Rev)
	lunch = s.write(t, "PUT", "/events/"+lunch.ID, changed, 200)
	tells("after it was moved", "Lunch "+moved[5:]+" Hall false")
	s.write(t, "DELETE", "/events/"+lunch.ID, "", 204)
	s.FailCapability(board, sdk.ErrCapabilityFailed)
	tells("while the board starts", "Lunch "+moved[5:]+" Hall false")
	if got := s.NothingFor("slides"); got != 0 {
		t.Errorf("then there is nothing to do for %v, want 0: the board has not been told", got)
	}
	tells("after it was deleted", "")
	s.FailCapability(board, sdk.ErrCapabilityAbsent)
	tells("without a board", "")
	if got := s.NothingFor("slides"); got != slidesRest {
		t.Errorf("without a board there is nothing to do for %v, want %v", got, slidesRest)
	}
	var first []string
	for n := range slideEvents + 2 {
		on := soon(n + 2)
		s.write(t, "POST", "/events", event1(fmt.Sprint(n), on+"T10:00", on+"T11:00", ""), 201)
		if n < slideEvents {
			first = append(first, fmt.Sprintf("%d %sT10:00  false", n, on[5:]))
		}
	}
	s.write(t, "POST", "/events", event1("Far", soon(16)+"T10:00", soon(16)+"T11:00", ""), 201)
	tells("with more than fit", strings.Join(first, "; "))
}
