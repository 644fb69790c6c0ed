package hub_test

import (
	"testing"

	"github.com/narthex-platform/narthex/services/natstest"
)

// NATS is killed twice while a process publishes 5,000 updates. The readers of that process miss nothing, so
// none of them may be disconnected. Readers of the other process may be, because of the backlog that it gets
// later.
func TestKilledUnderLoad(t *testing.T) {
	const updates, readers = 5_000, 5
	port, kill := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	a.logs(t, "realtime backplane connected", 1)
	b.logs(t, "realtime backplane connected", 1)
	reached(t, a, b)
	reached(t, b, a)
	var local []*client
	for range readers {
		local = append(local, dial(t, a.channel))
		dial(t, b.channel)
	}
	for _, r := range local {
		until(t, "snapshot", func() bool { return r.count(t, "snapshot") == 1 })
	}
	before, outages := a.at().Number, 0
	for n := range updates {
		_ = publish(a.channel, a.next())
		if n%100 == 99 { // as fast as the local readers
			for _, r := range local {
				until(t, "updates", func() bool { return r.count(t, "reconnect") > 0 || r.count(t, "update") > n })
			}
		}
		switch n {
		case 500, 3_000:
			kill()
			outages++
			a.logs(t, "realtime backplane left", outages)
		case 2_500, updates - 1:
			_, kill = natstest.Start(t, port, natstest.Options{})
			a.logs(t, "realtime backplane connected", outages+1)
			b.logs(t, "realtime backplane connected", outages+1)
		}
	}
	for _, r := range local {
		until(t, "all updates at a local reader, or its end",
			func() bool { return r.count(t, "reconnect") > 0 || r.count(t, "update") == updates })
	}
	for i, r := range local {
		if r.count(t, "reconnect") > 0 || uint64(r.count(t, "update")) != a.at().Number-before {
			t.Errorf("local reader %d: %d of %d updates, %d reconnects, want all and none", i, r.count(t, "update"),
				updates,
				r.count(t, "reconnect"))
		}
	}
	b.stop()
	a.stop()
}

// Updates that were published while NATS was unreachable arrive together afterwards, as far as they are kept.
// A reader of the other process that keeps reading receives all of them.
func TestUpdatesPublishedWhileDisconnected(t *testing.T) {
	const updates = 4_000
	port, kill := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	a.logs(t, "realtime backplane connected", 1)
	b.logs(t, "realtime backplane connected", 1)
	reached(t, a, b)
	kill()
	a.logs(t, "realtime backplane left", 1)
	b.logs(t, "realtime backplane left", 1)
	local, remote := dial(t, a.channel), dial(t, b.channel)
	until(t, "snapshots", func() bool { return local.count(t, "snapshot")+remote.count(t, "snapshot") == 2 })
	for n := range updates {
		_ = publish(a.channel, a.next())
		if n%100 == 99 { // so that the publishing hub drops none
			until(t, "updates", func() bool { return local.count(t, "update") > n })
		}
	}
	natstest.Start(t, port, natstest.Options{})
	b.logs(t, "realtime backplane connected", 2)
	until(t, "the backlog", func() bool {
		return remote.count(t, "reconnect") > 0 ||
			remote.count(t, "update") >= updates
	})
	if got := remote.count(t, "reconnect"); got > 0 {
		t.Errorf("the remote reader was told to reconnect after %d of %d updates", remote.count(t, "update"),
			updates)
	}
	b.stop()
	a.stop()
}
