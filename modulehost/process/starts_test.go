package process_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// TestManyStarts: the launcher becomes the module every time, even if many start at once. NARTHEX_TEST_STARTS
// sets how many start at once and how often: "50x100".
func TestManyStarts(t *testing.T) {
	atOnce, rounds := 8, 4
	if wanted := os.Getenv("NARTHEX_TEST_STARTS"); wanted != "" {
		if n, err := fmt.Sscanf(wanted, "%dx%d", &atOnce, &rounds); n != 2 {
			t.Fatal(err)
		}
	}
	executable(t, "good")
	for round := range rounds {
		var starts sync.WaitGroup
		for range atOnce {
			starts.Go(func() {
				r := prepare(t, "good", nil)
				r.serve(t)
				select {
				case <-r.Ready():
					r.stop()
					<-r.ended
				case err := <-r.ended:
					t.Errorf("round %d: not ready: %v\n%s", round, err, r.Output())
				}
			})
		}
		starts.Wait()
	}
}
