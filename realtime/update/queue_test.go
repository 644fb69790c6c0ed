package update_test

import (
	"testing"
	"testing/synctest"

	"github.com/narthex-platform/narthex/realtime/update"
)

// TestUpdatesOfOthersWait: an update of another process waits for room, in number and in bytes, until the
// queue is emptied or ends. Those of this process have their own.
func TestUpdatesOfOthersWait(t *testing.T) {
	for name, size := range map[string]int{"number": 1, "bytes": 10} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := update.NewQueue[int](update.Load{Updates: 10, Bytes: 10 * size})
				q.Begin()
				queued, done := 0, make(chan struct{})
				go func() {
					defer close(done)
					for queued < 100 && q.Deliver(queued, size) {
						queued++
					}
				}()
				for _, want := range []int{10, 20} {
					if synctest.Wait(); queued != want {
						t.Errorf("%d updates of another process were queued, want %d", queued, want)
					}
					if !q.PutUpdate(-1, 10*size) || q.PutUpdate(-1, 1) {
						t.Error("want room for this process's updates, and for no more")
					}
					if taken, overflowed := q.Take(nil); len(taken) != 11 || !overflowed {
						t.Errorf("%d messages, want 11 and that one was dropped", len(taken))
					}
				}
				synctest.Wait()
				q.End()
				<-done
				if queued != 30 || q.Deliver(-1, 1) {
					t.Errorf("%d updates were queued until the end, want 30; or one after it", queued)
				}
			})
		})
	}
}
