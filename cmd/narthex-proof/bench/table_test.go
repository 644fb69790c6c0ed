package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		said    string
	}{
		{nil, "-"},
		{[]float64{1.234}, "1.23 (1.23-1.23)"},
		{[]float64{30, 1000.4, 2}, "30.0 (2.00-1000)"},
	} {
		if said := spread(c.figures); said != c.said {
			t.Errorf("%v: %q, expected %q", c.figures, said, c.said)
		}
	}
}

func TestRatiosAreRunByRun(t *testing.T) {
	if got := ratios([]float64{2, 9}, []float64{1, 3}); !slices.Equal(got, []float64{2, 3}) {
		t.Error(got)
	}
	if got := ratios([]float64{2}, nil); got != nil {
		t.Errorf("without the other: %v", got)
	}
}

func TestPercentile(t *testing.T) {
	times := make([]time.Duration, 101)
	for i := range times {
		times[100-i] = time.Duration(i)
	}
	if got := percentile(times, 0.99); got != 99 {
		t.Error(got)
	}
	if percentile(nil, 0.99) != 0 {
		t.Error("of nothing it is not 0")
	}
}

func TestJudge(t *testing.T) {
	own, limit, older := []float64{5, 6, 7}, []float64{10, 10, 10}, []float64{5, 5, 5}
	for _, c := range []struct {
		goal goal
		said string
	}{
		{goal{}, ""},
		{itself(atMost, 6), "<= 6.00: reached"},
		{toLimit(atLeast, 0.6), ">= 0.60 to limit: reached"},
		{toLimit(atMost, 0.5), "<= 0.50 to limit: missed"},
		{toOlder(atMost, 1.2), "<= 1.20 to older: reached"},
	} {
		if said := c.goal.judge(own, limit, older); said != c.said {
			t.Errorf("%q, expected %q", said, c.said)
		}
	}
	if said := toOlder(atMost, 1).judge(own, limit, nil); said != "<= 1.00 to older" {
		t.Errorf("without an older program: %q", said)
	}
}

// TestPrintPeers: a peer has a line of its own, with its ratio below the platform's.
func TestPrintPeers(t *testing.T) {
	limit, own, peer := &system{}, &system{}, &system{name: nginx}
	all := &systems{platform: own, peers: map[string]*system{nginx: peer}}
	taken := map[*system][]float64{limit: {10}, own: {9}, peer: {12}}
	var to strings.Builder
	all.print(&to, "work", taken, limit, toLimit(atLeast, 0.8))
	lines := strings.Split(to.String(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], "0.90 (0.90-0.90)") ||
		!strings.HasSuffix(lines[0], "reached") || !strings.HasPrefix(lines[1], "  nginx ") ||
		strings.Index(lines[0], "0.90") != strings.Index(lines[1], "1.20") {
		t.Errorf("%s", to.String())
	}
}

// TestRows: every row has a unique name, and names only peers that exist.
func TestRows(t *testing.T) {
	names := make(map[string]bool)
	for _, r := range rows() {
		if names[r.work] || r.run == nil || r.unit == "" {
			t.Errorf("%+v", r)
		}
		names[r.work] = true
		for peer := range r.peers {
			if !slices.Contains(peerNames, peer) {
				t.Errorf("%s: peer %s", r.work, peer)
			}
		}
		if r.second == "" && r.secondGoal != (goal{}) {
			t.Errorf("%s: a goal without a line", r.work)
		}
	}
}

// TestUsualRows: the usual table has ten rows, those about pages first.
func TestUsualRows(t *testing.T) {
	usual := usualRows()
	if len(usual) != 10 || len(pages()) != 6 || usual[0].work != pages()[0].work {
		t.Errorf("%d rows, %d of pages, the first is %q; want 10 and 6, own duties", len(usual), len(pages()),
			usual[0].work)
	}
}
