package hostmemory_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/narthex-platform/narthex/modulehost/hostmemory"
)

func TestAnAccountTakesUpToItsLimit(t *testing.T) {
	t.Parallel()
	account := hostmemory.New(100)
	if !account.Reserve(60) || account.Reserve(41) || !account.Reserve(40) || account.Reserve(1) {
		t.Error("Take did not go up to the limit and no further")
	}
	account.Release(100)
	account.Add(101)
	if account.Reserve(0) {
		t.Error("Take succeeded past the limit")
	}
	if used, limit := account.Bytes(); used != 101 || limit != 100 {
		t.Errorf("Bytes: %d of %d, want 101 of 100", used, limit)
	}
}

func TestAPartLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	account := hostmemory.New(100)
	part := account.Sharing(40)
	if !part.Reserve(60) || part.Reserve(1) || !account.Reserve(40) {
		t.Error("the part did not take 60 of 100 and leave 40")
	}
	part.Release(60)
	part.Add(10)
	if used, _ := account.Bytes(); used != 50 {
		t.Errorf("%d bytes are in use, want 50", used)
	}
}

func TestManyNeverHoldMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	account := hostmemory.New(10)
	var held atomic.Int64
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			for range 10_000 {
				if !account.Reserve(3) {
					continue
				}
				if now := held.Add(3); now > 10 {
					t.Errorf("%d bytes are held, want at most 10", now)
				}
				held.Add(-3)
				account.Release(3)
			}
		})
	}
	working.Wait()
	if used, _ := account.Bytes(); used != 0 {
		t.Errorf("%d bytes are in use after everything was given back, want 0", used)
	}
}

func TestNoAccountRefusesNothing(t *testing.T) {
	t.Parallel()
	var none *hostmemory.Account
	none.Add(1)
	none.Release(1)
	if !none.Sharing(1).Reserve(1) {
		t.Error("a part of a missing account refuses")
	}
	if used, limit := none.Bytes(); !none.Reserve(1<<40) || used != 0 || limit != 0 {
		t.Error("a missing account counts or refuses")
	}
}
