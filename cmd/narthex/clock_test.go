package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clocks are the lines with a sleep or a measured time in tests outside of a bubble (testing/synctest), by
// their file: helpers that poll another process, slowness that is itself the fault, and what is still to be
// rewritten. No number grows: a new test waits with services/waittest, or in virtual time.
var clocks = map[string]int{
	"cmd/narthex/e2e/authclient_test.go":   1,
	"cmd/narthex/e2e/backup_test.go":       1,
	"cmd/narthex/e2e/histories_test.go":    3,
	"cmd/narthex/e2e/identity_test.go":     2,
	"cmd/narthex/e2e/killed_test.go":       3,
	"cmd/narthex/e2e/misbehaving_test.go":  1,
	"modulehost/gateway/lanes_test.go":     1,
	"realtime/hub/lent_linux_test.go":      1,
	"services/backup/figures_test.go":      1,
	"services/httpserver/stall_test.go":    1,
	"web/browsertest/browser_test.go":      1,
	"web/browsertest/devloop_test.go":      2,
	"web/browsertest/display_heap_test.go": 1,
	"web/browsertest/display_soak_test.go": 2,
	"web/browsertest/kiosk_test.go":        1,
}

// clock finds sleeps and measured times. A duration that is only logged decides nothing.
var (
	clock  = regexp.MustCompile(`\btime\.(Sleep|Since)\(|\.Elapsed\(\)`)
	logged = regexp.MustCompile(`\b(Logf?|ReportMetric)\(`)
)

// TestNoClockInTests finds tests whose result depends on the real time, so on how busy the machine is.
func TestNoClockInTests(t *testing.T) {
	found := make(map[string]int)
	eachSource(t, func(path, content string) {
		if !strings.HasSuffix(path, "_test.go") || filepath.Base(path) == "clock_test.go" {
			return
		}
		if n := countClocks(path, content); n > 0 {
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
// synctest time is virtual, and so it may be in the helpers of a file that imports it. Benchmarks measure it
// on purpose, and so do their helpers in bench_test.go.
func countClocks(path, content string) (n int) {
	helpersMay := strings.Contains(content, `"testing/synctest"`) || filepath.Base(path) == "bench_test.go"
	for _, function := range strings.Split(content, "\nfunc ") {
		isTest := strings.HasPrefix(function, "Test")
		if strings.HasPrefix(function, "Benchmark") || strings.Contains(function, "synctest.") ||
			helpersMay && !isTest {
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
		"\nfunc f() {\n\ttime.Sleep(time.Second)\n}\n":                                                         1,
		"\tif took := time.Since(began); took > limit {\n":                                                     1,
		"\tt.Logf(\"%v\", time.Since(began))\n":                                                                0,
		"\nfunc BenchmarkX(b *testing.B) {\n\ttook = time.Since(began)\n}\n\nfunc f() {\n\ttime.Sleep(1)\n}\n": 1,
		bubbles + "\nfunc f() {\n\ttime.Sleep(time.Second)\n}\n":                                               0,
		bubbles + "\nfunc TestX(t *testing.T) {\n\tsynctest.Test(t, f)\n\ttime.Sleep(1)\n}\n":                  0,
		bubbles + "\nfunc TestX(t *testing.T) {\n\ttime.Sleep(1)\n}\n":                                         1,
	} {
		if got := countClocks("x_test.go", content); got != want {
			t.Errorf("countClocks(%q): %d, want %d", content, got, want)
		}
	}
}
