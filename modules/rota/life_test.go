package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestStop: Stop may be called without Start, and twice.
func TestStop(t *testing.T) {
	t.Parallel()
	if err := newRota().Stop(t.Context()); err != nil {
		t.Errorf("Stop before Start: %v, want nothing", err)
	}
	f := newFixture(t, nil)
	for n := range 2 { // sdktest calls it a third time
		if err := f.rota.Stop(t.Context()); err != nil {
			t.Errorf("Stop number %d: %v, want nothing", n+1, err)
		}
	}
}

// TestWithoutAPlan: while the module that plans services does not respond, coordinators can still use their
// volunteers, and requests that need services are refused for now.
func TestWithoutAPlan(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	f.FailCapability("stage.services", sdk.ErrCapabilityFailed)
	if b := f.board(); !b.Unplanned || len(b.Weeks) != 0 || len(b.Volunteers) != 1 {
		t.Errorf("the board is %+v, want it unplanned, with the volunteer", b)
	}
	if b := f.board(); b.Unplanned || len(b.Weeks) != 3 {
		t.Errorf("the board afterwards is %+v, want three weeks", b)
	}
	f.FailCapability("stage.services", sdk.ErrCapabilityFailed)
	f.refused(f.office, "PUT", "/assignments", adding("service-1", f.roles["Reader"], reader.ID), 503,
		"MODULE_UNAVAILABLE")
}

// TestRepeatedPage: if the module that plans services sends the same page again, the board is unplanned,
// instead of a plan that looks complete.
func TestRepeatedPage(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.services = nil
	start := time.Now().UTC().Truncate(time.Second).AddDate(0, 0, 7)
	for n := range servicesPage + 50 {
		f.services = append(f.services, service{fmt.Sprintf("service-%03d", n), "Camp", start})
	}
	planned := func() (n int) {
		b := f.board()
		for _, w := range b.Weeks {
			n += len(w.Services)
		}
		if b.Unplanned != (n == 0) {
			t.Errorf("unplanned is %t on a board of %d services", b.Unplanned, n)
		}
		return n
	}
	if n := planned(); n != servicesPage+50 {
		t.Errorf("the board has %d services, want %d", n, servicesPage+50)
	}
	f.repeats = true
	if n := planned(); n != 0 {
		t.Errorf("after the same page twice, the board has %d services, want it unplanned", n)
	}
}
