package database_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/services/database"
)

// TestUnreachableServerIsSkipped: a server that did not respond for half a second is skipped for 10 s. Then
// one connection tries it again, and the others skip it for as long. One that refuses at once is always
// tried.
func TestUnreachableServerIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dials atomic.Int64
		silence := 2 * time.Second
		refused := errors.New("refused")
		dial := database.SkipAbsent(func(context.Context, string, string) (net.Conn, error) {
			dials.Add(1)
			time.Sleep(silence)
			return nil, refused
		})
		began := time.Now()
		try := func(at time.Duration, server string, want bool) {
			t.Helper()
			time.Sleep(at - time.Since(began))
			before := dials.Load()
			_, err := dial(t.Context(), "tcp", server)
			if tried := dials.Load() > before; tried != want || errors.Is(err, refused) != want {
				t.Errorf("after %v %s is tried: %v, error %v; want it tried: %v", at, server, tried, err, want)
			}
		}
		try(0, "a", true) // until 2 s
		try(2*time.Second, "a", false)
		try(2*time.Second, "b", true) // until 4 s
		try(12*time.Second-1, "a", false)
		go try(12*time.Second, "a", true) // until 14 s
		try(13*time.Second, "a", false)
		try(24*time.Second-1, "a", false)
		silence = 499 * time.Millisecond
		try(24*time.Second, "a", true)
		try(25*time.Second, "a", true)
	})
}
