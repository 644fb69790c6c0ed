// Package databasetest owns the PostgreSQL that tests use: one private server for each test process, started when the first test
// asks, and a database of its own for every test that wants one.
//
//	func TestMain(m *testing.M) { databasetest.Main(m) }
//
//	func TestGrants(t *testing.T) {
//		db := databasetest.New(t)
//		store := authorization.NewStore(db.Pool(t))
//	}
//
// Test processes share nothing but the server's programs, so packages may be tested at the same time, as root or not.
package databasetest

import (
	"fmt"
	"os"

	"go.uber.org/goleak"
)

// Main runs a package's tests, stops the server if one was started, looks for goroutines left behind, and exits. Each package whose
// tests call New or Empty has it as its TestMain.
func Main(m goleak.TestingM, options ...goleak.Option) {
	os.Exit(run(m, options))
}

func run(m goleak.TestingM, options []goleak.Option) int {
	shared.open()
	code := m.Run()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "databasetest:", err)
		code = max(code, 1)
	}
	if code == 0 {
		// Only a green run is asked: a test that failed half-way has left things behind for good reasons.
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintln(os.Stderr, "databasetest:", err)
			code = 1
		}
	}
	return code
}
