package hub_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/realtime/update"
)

// TestStream compares the whole stream of a reader byte for byte.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		hubs, channel, stop := serve(t, func(ctx context.Context) (hub.State, error) {
			state, err := m.snapshot(ctx)
			state.Data = []byte("{ \"a\":\n[1, \"\\n\"]\r}")
			return state, err
		}, nil)
		_ = publish(channel, m.next())
		c := dial(t, channel)
		synctest.Wait()
		if err := hubs.Publish("board", "main", 1, 2, []byte("[ true,\n{} ]")); err != nil {
			t.Error(err)
		}
		time.Sleep(16 * time.Second)
		stop()
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
		want := "id: 1\ndata: {\"a\":[1,\"\\n\"]}\nevent: snapshot\nretry: 3000\n\n" +
			"id: 1\ndata: {\"serverTime\":\"2000-01-01T00:00:00.000Z\"}\nevent: heartbeat\n\n" +
			"id: 2\ndata: [true,{}]\nevent: update\n\n" +
			"id: 2\ndata: {\"serverTime\":\"2000-01-01T00:00:15.000Z\"}\nevent: heartbeat\n\n" +
			"id: 2\ndata: {}\nevent: reconnect\n\n"
		got := c.sent.String()
		if retry := parse(t, got)[0].retry; strings.Replace(got, "retry: "+retry, "retry: 3000", 1) != want {
			t.Errorf("got  %q\nwant %q, retry apart", got, want)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
			"Connection": "close",
		} {
			if !strings.Contains(c.head, "\r\n"+name+": "+want) {
				t.Errorf("the head is %q, want %s: %s", c.head, name, want)
			}
		}
	})
}

// Heartbeats come every 15 s. Every stream ends after 4 to 5 minutes, and they do not all end at once.
func TestHeartbeatsAndLifetimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, channel, _ := serve(t, newModule().snapshot, nil)
		began := time.Now()
		ends := make(chan time.Duration, 200)
		for range cap(ends) {
			c := dial(t, channel)
			go func() {
				if err := <-c.ended; err != nil {
					t.Error(err)
				}
				took := time.Since(began)
				events := c.events(t)
				beats := time.Duration(len(named(events, "heartbeat")))
				if lag := took - (beats-1)*15*time.Second; lag < 0 || lag > 15*time.Second+time.Second ||
					events[len(events)-1].name != "reconnect" {
					t.Errorf("%d heartbeats in %v, then %v; want one every 15 s and reconnect last", beats,
						took, events[len(events)-1])
				}
				ends <- took
			}()
		}
		quarters := make(map[time.Duration]int)
		for range cap(ends) {
			took := <-ends
			if took < 4*time.Minute || took > 5*time.Minute+time.Second {
				t.Errorf("a stream lasted %v, want 4 to 5 minutes", took)
			}
			quarters[took.Truncate(15*time.Second)]++
		}
		for quarter, n := range quarters {
			if n > 80 {
				t.Errorf("%d of %d streams ended at %v, want at most 80", n, cap(ends), quarter)
			}
		}
	})
}

// 5,000 readers that reconnect within a second, while updates are sent and after a lost one, cause at most
// two snapshots. A few readers that come one after the other each wait only for their own snapshot.
func TestReconnectingReadersShareSnapshots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		m.pause = func() { time.Sleep(5 * time.Millisecond) }
		hubs, channel, stop := serve(t, m.snapshot, nil)
		var clients []*client
		for _, pause := range []time.Duration{0, 200 * time.Microsecond} {
			before, from := m.asked.Load(), len(clients)
			for i := range 5_000 {
				clients = append(clients, dial(t, channel))
				time.Sleep(pause)
				if i%500 == 0 {
					_ = publish(channel, m.next())
				}
			}
			time.Sleep(2 * time.Second)
			asked := m.asked.Load() - before
			t.Logf("%d snapshots for 5,000 readers, one every %v", asked, pause)
			if asked > 2 {
				t.Errorf("%d snapshots, want at most 2", asked)
			}
			last := m.at()
			for _, c := range clients[from:] {
				check(t, c, &last)
			}
			hubs.Ended("board", m.restart())
			time.Sleep(5 * time.Second)
		}
		for range 20 {
			time.Sleep(time.Second)
			c := dial(t, channel)
			time.Sleep(60 * time.Millisecond)
			if len(c.events(t)) == 0 {
				t.Error("waits though nobody else comes")
			}
			clients = append(clients, c)
		}
		stop()
		for _, c := range clients {
			if err := <-c.ended; err != nil {
				t.Error(err)
			}
		}
	})
}

type refusal string

func (r refusal) Error() string { return string(r) }
func (r refusal) Code() string  { return string(r) }

// Without a snapshot nothing is written, and the error's code is the reason.
func TestRefused(t *testing.T) {
	late := func(ctx context.Context) (hub.State, error) {
		<-ctx.Done()
		return hub.State{},
			ctx.Err()
	}
	of := func(data string, process uint64, err error) hub.Snapshot {
		return func(context.Context) (hub.State, error) {
			return hub.State{Data: []byte(data), Process: process}, err
		}
	}
	for _, r := range []struct {
		name     string
		snapshot hub.Snapshot
		code     string
		after    time.Duration
	}{
		{"late", late, "MODULE_HANDLER_FAILED", 10 * time.Second},
		{"never", func(ctx context.Context) (hub.State, error) {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return hub.State{Data: []byte(`{}`), Process: 1}, nil
		}, "MODULE_HANDLER_FAILED", 10 * time.Second},
		{"down", of(`{}`, 1, refusal("MODULE_UNAVAILABLE")), "MODULE_UNAVAILABLE", 0},
		{"failed", of(`{}`, 1, errors.New("secret")), "MODULE_HANDLER_FAILED", 0},
		{"panics", func(context.Context) (hub.State, error) { panic("secret") }, "MODULE_HANDLER_FAILED", 0},
		{"no JSON", of("{}\n\nevent: update", 1, nil), "MODULE_HANDLER_FAILED", 0},
		{"two values", of("{}{}", 1, nil), "MODULE_HANDLER_FAILED", 0},
		{"nothing", of("", 1, nil), "MODULE_HANDLER_FAILED", 0},
		{"no process", of("{}", 0, nil), "MODULE_HANDLER_FAILED", 0},
		{"too large", of(`"`+strings.Repeat("x", update.MaxSnapshot-1)+`"`, 1, nil), "MODULE_HANDLER_FAILED", 0},
		{"largest", of(` "`+strings.Repeat("x", update.MaxSnapshot-2)+`" `, 1, nil), "", 0},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				t.Cleanup(func() { time.Sleep(time.Minute) }) // for the snapshot that ignores its context
				_, channel, stop := serve(t, r.snapshot, nil)
				began := time.Now()
				c := dial(t, channel)
				if r.code == "" {
					synctest.Wait()
					if len(c.events(t)) != 2 {
						t.Error("no stream")
					}
					stop()
				}
				err := <-c.ended
				code := ""
				if coded, ok := errors.AsType[interface {
					error
					Code() string
				}](err); ok {
					code = coded.Code()
				}
				if took := time.Since(began); code != r.code || took != r.after {
					t.Errorf("ended with %q after %v, want %q after %v", code, took, r.code, r.after)
				}
				if r.code != "" && (c.sent.Len() > 0 || len(c.header) > 0) {
					t.Errorf("wrote header %v and body %q, want neither for a refusal", c.header,
						c.sent.String())
				}
			})
		})
	}
}

// When the module's process ends, every stream of that run ends. Updates of that run that arrive later reach
// no reader.
func TestProcessEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		hubs, channel, stop := serve(t, m.snapshot, nil)
		old, left := dial(t, channel), m.next()
		synctest.Wait()
		began := time.Now()
		hubs.Ended("other", 1)
		hubs.Ended("board", m.restart())
		if err := <-old.ended; err != nil || time.Since(began) != 0 {
			t.Errorf("stream of the ended process: error %v after %v, want its end at once", err,
				time.Since(began))
		}
		fresh := dial(t, channel)
		time.Sleep(time.Second)
		_ = publish(channel, left)
		_ = publish(channel, m.next())
		synctest.Wait()
		stop()
		<-fresh.ended
		for name, got := range map[string][]event{"old": old.events(t), "fresh": fresh.events(t)} {
			updates := named(got, "update")
			if got[len(got)-1].name != "reconnect" || name == "old" && len(updates) != 0 ||
				name == "fresh" && (len(updates) != 1 || updates[0].data != `{"p":2,"n":1}`) {
				t.Errorf("%s: events %v, want reconnect last and the new process's update for fresh alone",
					name, got)
			}
		}
	})
}

// Drain ends every stream and refuses new ones.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hubs, channel, _ := serve(t, newModule().snapshot, nil)
		c := dial(t, channel)
		synctest.Wait()
		hubs.Drain()
		if err := <-c.ended; err != nil || named(c.events(t), "reconnect") == nil {
			t.Errorf("stream at Drain: error %v, events %v, want reconnect", err, c.events(t))
		}
		if err := <-dial(t, channel).ended; !errors.Is(err, hub.ErrUnavailable) {
			t.Error(err)
		}
	})
}

// A reader that does not read is disconnected within a second after its mailbox was full. Other readers are
// not affected. A reader whose socket is full when its stream ends has time to receive the rest.
func TestSlowReader(t *testing.T) {
	for _, r := range []struct {
		name   string
		events int
		size   int
		cut    bool
	}{
		{"256 events", 256, 1, false},
		{"one more", 257, 1, true},
		{"almost 1 MiB", 16, 65_532, false},
		{"over 1 MiB", 17, 65_532, true},
	} {
		t.Run(r.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, channel, stop := serve(t, newModule().snapshot, nil)
				stalled := make(chan struct{})
				slow, other := dialing(t, channel, stalled), dial(t, channel)
				time.Sleep(time.Second)
				for i := range r.events {
					if err := channel.Publish(1, uint64(i+1), []byte(`"`+strings.Repeat("x", r.size)+`"`)); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if got := len(named(other.events(t), "update")); got != r.events {
					t.Errorf("the other reader received %d updates, want %d", got, r.events)
				}
				time.Sleep(1100 * time.Millisecond) // a sweep
				select {
				case <-slow.ended:
					if !r.cut {
						t.Error("cut")
					}
				default:
					if r.cut {
						t.Error("not cut")
					}
				}
				close(stalled)
				synctest.Wait()
				if got := len(named(slow.events(t), "update")); !r.cut && got != r.events {
					t.Errorf("the slow reader received %d updates, want %d", got, r.events)
				}
				stop()
				<-other.ended
			})
		})
	}
}

// A burst of twice a mailbox's size reaches every reader that reads. A reader that does not read is
// disconnected, and delays the others by 250 ms. A longer burst may fill half of the hub's inbox before the
// hub runs; then it does not wait for readers.
func TestBurstReachesEveryReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const updates = 500
		m := newModule()
		_, channel, stop := serve(t, m.snapshot, nil)
		readers := []*client{dial(t, channel), dial(t, channel), dial(t, channel)}
		blocked := dialing(t, channel, make(chan struct{}))
		synctest.Wait()
		for range updates {
			_ = publish(channel, m.next())
		}
		time.Sleep(300 * time.Millisecond)
		for i, r := range readers {
			if got := len(named(r.events(t), "update")); got != updates {
				t.Errorf("reader %d has %d updates of %d after 300 ms, and ended with %v", i, got, updates,
					last(r.events(t)))
			}
		}
		time.Sleep(1100 * time.Millisecond) // a sweep
		select {
		case <-blocked.ended:
		default:
			t.Error("the reader that reads nothing was not cut")
		}
		stop()
		for _, r := range readers {
			<-r.ended
		}
	})
}

func last(events []event) event {
	if len(events) == 0 {
		return event{}
	}
	return events[len(events)-1]
}

// A reader whose socket is blocked when its stream ends is disconnected after the grace period, or as soon as
// its client disconnects.
func TestBlockedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, channel, stop := serve(t, newModule().snapshot, nil)
		blocked, leaving := dialing(t, channel, make(chan struct{})), dialing(t, channel, make(chan struct{}))
		time.Sleep(time.Second)
		began := time.Now()
		leaving.cancel()
		<-leaving.ended
		if took := time.Since(began); took != 0 {
			t.Errorf("a reader that leaves ended after %v, want at once", took)
		}
		stop()
		<-blocked.ended
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("a blocked reader was cut after %v, want 5 to 6 s", took)
		}
	})
}

// A number that never arrives ends the streams that should have received it. Readers that connect later miss
// nothing.
func TestMissingNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		_, channel, stop := serve(t, m.snapshot, nil)
		c := dial(t, channel)
		synctest.Wait()
		_ = m.next()
		_ = publish(channel, m.next())
		began := time.Now()
		<-c.ended
		if took := time.Since(began); took < 5*time.Second || took > 10*time.Second {
			t.Errorf("ended after %v, want 5 to 10 s", took)
		}
		if got := c.events(t); len(named(got, "update")) != 0 || got[len(got)-1].name != "reconnect" {
			t.Errorf("events %v, want reconnect and no update", got)
		}
		later := dial(t, channel)
		time.Sleep(time.Second)
		_ = publish(channel, m.next())
		synctest.Wait()
		if got := named(later.events(t), "update"); len(got) != 1 || got[0].id != "3" {
			t.Errorf("events of the later reader %v, want the update 3 alone", later.events(t))
		}
		stop()
		<-later.ended
	})
}

// A refused update reaches no reader, but its number counts.
func TestRefusedPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hubs, channel, stop := serve(t, newModule().snapshot, nil)
		c := dial(t, channel)
		synctest.Wait()
		for i, r := range []struct {
			data string
			want error
		}{
			{"{}\n\nevent: snapshot\ndata: {}", hub.ErrInvalid},
			{"", hub.ErrInvalid},
			{"\"\r\"", hub.ErrInvalid},
			{`"` + strings.Repeat("x", update.MaxData-1) + `"`, hub.ErrTooLarge},
			{`"` + strings.Repeat("x", update.MaxData-2) + `" `, nil},
		} {
			if err := channel.Publish(1, uint64(i+1), []byte(r.data)); !errors.Is(err, r.want) {
				t.Errorf("Publish: error %v, want %v; data %v", err, r.want, r.data)
			}
		}
		if err := hubs.Publish("board", "other", 1, 1, []byte("{}")); !errors.Is(err, hub.ErrChannelUnknown) {
			t.Errorf("hubs.Publish: error %v, want %v", err, hub.ErrChannelUnknown)
		}
		synctest.Wait()
		if got := named(c.events(t), "update"); len(got) != 1 || len(got[0].data) != update.MaxData {
			t.Errorf("%d updates, want the one of %d bytes", len(got), update.MaxData)
		}
		stop()
		<-c.ended
	})
}

// A burst that a hub cannot hold ends the streams, so that no update is lost unnoticed.
func TestTooManyPublishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		_, channel, stop := serve(t, m.snapshot, nil)
		hold := make(chan struct{})
		c := dialing(t, channel, hold)
		synctest.Wait()
		for range 5_000 {
			_ = publish(channel, m.next())
		}
		synctest.Wait()
		close(hold)
		<-c.ended
		later := dial(t, channel)
		time.Sleep(time.Second)
		_ = publish(channel, m.next())
		synctest.Wait()
		if got := later.events(t); got[0].id != "5000" || len(named(got, "update")) != 1 {
			t.Errorf("events %v, want a snapshot at 5000 and one update", got)
		}
		stop()
		<-later.ended
	})
}

// Another process that becomes silent may have lost an update. One that regularly sends its count has not.
func TestSilentProcessEndsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, channel, stop := serve(t, newModule().snapshot, hub.DeadLink())
		c := dial(t, channel)
		synctest.Wait()
		channel.Receive(1, 1, []byte("{}"))
		for range 12 {
			time.Sleep(5 * time.Second)
			channel.Counted(1, 1)
		}
		if len(named(c.events(t), "reconnect")) != 0 {
			t.Error("ended though the other process is there")
		}
		began := time.Now()
		<-c.ended
		if took := time.Since(began); took < 15*time.Second || took > 25*time.Second {
			t.Errorf("ended after %v, want 15 to 25 s", took)
		}
		stop()
	})
}

// A hub that panics ends its streams properly and starts again. It loses no update although the numbers do
// not begin at 1.
func TestHubRestartsAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModule()
		_, channel, stop := serve(t, m.snapshot, nil)
		old := dial(t, channel)
		synctest.Wait()
		_ = publish(channel, m.next())
		channel.Crash()
		<-old.ended
		if got := old.events(t); got[len(got)-1].name != "reconnect" {
			t.Errorf("events %v, want reconnect last", got)
		}
		time.Sleep(time.Minute)
		for range 3 {
			_ = publish(channel, m.next())
		}
		c := dial(t, channel)
		synctest.Wait()
		_ = publish(channel, m.next())
		synctest.Wait()
		if got := c.events(t); got[0].id != "4" || len(named(got, "update")) != 1 || got[2].id != "5" {
			t.Errorf("events %v, want a snapshot at 4 and the update 5", got)
		}
		stop()
		<-c.ended
	})
}

var _ http.ResponseWriter = (*client)(nil)
