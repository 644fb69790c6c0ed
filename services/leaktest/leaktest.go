// Package leaktest looks for goroutines that a package's tests leave behind.
//
//	func TestMain(m *testing.M) { leaktest.Main(m) }
package leaktest

import (
	"fmt"
	"os"

	"go.uber.org/goleak"
)

// Main runs a package's tests, looks for goroutines left behind, and exits.
func Main(m goleak.TestingM, options ...goleak.Option) { os.Exit(Check(m.Run(), options...)) }

// Check looks for goroutines left behind by tests that ended with this exit code, prints those that it finds,
// and returns the exit code of the process. Failed tests are no excuse: what leaks may be why they failed.
func Check(code int, options ...goleak.Option) int {
	if err := goleak.Find(options...); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines left behind:", err)
		return max(code, 1)
	}
	return code
}
