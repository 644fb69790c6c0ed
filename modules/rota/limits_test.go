package main

import (
	"fmt"
	"testing"
	"time"
)

// TestLimits: as much as each limit allows at once, and no more.
func TestLimits(t *testing.T) {
	for n, refused := range map[int]bool{maxAway: false, maxAway + 1: true} {
		var list awayList
		for i := range n {
			day := time.Date(2027, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			list.Away = append(list.Away, days{From: day, To: day})
		}
		if err := list.check(); (err != nil) != refused {
			t.Errorf("%d absences: error %v, want one: %v", n, err, refused)
		}
	}
	for n, refused := range map[int]bool{0: true, 1: false, maxChanges: false, maxChanges + 1: true} {
		var want wanted
		for i := range n {
			want.Remove = append(want.Remove, struct {
				ID  string `json:"id"`
				Rev int64  `json:"rev"`
			}{fmt.Sprintf("00000000-0000-4000-8000-%012d", i), 1})
		}
		if err := want.check(); (err != nil) != refused {
			t.Errorf("%d changes of assignments: error %v, want one: %v", n, err, refused)
		}
	}
}
