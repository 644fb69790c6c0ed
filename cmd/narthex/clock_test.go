package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clocks are the lines that sleep or measure time in tests outside of a bubble (testing/synctest), by their
// file. Those that are left assert nothing about time. No number grows: a new test waits with
// services/waittest, or in virtual time.
var clocks = map[string]int{
	// The rate of clients and of changes, and how long a fault lasts: what comes at which moment is the load.
	"cmd/narthex/e2e/histories_test.go": 1,
	"cmd/narthex/e2e/killed_test.go":    1,
	// A reader who is slow is the fault.
	"realtime/hub/lent_linux_test.go":   1,
	"services/httpserver/stall_test.go": 1,
	// It decides when a command is killed or interrupted.
	"cmd/narthex/e2e/backup_test.go": 1,
}

// clock finds sleeps and measured times. A duration that is only logged decides nothing.
var (
	clock  = regexp.MustCompile(`\btime\.(Sleep|Since)\(`)
	logged = regexp.MustCompile(`\bLogf?\(`)
)

// TestNoClockInTests finds tests whose result depends on the real time, so on how busy the machine is.
func TestNoClockInTests(t *testing.T) {
	found := make(map[string]int)
	eachSource(t, func(path, content string) {
		if !strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "clock_test.go" {
			return
		}
		if n := countClocks(content); n > 0 {
			found[path] = n
		}
	})
	for path, n := range found {
		if n > clocks[path] {
			t.Errorf("%s: %d lines sleep or measure the real time, want at most %d: wait for a condition with "+
				"services/waittest, or let time be virtual (testing/synctest)", path, n, clocks[path])
		}
	}
	for path, n := range clocks {
		if found[path] < n {
			t.Errorf("%s: %d lines sleep or measure the real time, but clocks allows %d: lower it", path,
				found[path], n)
		}
	}
}

// countClocks returns how many lines of a test file sleep or measure the real time. In a test that uses
// synctest time is virtual, and so it may be in the helpers of a file that imports it.
func countClocks(content string) (n int) {
	helpersMay := strings.Contains(content, `"testing/synctest"`)
	for _, function := range strings.Split(content, "\nfunc ") {
		isTest := strings.HasPrefix(function, "Test")
		if strings.Contains(function, "synctest.") || helpersMay && !isTest {
			continue
		}
		for line := range strings.Lines(function) {
			if clock.MatchString(line) && !logged.MatchString(line) {
				n++
			}
		}
	}
	return n
}

func TestClocksAreFound(t *testing.T) {
	const bubbles = "import \"testing/synctest\"\n"
	for content, want := range map[string]int{
		"\nfunc f() {\n\ttime.Sleep(time.Second)\n}\n":                                        1,
		"\tif took := time.Since(began); took > limit {\n":                                    1,
		"\tt.Logf(\"%v\", time.Since(began))\n":                                               0,
		bubbles + "\nfunc f() {\n\ttime.Sleep(time.Second)\n}\n":                              0,
		bubbles + "\nfunc TestX(t *testing.T) {\n\tsynctest.Test(t, f)\n\ttime.Sleep(1)\n}\n": 0,
		bubbles + "\nfunc TestX(t *testing.T) {\n\ttime.Sleep(1)\n}\n":                        1,
	} {
		if got := countClocks(content); got != want {
			t.Errorf("countClocks(%q): %d, want %d", content, got, want)
		}
	}
}
