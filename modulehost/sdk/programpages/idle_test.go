package programpages

import (
	"context"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"
)

// TestReleaseWhenIdle: what a single collection has read is released, and what several have read only after
// a time without any.
func TestReleaseWhenIdle(t *testing.T) {
	if _, err := readOnly(); err == errMoved {
		t.Skip("this test was linked to be loaded anywhere")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // only the collections below
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		go ReleaseWhenIdle(ctx)
		synctest.Wait()
		// released lets one interval pass and returns whether pages were released.
		released := func() bool {
			before := resident(t)
			time.Sleep(releaseEvery)
			synctest.Wait()
			return resident(t) < before-256
		}
		runtime.GC()
		if !released() {
			t.Error("the pages that one collection has read are not released")
		}
		for range 3 {
			runtime.GC()
		}
		if released() {
			t.Error("the pages of a busy process are released")
		}
		if !released() {
			t.Error("the pages that several collections have read are not released after a quiet time")
		}
		cancel()
		synctest.Wait()
	})
}
