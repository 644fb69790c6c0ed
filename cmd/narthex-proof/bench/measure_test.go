package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestMeasureWithoutAPeer: an older program or a peer that cannot do a row's work has no figure in
// that row, and is not measured again in it.
func TestMeasureWithoutAPeer(t *testing.T) {
	limit, own := &system{name: "limit"}, &system{name: "this"}
	older, peer := &system{name: "older"}, &system{name: nginx}
	all := &systems{bare: limit, platform: own, older: older, peers: map[string]*system{nginx: peer}}
	asked := make(map[*system]int)
	run := only(func(_ context.Context, s *system, _ time.Duration) (float64, error) {
		asked[s]++
		if s == older || s == peer {
			return 0, errors.New("cannot")
		}
		return 5, nil
	})
	r := row{work: "work", unit: "1/s", run: run, peers: map[string]pair{nginx: run}}
	var to, progress strings.Builder
	if err := r.measure(t.Context(), all, &to, &progress, 3, time.Second); err != nil {
		t.Fatal(err)
	}
	if asked[older] != 1 || asked[peer] != 1 || asked[own] != 3 || strings.Count(to.String(), "\n") != 1 ||
		!strings.Contains(to.String(), "1.00 (1.00-1.00)") ||
		progress.String() != "(older: cannot)(nginx: cannot)...\n" {
		t.Errorf("%v\n%s%s", asked, to.String(), progress.String())
	}
	all.platform = peer
	if err := r.measure(t.Context(), all, io.Discard, io.Discard, 1, time.Second); err == nil {
		t.Error("a row without this program's figure is one")
	}
}
