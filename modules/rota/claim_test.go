package main

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// TestClaimOnce: of fifty people who use one link at once, one is connected with the volunteer.
func TestClaimOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	body := map[string]string{"token": f.token(f.volunteer("Reader 1").ID)}
	people := make([]*sdktest.Caller, 50)
	for n := range people {
		people[n] = f.Person()
	}
	var tied atomic.Int32
	var all sync.WaitGroup
	for _, who := range people {
		all.Go(func() {
			switch got := who.Do("POST", "/claim", body); {
			case got.Status == 204:
				tied.Add(1)
			case got.String() != `404 {"code":"CLAIM_LINK_UNUSABLE"}`:
				t.Errorf("a claim at the same time: %s, want 404", got)
			}
		})
	}
	all.Wait()
	if tied.Load() != 1 {
		t.Errorf("%d of 50 were tied, want 1", tied.Load())
	}
	volunteers := 0
	for _, who := range people {
		var mine myDates
		if who.Do("GET", "/mine", nil).JSON(&mine); mine.Volunteer != nil {
			volunteers++
		}
	}
	if volunteers != 1 {
		t.Errorf("%d people are the volunteer, want 1", volunteers)
	}
}

// TestClaimRefused: every invalid link gets the same response, and nobody is connected.
func TestClaimRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1")
	good := f.token(reader.ID)
	parts := strings.Split(good, ".")
	other := f.volunteer("Reader 2")
	withdrawn := f.token(other.ID)
	f.do(f.office, "DELETE", "/volunteers/"+other.ID+"/link", nil, 204)
	moved := f.volunteer("Reader 3")
	old := f.token(moved.ID)
	f.do(f.office, "PUT", "/volunteers/"+moved.ID, `{"label":"Reader 3","email":"new@example.org",`+
		`"language":"","digest":false,"roleIds":[],"rev":1}`, 200)
	gone := f.volunteer("Reader 4")
	removed := f.token(gone.ID)
	f.do(f.office, "DELETE", "/volunteers/"+gone.ID, nil, 204)
	for name, token := range map[string]string{
		"empty":                "",
		"no token":             "hello",
		"of another volunteer": other.ID + "." + strings.Join(parts[1:], "."),
		"with a later end":     parts[0] + "." + parts[1] + ".9999999999." + parts[3],
		"with another number":  parts[0] + ".2." + parts[2] + "." + parts[3],
		"cut":                  good[:len(good)-1],
		"ended":                claimToken{reader.ID, 1, time.Now().Add(-time.Second)}.signed("a key for tests"),
		"of another key":       claimToken{reader.ID, 1, time.Now().Add(time.Hour)}.signed("another key"),
		"no volunteer's id":    claimToken{"x", 1, time.Now().Add(time.Hour)}.signed("another key"),
		"withdrawn":            withdrawn,
		"to an old address":    old,
		"of a removed one":     removed,
	} {
		if got := f.Person().Do("POST", "/claim", map[string]string{"token": token}); got.String() !=
			`404 {"code":"CLAIM_LINK_UNUSABLE"}` {
			t.Errorf("a link that is %s: %s, want 404 CLAIM_LINK_UNUSABLE", name, got)
		}
	}
	for _, v := range f.board().Volunteers {
		if v.Connected {
			t.Errorf("%s is tied to somebody", v.Label)
		}
	}
	who := f.Person()
	f.do(who, "POST", "/claim", map[string]string{"token": good}, 204)
	f.refused(f.Person(), "POST", "/claim", map[string]string{"token": good}, 404, "CLAIM_LINK_UNUSABLE")
	f.refused(who, "POST", "/claim", map[string]string{"token": f.token(moved.ID)}, 409, "ALREADY_A_VOLUNTEER")
	f.refused(who, "POST", "/claim", `{"token":"x","more":1}`, 400, "REQUEST_INVALID")
}
