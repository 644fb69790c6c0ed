// Package databasetest provides PostgreSQL to tests: one private server for each test process, started when
// the first test needs it, and a database of its own for every test that needs one.
//
//	func TestMain(m *testing.M) { databasetest.Main(m) }
//
//	func TestGrants(t *testing.T) {
//		db := databasetest.New(t)
//		store := authorization.NewStore(db.Pool(t))
//	}
//
// Test processes share only the server's programs and an archive of prepared data, which they copy
// (prepared.go). So packages may be tested at the same time, as root or not.
package databasetest

import (
	"fmt"
	"os"

	"go.uber.org/goleak"

	"github.com/narthex-platform/narthex/services/leaktest"
)

// Main runs a package's tests, stops the server if one was started, checks for goroutines left behind, and
// exits. It is the TestMain of every package whose tests call New or Empty.
func Main(m goleak.TestingM, options ...goleak.Option) {
	os.Exit(run(m, options))
}

func run(m goleak.TestingM, options []goleak.Option) int {
	return leaktest.Check(Run(m.Run), options...)
}

// Run runs tests and stops the server if one was started. It is Main for a program that is no test binary.
func Run(tests func() int) int {
	shared.open()
	code := tests()
	if err := shared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "databasetest:", err)
		code = max(code, 1)
	}
	return code
}
