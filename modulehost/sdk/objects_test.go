package sdk_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdk"
)

// TestSlowBodyIsSentAsItComes: a body that returns a few bytes every few seconds is sent before the host's
// timeout.
func TestSlowBodyIsSentAsItComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, err := sdk.Fill(intervalReader(6*time.Second), make([]byte, 10))
		if n != 2 || err != nil {
			t.Errorf("Fill: n %v, want %v; error %v, want none", n, 2, err)
		}
	})
}

// intervalReader is a body that returns one byte after each interval.
type intervalReader time.Duration

func (e intervalReader) Read([]byte) (int, error) {
	time.Sleep(time.Duration(e))
	return 1, nil
}
