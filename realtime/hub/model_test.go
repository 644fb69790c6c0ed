package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/randomtest"
)

// Readers connect and disconnect while the module publishes from many goroutines, responds slowly, dies and
// restarts. In every order each reader receives a snapshot and then every higher number once and in order,
// until the module's process ends.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	cases := 10_000
	if testing.Short() {
		cases = 150
	}
	first := randomtest.Seed(t)
	for seed := first; seed != first+uint64(cases); seed++ {
		synctest.Test(t, func(t *testing.T) { interleave(t, seed) })
		if t.Failed() {
			t.Fatalf("failed with seed %d", seed)
		}
	}
}

func interleave(t *testing.T, seed uint64) {
	random := randomtest.New(seed, 1)
	pauses := randomtest.New(seed, 2) // of the snapshots, of which only one is made at a time
	slowest := random.Int64N(100)
	m := newModule()
	m.pause = func() { time.Sleep(time.Duration(pauses.Int64N(slowest+1)) * time.Millisecond) }
	hubs, channel, stop := serve(t, m.snapshot, nil)

	var all, open []*client
	for range 40 {
		switch action := random.IntN(20); {
		case action < 5:
			c := dial(t, channel)
			all, open = append(all, c), append(open, c)
		case action < 15:
			at, late, times := m.next(), time.Duration(random.Int64N(40))*time.Millisecond, 1+random.IntN(8)/7
			go func() {
				for range times { // calls overtake each other, and some are repeated
					time.Sleep(late)
					if err := publish(channel, at); err != nil {
						t.Error(err)
					}
				}
			}()
		case action < 17 && len(open) > 0:
			i := random.IntN(len(open))
			open[i].cancel()
			open = append(open[:i], open[i+1:]...)
		case action == 17:
			hubs.Ended("board", m.restart())
			synctest.Wait()
		default:
			time.Sleep(time.Duration(random.Int64N(60)) * time.Millisecond)
		}
		if random.IntN(4) == 0 {
			synctest.Wait()
		}
	}
	time.Sleep(8 * time.Second)
	last := m.at()
	for _, c := range open {
		check(t, c, &last)
	}
	stop()
	for _, c := range all {
		if err := <-c.ended; err != nil {
			continue // it disconnected before its snapshot
		}
		check(t, c, nil)
	}
	for _, c := range open {
		if events := c.events(t); len(events) > 0 && events[len(events)-1].name != "reconnect" {
			t.Errorf("the stream ended with %v, want reconnect", events[len(events)-1])
		}
	}
}

// check checks what one reader received. last is the position that a connected reader must have reached.
func check(t *testing.T, c *client, last *position) {
	t.Helper()
	events := c.events(t)
	if len(events) == 0 {
		if last != nil {
			t.Error("no snapshot") // if its process ended while it waited, it should have got the next one's
		}
		return
	}
	at := read(t, events[0])
	retry, err := strconv.Atoi(events[0].retry)
	if events[0].name != "snapshot" || events[0].id != strconv.FormatUint(at.Number, 10) || err != nil ||
		retry < 2_000 || retry > 4_000 {
		t.Errorf("the stream begins with %v, want snapshot %d with a retry of 2 to 4 s", events[0], at.Number)
	}
	if len(events) > 1 && events[1].name != "heartbeat" {
		t.Errorf("the stream continues with %v, want a heartbeat", events[1])
	}
	for _, e := range events[1:] {
		if e.name == "update" {
			at.Number++
			if read(t, e) != at || e.id != strconv.FormatUint(at.Number, 10) {
				t.Fatalf("got %v, want %v: %v", e, at, events)
			}
		}
	}
	if over := events[len(events)-1].name == "reconnect"; last != nil && !over && at != *last {
		t.Errorf("the reader is at %v, want %v: %v", at, *last, events)
	} else if last != nil && over && at.Process == last.Process {
		t.Errorf("the stream ended while its process lived, want it open: %v", events)
	}
}

func read(t *testing.T, e event) (at position) {
	t.Helper()
	if err := json.Unmarshal([]byte(e.data), &at); err != nil {
		t.Errorf("json.Unmarshal: error %v, want none; e %v", err, e)
	}
	return at
}

// TestInterleavingsWithOtherProcesses is TestInterleavings with two other processes, whose messages arrive in
// order, repeatedly or never. A reader misses no update since its snapshot was requested, unless it is made
// to reconnect.
func TestInterleavingsWithOtherProcesses(t *testing.T) {
	t.Parallel()
	cases := 3_000
	if testing.Short() {
		cases = 60
	}
	first := randomtest.Seed(t)
	for seed := first; seed != first+uint64(cases); seed++ {
		synctest.Test(t, func(t *testing.T) { crossed(t, seed) })
		if t.Failed() {
			t.Fatalf("failed with seed %d", seed)
		}
	}
}

func crossed(t *testing.T, seed uint64) {
	random := randomtest.New(seed, 3)
	m := newModule()
	var counts [2]uint64 // sent by the others and contained in the snapshot
	snapshot := func(ctx context.Context) (hub.State, error) {
		m.mu.Lock()
		told := counts
		m.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		state, err := m.snapshot(ctx)
		state.Data = fmt.Appendf(nil, `{"p":%d,"n":%d,"others":[%d,%d]}`, state.Process, state.Number, told[0],
			told[1])
		return state, err
	}
	_, channel, stop := serve(t, snapshot, hub.DeadLink())
	count := func(who int) uint64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		counts[who]++
		return counts[who]
	}
	var readers []*client
	for range 40 {
		who := random.IntN(2)
		switch action := random.IntN(20); {
		case action < 4:
			readers = append(readers, dial(t, channel))
		case action < 10:
			_ = publish(channel, m.next())
		case action < 16:
			n := count(who)
			for range 1 + random.IntN(5)/4 {
				channel.Receive(byte(who), n, position{uint64(100 + who), n}.json())
			}
		case action == 16 && seed%2 == 0:
			count(who) // lost
		default:
			time.Sleep(time.Duration(random.Int64N(100)) * time.Millisecond)
		}
	}
	channel.Counted(0, counts[0])
	channel.Counted(1, counts[1])
	time.Sleep(2 * time.Second)
	for _, r := range readers {
		checkCrossed(t, r.events(t), counts, m.at(), seed%2 == 0)
	}
	stop()
	for _, r := range readers {
		<-r.ended
	}
}

func checkCrossed(t *testing.T, events []event, counts [2]uint64, last position, lossy bool) {
	t.Helper()
	if len(events) == 0 {
		t.Error("no snapshot")
		return
	}
	at := read(t, events[0])
	var heard struct{ Others [2]uint64 }
	if err := json.Unmarshal([]byte(events[0].data), &heard); err != nil {
		t.Error(err)
	}
	var begun [2]bool
	id, err := strconv.ParseUint(events[0].id, 10, 64)
	if err != nil {
		t.Error(err)
	}
	for _, e := range named(events, "update") {
		if id++; e.id != strconv.FormatUint(id, 10) {
			t.Errorf("id %s after %d, want %d: %v", e.id, id-1, id, events)
		}
		got := read(t, e)
		if got.Process < 100 {
			at.Number++
			if got != at {
				t.Errorf("got %v, want %v: %v", got, at, events)
			}
			continue
		}
		// The first one may be in the snapshot already.
		known := &heard.Others[got.Process-100]
		if got.Number > *known+1 || begun[got.Process-100] && got.Number != *known+1 {
			t.Errorf("update %v after number %d, want the next one: %v", got, *known, events)
		}
		begun[got.Process-100] = true
		*known = got.Number
	}
	if over := events[len(events)-1].name == "reconnect"; over && !lossy {
		t.Errorf("told to reconnect though nothing was lost: %v", events)
	} else if !over && (at != last || heard.Others != counts) {
		t.Errorf("the reader is at %v and %v, want %v and %v: %v", at, heard.Others, last, counts, events)
	}
}
