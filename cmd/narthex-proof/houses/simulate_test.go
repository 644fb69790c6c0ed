package main

import (
	"os"
	"strings"
	"testing"
)

// TestPageHasTheSimulation: docs/scaling.md has what the simulation says with the figures of that page.
func TestPageHasTheSimulation(t *testing.T) {
	page, err := os.ReadFile("../../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, houses := range []int{1_000, 10_000} {
		if got := simulate(houses, 1, measured()); !strings.Contains(string(page), got) {
			t.Errorf("docs/scaling.md lacks what narthex-houses -simulate %d says:\n%s", houses, got)
		}
	}
}

// TestHousesSleepAndWake: a house is awake from its first use until it was idle for long enough.
func TestHousesSleepAndWake(t *testing.T) {
	var m morning
	var used [minutes]bool
	used[10], used[20], used[200] = true, true, true
	m.house(used, -2, -1) // no screen shows it
	for minute, awake := range map[int]int{9: 0, 10: 1, 34: 1, 35: 0, 199: 0, 200: 1, 214: 1, 215: 0} {
		if m.awake[minute] != awake {
			t.Errorf("in minute %d %d houses are awake, want %d", minute, m.awake[minute], awake)
		}
	}
	if m.starts[10] != 1 || m.starts[20] != 0 || m.starts[200] != 1 {
		t.Errorf("starts %v", m.starts)
	}
}
