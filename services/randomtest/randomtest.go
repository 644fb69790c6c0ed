// Package randomtest gives tests their random numbers: another seed in each run, printed, and settable, so
// that what a run found can be run again.
package randomtest

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable names the environment variable that holds the seed of a run to repeat: a decimal number of 64
// bits. Without it each run draws its own.
const Variable = "NARTHEX_SEED"

// Seed returns the seed of this test and prints it into the test's log. It fails the test when the variable
// is not a number. Safe for concurrent use.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	seed := rand.Uint64()
	if text, given := os.LookupEnv(Variable); given {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			tb.Fatalf("%s is %q, want a decimal number", Variable, text)
		}
	}
	tb.Logf("the seed is %s=%d", Variable, seed)
	return seed
}

// Rapid makes the checks of pgregory.net/rapid in this process begin at the test's seed. Call it before
// t.Parallel, because nothing may check meanwhile.
func Rapid(tb testing.TB) {
	tb.Helper()
	seed := max(1, Seed(tb)) // rapid takes 0 for "any"
	if err := flag.Set("rapid.seed", strconv.FormatUint(seed, 10)); err != nil {
		tb.Fatal(err)
	}
}

// New returns a source of a seed. Sources of the same seed and different streams are independent. It is for
// one goroutine.
func New(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
