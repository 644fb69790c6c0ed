package main

import (
	"net/http"
	"testing"
	"time"
)

const aService = "0b6fd4a6-3b9c-4a3c-9d2e-6a6f5f1c2d11"

// ask calls the capability in the name of another module.
func (p planner) ask(method string, in any) (out changeOutcome) {
	p.t.Helper()
	if err := p.m.Ask("calendar", "stage.services", method, in, &out); err != nil {
		p.t.Fatalf("%s %v: %v", method, in, err)
	}
	return out
}

// since returns the services that were changed after a number, and the number of the last one.
func (p planner) since(number int64) (services []followedService, last int64) {
	p.t.Helper()
	var out changesResponse
	if err := p.m.Ask("calendar", "stage.services", "changed", changesRequest{number}, &out); err != nil {
		p.t.Fatalf("changed since %d: %v", number, err)
	}
	last = number
	for _, one := range out.Services {
		if one.Changed <= last {
			p.t.Errorf("changed since %d: number %d comes after %d", number, one.Changed, last)
		}
		last = one.Changed
	}
	return out.Services, last
}

// TestOtherModulesChangeServices: another module makes, changes, cancels and brings back a service. A call
// that is made twice is done once; what the module did not see is not overwritten.
func TestOtherModulesChangeServices(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	sunday := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 7)
	made := plannedChange{ID: aService, Title: "Evening service", Start: sunday}
	moved := plannedChange{ID: aService, Title: "Evening service", Start: sunday.AddDate(0, 0, 7),
		Was: &titleTime{"Evening service", sunday}}
	unseen := moved
	unseen.Start, unseen.Was = sunday.AddDate(0, 0, 14), &titleTime{"Evening service", sunday.AddDate(0, 0, 1)}
	other := made
	other.Title = "Another service"
	nowhere := moved
	nowhere.ID = "0b6fd4a6-3b9c-4a3c-9d2e-6a6f5f1c2d12"
	for _, step := range []struct {
		method string
		in     any
		want   string
		rev    int64
	}{
		{"create", made, outcomeDone, 1},
		{"create", made, outcomeDone, 1},
		{"create", other, outcomeConflict, 0},
		{"create", plannedChange{ID: "none", Title: "x", Start: sunday}, outcomeInvalid, 0},
		{"create", plannedChange{ID: aService, Title: "", Start: sunday}, outcomeInvalid, 0},
		{"edit", unseen, outcomeConflict, 0},
		{"edit", nowhere, outcomeMissing, 0},
		{"edit", moved, outcomeDone, 2},
		{"edit", moved, outcomeDone, 2},
		{"restore", serviceRequest{aService}, outcomeDone, 2},
		{"cancel", serviceRequest{aService}, outcomeDone, 3},
		{"cancel", serviceRequest{aService}, outcomeDone, 3},
		{"edit", moved, outcomeMissing, 0},
		{"create", made, outcomeMissing, 0},
		{"restore", serviceRequest{aService}, outcomeDone, 4},
		{"cancel", serviceRequest{nowhere.ID}, outcomeMissing, 0},
		{"cancel", serviceRequest{"none"}, outcomeMissing, 0},
	} {
		got := p.ask(step.method, step.in)
		rev := int64(0)
		if got.Service != nil {
			rev = got.Service.Rev
		}
		if got.Outcome != step.want || rev != step.rev {
			t.Errorf("%s %v: %s at rev %d, want %s at %d", step.method, step.in, got.Outcome, rev, step.want,
				step.rev)
		}
	}
	if now := p.read(aService); !now.StartsAt.Equal(moved.Start) || now.Title != "Evening service" {
		t.Errorf("in the end: %q at %s, want %q at %s", now.Title, now.StartsAt, "Evening service", moved.Start)
	}
}

// TestOtherModulesFollowServices: a module that remembers a number learns of every later change once, also of
// one of the order and of a cancelled service.
func TestOtherModulesFollowServices(t *testing.T) {
	t.Parallel()
	p := startPlanner(t)
	sunday := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 7)
	first, second := p.service("First", sunday), p.service("Second", sunday)
	if all, _ := p.since(0); len(all) != 2 || all[0].ID != first.ID || all[1].ID != second.ID {
		t.Fatalf("changed since 0: %v, want both services", all)
	}
	_, seen := p.since(0)
	p.item(first.ID, `{"kind":"talk","title":"Sermon","seconds":61}`)
	if got := p.Do("DELETE", "/services/"+second.ID, nil); got.Status != http.StatusNoContent {
		t.Fatalf("DELETE the second: %s", got)
	}
	later, seen := p.since(seen)
	if len(later) != 2 || later[0].ID != first.ID || later[0].Minutes != 2 || later[0].Cancelled ||
		later[1].ID != second.ID || !later[1].Cancelled {
		t.Errorf("changed later: %+v, want the first with 2 minutes, then the cancelled second", later)
	}
	if none, _ := p.since(seen); len(none) != 0 {
		t.Errorf("changed since the last change: %v, want none", none)
	}
}
