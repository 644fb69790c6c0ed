package hub_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/update"
	"github.com/narthex-platform/narthex/services/natstest"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// serveLatest runs Hubs with one LatestChannel.
func serveLatest(
	t testing.TB, snapshot hub.Snapshot,
) (hubs *hub.Hubs, channel *hub.Hub, stop func()) {
	t.Helper()
	hubs = hub.New(zap.NewNop(), nil)
	channel, err := hubs.OpenLatest(t.Context(), "board", "main", snapshot, counted(t))
	if err != nil {
		t.Fatal(err)
	}
	return hubs, channel, run(t, hubs)
}

// value returns the n-th value, which belongs to key.
func value(key, n int) []byte { return fmt.Appendf(nil, `{"key":%d,"n":%d}`, key, n) }

// newest reads the values of a stream, whose ids must increase.
func newest(t testing.TB, events []event) (values map[int]int, updates int) {
	t.Helper()
	values = make(map[int]int)
	id := uint64(0)
	for _, e := range events {
		at, err := strconv.ParseUint(e.id, 10, 64)
		if err != nil || e.name == "update" && at <= id || at < id {
			t.Errorf("%s has the id %q after %d, want ids that rise", e.name, e.id, id)
		}
		id = at
		if e.name == "update" {
			var key, n int
			if _, err := fmt.Sscanf(e.data, `{"key":%d,"n":%d}`, &key, &n); err != nil || n <= values[key] {
				t.Errorf("value %s after %d of key %d, want newer values only", e.data, values[key], key)
			}
			values[key] = n
			updates++
		}
	}
	return values, updates
}

// A reader that cannot keep up with 20,000 values of 100 keys has the newest value of each key when it reads
// again, in few updates, and is not disconnected. A reader that takes nothing until the write deadline is
// disconnected.
func TestLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const keys, rounds = 100, 200
		m := newModule()
		_, channel, stop := serveLatest(t, m.snapshot)
		hold := make(chan struct{})
		slow, quick := dialing(t, channel, hold), dial(t, channel)
		synctest.Wait()
		want := make(map[int]int)
		for round := range rounds {
			for key := range keys {
				at := m.next()
				if err := channel.PublishLatest(at.Process, at.Number, strconv.Itoa(key),
					value(key, int(at.Number))); err != nil {
					t.Fatal(err)
				}
				want[key] = int(at.Number)
			}
			if round%10 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		late := dial(t, channel) // gets the first snapshot and the later updates
		synctest.Wait()
		close(hold)
		synctest.Wait()
		for name, c := range map[string]*client{"slow": slow, "quick": quick, "late": late} {
			values, updates := newest(t, c.events(t))
			if fmt.Sprint(values) != fmt.Sprint(want) || updates > keys*rounds {
				t.Errorf("the %s reader has %v, want %v", name, values, want)
			}
			if t.Logf("%s: %d updates", name, updates); name != "quick" && updates > 3*keys {
				t.Errorf("the %s reader was sent %d updates for %d keys, want at most %d", name, updates,
					keys, 3*keys)
			}
			if ended := len(c.ended); ended > 0 {
				t.Errorf("the %s reader was disconnected, want it to stay", name)
			}
		}
		stop()
		for _, c := range []*client{slow, quick, late} {
			<-c.ended
		}
	})
}

// Readers connect while values are published concurrently, and the module's process dies. In the end each
// reader has the values that a snapshot would contain then.
func TestLatestInterleavings(t *testing.T) {
	t.Parallel()
	first := randomtest.Seed(t)
	for seed := first; seed != first+300; seed++ {
		synctest.Test(t, func(t *testing.T) { interleaveLatest(t, seed) })
		if t.Failed() {
			t.Fatalf("failed with seed %d", seed)
		}
	}
}

func interleaveLatest(t *testing.T, seed uint64) {
	random := randomtest.New(seed, 4)
	m := newModule()
	committed := make(map[int]int)
	snapshot := func(ctx context.Context) (hub.State, error) {
		state, err := m.snapshot(ctx)
		m.mu.Lock()
		state.Data = []byte(strings.ReplaceAll(fmt.Sprintf("%q", fmt.Sprint(committed)), "\n", ""))
		m.mu.Unlock()
		time.Sleep(3 * time.Millisecond)
		return state, err
	}
	hubs, channel, stop := serveLatest(t, snapshot)
	var open []*client
	for range 60 {
		switch action := random.IntN(20); {
		case action < 4:
			open = append(open, dial(t, channel))
		case action < 17:
			key, late := random.IntN(5), time.Duration(random.Int64N(30))*time.Millisecond
			m.mu.Lock()
			m.number++
			at := position{m.process, m.number}
			committed[key] = int(at.Process*1_000 + at.Number)
			data := value(key, committed[key])
			m.mu.Unlock()
			go func() {
				time.Sleep(late)
				if err := channel.PublishLatest(at.Process, at.Number, strconv.Itoa(key), data); err != nil {
					t.Error(err)
				}
			}()
		case action == 17:
			hubs.Ended("board", m.restart())
		default:
			time.Sleep(time.Duration(random.Int64N(50)) * time.Millisecond)
		}
	}
	time.Sleep(time.Second)
	for _, c := range open {
		events := c.events(t)
		if len(events) == 0 || last(events).name == "reconnect" {
			continue
		}
		values, _ := newest(t, events)
		for key, n := range committed {
			if got, heard := values[key]; heard && got != n || !heard &&
				!strings.Contains(events[0].data, fmt.Sprintf("%d:%d", key, n)) {
				t.Errorf("key %d: %d, want %d: %v", key, got, n, events)
			}
		}
	}
	stop()
	for _, c := range open {
		<-c.ended
	}
}

// A refused value reaches no reader, but its number counts.
func TestLatestRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		hubs, channel, stop := serveLatest(t, m.snapshot)
		plain, err := hubs.Open(t.Context(), "board", "plain", m.snapshot, counted(t))
		if err != nil {
			t.Fatal(err)
		}
		c, other := dial(t, channel), dial(t, plain)
		synctest.Wait()
		for number, r := range []struct {
			publish func(number uint64) error
			want    error
		}{
			{func(n uint64) error { return channel.Publish(1, n, []byte("1")) }, hub.ErrKey},
			{func(n uint64) error { return plain.PublishLatest(1, n, "a", []byte("1")) }, hub.ErrKey},
			{func(n uint64) error { return channel.PublishLatest(1, n, "", []byte("1")) }, hub.ErrKey},
			{func(n uint64) error { return channel.PublishLatest(1, n, strings.Repeat("k", 129), []byte("1")) },
				hub.ErrKey},
			{func(n uint64) error {
				return channel.PublishLatest(1, n, "a", []byte(`"`+strings.Repeat("x", update.MaxLatest-1)+`"`))
			}, hub.ErrTooLarge},
			{func(n uint64) error { return channel.PublishLatest(1, n, "a", []byte("{}\n\n")) }, nil},
			{func(n uint64) error { return channel.PublishLatest(1, n, "a", []byte("{")) }, hub.ErrInvalid},
			{func(n uint64) error { return hubs.PublishLatest("board", "none", 1, n, "a", nil) },
				hub.ErrChannelUnknown},
		} {
			if err := r.publish(uint64(number + 1)); !errors.Is(err, r.want) {
				t.Errorf("publish %d: %v, want %v", number+1, err, r.want)
			}
		}
		for key := range hub.MaxKeys {
			err := channel.PublishLatest(1, uint64(100+key), fmt.Sprint("key ", key), []byte("{}"))
			if full := key == hub.MaxKeys-1; full != errors.Is(err, hub.ErrKey) { // "a" is one of them
				t.Errorf("publish with %d keys: error %v, want %v: %v", key+2, err, hub.ErrKey, full)
			}
		}
		hubs.Ended("board", 1)
		if err := channel.PublishLatest(2, 1, "the next life's", []byte("{}")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := len(named(c.events(t), "update")); got != hub.MaxKeys {
			t.Errorf("%d updates, want %d", got, hub.MaxKeys)
		}
		if got := named(other.events(t), "update"); len(got) != 0 {
			t.Errorf("the plain channel has the updates %v, want none", got)
		}
		stop()
		<-c.ended
		<-other.ended
	})
}

// Newest values also reach the readers of another process.
func TestLatestElsewhere(t *testing.T) {
	port, _ := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	var hubs []*hub.Hub
	for _, p := range []*process{a, b} {
		p.logs(t, "realtime backplane connected", 1)
		channel, err := p.hubs.OpenLatest(t.Context(), "board", "latest", p.snapshot, counted(t))
		if err != nil {
			t.Fatal(err)
		}
		hubs = append(hubs, channel)
	}
	r, looks := dial(t, hubs[1]), 0
	until(t, "a first value", func() bool { // the subscription is there
		if r.count(t, "reconnect") > 0 {
			r = dial(t, hubs[1])
		}
		if looks++; looks%updateEvery == 0 {
			at := a.next()
			_ = hubs[0].PublishLatest(at.Process, at.Number, "0", value(0, int(at.Number)))
		}
		return r.count(t, "update") > 0
	})
	for n := range 5_000 {
		at := a.next()
		if err := hubs[0].PublishLatest(at.Process, at.Number, strconv.Itoa(n%10),
			value(n%10, int(at.Number))); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the newest of each", func() bool {
		values, _ := newest(t, r.events(t))
		return values[9] == int(a.at().Number) && values[0] == values[9]-9
	})
	if r.count(t, "reconnect") > 0 {
		t.Error("the reader was told to reconnect")
	}
	b.stop()
	a.stop()
}
