// Package randomtest provides random numbers for tests. Each run has another seed, which is printed. A failed
// run can be repeated by setting its seed.
package randomtest

import (
	"flag"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable for the seed of a run to repeat: a decimal number of 64 bits. Without
// it, each run chooses a random seed.
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

// Rapid sets the seed of all later checks of pgregory.net/rapid in this process to the test's seed. Call it
// before t.Parallel, because no check may run at the same time.
func Rapid(tb testing.TB) {
	tb.Helper()
	seed := max(1, Seed(tb)) // for rapid, 0 means a random seed
	if err := flag.Set("rapid.seed", strconv.FormatUint(seed, 10)); err != nil {
		tb.Fatal(err)
	}
}

// New returns a random source with a seed. Sources with the same seed and different streams are independent.
// Use a source in one goroutine only.
func New(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
