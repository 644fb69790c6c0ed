package hub_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/modulehost/hostmemory"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/update"
)

// Readers of eight channels read nothing, so a module's updates fill its account. Then every channel refuses
// further updates, and readers whose snapshot does not fit. Readers that are connected receive what was
// accepted. Once they have left, nothing is counted.
func TestStreamsFillTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, channels = 4 << 20, 8
		account := hostmemory.New(limit)
		hubs := hub.New(zap.NewNop(), nil)
		charge := hub.Charge(account)
		var channel [channels]*hub.Hub
		for i := range channel {
			channel[i] = opened(t, hubs.Open, fmt.Sprint("c", i), "1", charge)
		}
		large := opened(t, hubs.Open, "large", `"`+strings.Repeat("s", update.MaxData)+`"`, charge)
		latest := opened(t, hubs.OpenLatest, "latest", "1", charge)
		stop := run(t, hubs)
		stalled := make(chan struct{})
		var readers [channels]*client
		for i := range readers {
			readers[i] = dialing(t, channel[i], stalled)
		}
		synctest.Wait()

		data := []byte(`"` + strings.Repeat("u", 60_000) + `"`)
		accepted, refused := 0, error(nil)
		for refused == nil && accepted < 15*channels { // one more each, and mailboxes would be full
			if refused = channel[accepted%channels].Publish(1, uint64(accepted/channels)+1,
				bytes.Clone(data)); refused == nil {
				accepted++
			}
			synctest.Wait()
		}
		used, _ := account.Bytes()
		if !errors.Is(refused, hub.ErrHostOverloaded) || used < int64(accepted*len(data)) ||
			used > limit+64<<10 {
			t.Fatalf("%d updates of %d bytes that nobody reads: refused with %v, %d bytes counted; want "+
				"HOST_OVERLOADED near %d",
				accepted, len(data), refused, used, limit)
		}
		if err := latest.PublishLatest(1, 1, "k", []byte(`"`+strings.Repeat("v", 8_000)+`"`)); used > limit-8_000 &&
			!errors.Is(err, hub.ErrHostOverloaded) {
			t.Errorf("a newest value: %v, want HOST_OVERLOADED", err)
		}
		if err := <-dial(t, large).ended; !errors.Is(err, hub.ErrOverloaded) {
			t.Errorf("a reader whose snapshot does not fit: %v, want MODULE_OVERLOADED", err)
		}
		for i, r := range readers {
			select {
			case err := <-r.ended:
				t.Errorf("reader %d ended with %v while the account was full, want it to stay", i, err)
			default:
			}
		}

		close(stalled)
		synctest.Wait()
		got := 0
		for _, r := range readers {
			got += len(named(r.events(t), "update"))
		}
		if got != accepted {
			t.Errorf("readers got %d updates, want the %d accepted", got, accepted)
		}
		time.Sleep(3 * time.Second) // after that readers do not share a snapshot
		if used, _ := account.Bytes(); used != 0 {
			t.Errorf("%d bytes counted after everything was read, want 0", used)
		}
		at := accepted % channels // its last number was refused
		if err := channel[at].Publish(1, uint64(accepted/channels)+2, []byte("2")); err != nil {
			t.Errorf("a publish after everything was read: %v", err)
		}
		if err := latest.PublishLatest(1, 1, "k", []byte("2")); err != nil {
			t.Errorf("a newest value after everything was read: %v", err)
		}
		synctest.Wait()
		if e := last(readers[at].events(t)); e.name != "update" || e.data != "2" {
			t.Errorf("the last event is %s %s, want the update 2", e.name, e.data)
		}
		stop()
		empties(t, account)
	})
}

type opener = func(context.Context, string, string, hub.Snapshot, ...hub.Option) (*hub.Hub,
	error)

// opened opens a channel whose snapshot is always the same.
func opened(t *testing.T, open opener, name, state string, options ...hub.Option) *hub.Hub {
	t.Helper()
	channel, err := open(t.Context(), "board", name, func(context.Context) (hub.State, error) {
		return hub.State{Data: []byte(state), Process: 1}, nil
	}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return channel
}

// Newest values that wait for a reader are counted, and values that replace them too.
func TestNewestValuesFillTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := hostmemory.New(256 << 10)
		hubs := hub.New(zap.NewNop(), nil)
		channel := opened(t, hubs.OpenLatest, "main", "1", hub.Charge(account))
		stop := run(t, hubs)
		reader := dialing(t, channel, make(chan struct{}))
		synctest.Wait()
		var refused error
		for i := 0; refused == nil && i < hub.MaxKeys; i++ {
			refused = channel.PublishLatest(1, uint64(i+1), fmt.Sprint(i), []byte(`"`+strings.Repeat("v", 8_000)+`"`))
			synctest.Wait()
		}
		if !errors.Is(refused, hub.ErrHostOverloaded) {
			t.Errorf("%d values of 8 KB that nobody reads, 256 KiB may be held: %v, want HOST_OVERLOADED",
				hub.MaxKeys, refused)
		}
		reader.cancel()
		<-reader.ended
		time.Sleep(3 * time.Second)
		if used, _ := account.Bytes(); used != 0 {
			t.Errorf("%d bytes counted after the reader has left, want 0", used)
		}
		stop()
	})
}

// An update that waits for an earlier one is counted until both were released.
func TestUpdatesThatWaitForTheirTurnAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := hostmemory.New(1 << 20)
		hubs := hub.New(zap.NewNop(), nil)
		channel := opened(t, hubs.Open, "main", "1", hub.Charge(account))
		stop := run(t, hubs)
		data := []byte(`"` + strings.Repeat("u", 60_000) + `"`)
		if err := channel.Publish(1, 2, bytes.Clone(data)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if used, _ := account.Bytes(); used < int64(len(data)) {
			t.Errorf("%d bytes counted while an update of %d waits, want at least that", used, len(data))
		}
		if err := channel.Publish(1, 1, []byte("1")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if used, _ := account.Bytes(); used != 0 {
			t.Errorf("%d bytes counted after both updates were released, want 0", used)
		}
		stop()
	})
}

// White space around a value is removed and not counted.
func TestSpaceIsNotHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		account := hostmemory.New(1 << 20)
		hubs := hub.New(zap.NewNop(), nil)
		channel := opened(t, hubs.Open, "main", "1", hub.Charge(account))
		run(t, hubs)
		reader := dialing(t, channel, make(chan struct{}))
		synctest.Wait()
		for i := range 10 {
			if err := channel.Publish(1, uint64(i+1), []byte("1"+strings.Repeat(" ", 1<<20))); err != nil {
				t.Fatalf("update %d of one digit and a megabyte of space: %v", i+1, err)
			}
			synctest.Wait()
		}
		reader.cancel()
		<-reader.ended
	})
}
