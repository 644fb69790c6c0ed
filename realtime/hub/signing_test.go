package hub_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	natsclient "github.com/nats-io/nats.go"

	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/services/natstest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// eavesdropper is a client that may use the NATS server but does not know the key.
type eavesdropper struct {
	conn *natsclient.Conn
	mu   sync.Mutex
	said []*natsclient.Msg
}

func eavesdrop(t *testing.T, url string) *eavesdropper {
	t.Helper()
	conn, err := natsclient.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	e := &eavesdropper{conn: conn}
	_, err = conn.Subscribe("narthex.>", func(m *natsclient.Msg) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.said = append(e.said, &natsclient.Msg{Subject: m.Subject, Data: bytes.Clone(m.Data)})
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// heard returns the updates that were sent on the channel so far.
func (e *eavesdropper) heard() (updates []*natsclient.Msg) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.said {
		if strings.HasSuffix(m.Subject, ".board.main") {
			updates = append(updates, m)
		}
	}
	return updates
}

func (e *eavesdropper) say(t *testing.T, subject string, data []byte) {
	t.Helper()
	if err := e.conn.Publish(subject, data); err != nil {
		t.Fatal(err)
	}
}

// A client without the key forges messages, alters them, and repeats those of a process that has ended. No
// reader receives any of them or is disconnected, neither in a process that received the original messages
// nor in one that started later.
func TestForgery(t *testing.T) {
	port, _ := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	a.logs(t, "realtime backplane connected", 1)
	b.logs(t, "realtime backplane connected", 1)
	reached(t, a, b)
	e := eavesdrop(t, url)
	const updates = 20
	for range updates {
		_ = publish(a.channel, a.next())
	}
	until(t, "what is recorded", func() bool { return len(e.heard()) >= updates })
	recorded := slices.Clone(e.heard())
	c := newProcess(t, url, "one", nil)
	c.logs(t, "realtime backplane connected", 1)
	reached(t, a, c)
	reached(t, c, b)
	early, late := dial(t, b.channel), dial(t, c.channel)
	until(t, "snapshots", func() bool { return early.count(t, "snapshot")+late.count(t, "snapshot") == 2 })
	_ = publish(a.channel, a.next())
	before := make(map[*client]int)
	for _, r := range []*client{early, late} { // so that none of a's earlier updates is on the way
		until(t, "the last update of a", func() bool { return last(r.events(t)).data == string(a.at().json()) })
		before[r] = r.count(t, "update")
	}

	newest := e.heard()[len(e.heard())-1]
	for n := range 3 {
		forged := bytes.Clone(newest.Data)
		// the last byte of the count
		forged[25] += byte(n)
		binary.BigEndian.PutUint64(forged[len(forged)-40:], uint64(time.Now().UnixMicro())) // the number
		e.say(t, newest.Subject, forged)
		e.say(t, newest.Subject, append(forged[:len(forged)-32], make([]byte, 32)...))
	}
	a.stop()
	_ = publish(c.channel, c.next())
	until(t, "an update after a's goodbye", func() bool { return early.count(t, "update") == before[early]+1 })
	for _, m := range recorded {
		e.say(t, m.Subject, m.Data)
	}
	if err := e.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	_ = publish(c.channel, c.next())
	until(t, "another update", func() bool { return last(early.events(t)).data == string(c.at().json()) })
	// c gets it after the repeated messages. b's own reader may be the later of the two.
	_ = publish(b.channel, b.next())
	for _, r := range []*client{early, late} {
		until(t, "an update of b", func() bool { return last(r.events(t)).data == string(b.at().json()) })
	}
	for name, r := range map[string]*client{"early": early, "late": late} {
		if got := named(r.events(t), "update")[before[r]:]; len(got) != 3 || r.count(t, "reconnect") != 0 {
			t.Errorf("the %s reader has %v and %d reconnects, want three updates and none", name, got,
				r.count(t, "reconnect"))
		}
	}
	b.logs(t, "realtime message of an unknown sender refused", 1)
	c.stop()
	b.stop()
}

// While the secret is replaced, a process with the new secret accepts messages that are signed with the old
// one, but none signed with another.
func TestKeys(t *testing.T) {
	port, _ := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	before, after, foreign := bytes.Repeat([]byte("b"), 32), bytes.Repeat([]byte("a"), 32),
		bytes.Repeat([]byte("f"), 32)
	old := newSigning(t, url, "one", nil, setting.Keys{Current: before})
	replaced := newSigning(t, url, "one", nil, setting.Keys{Current: after, Previous: before})
	stranger := newSigning(t, url, "one", nil, setting.Keys{Current: foreign})
	for _, p := range []*process{old, replaced, stranger} {
		p.logs(t, "realtime backplane connected", 1)
	}
	deaf := dial(t, stranger.channel)
	until(t, "snapshot", func() bool { return deaf.count(t, "snapshot") == 1 })
	reached(t, old, replaced)
	stranger.logs(t, "realtime message of an unknown sender refused", 1)
	if updates := named(deaf.events(t), "update"); len(updates) != 0 || deaf.count(t, "reconnect") != 0 {
		t.Errorf("a process with another key passed on %v, want no update and no reconnect", updates)
	}
	for _, p := range []*process{stranger, replaced, old} {
		p.stop()
	}
}

// The log contains once, and without the address, why a server is unreachable; the next server of the list is
// used.
func TestUnreachableServerIsLoggedOnce(t *testing.T) {
	open, _ := natstest.Start(t, 0, natstest.Options{})
	closed, _ := natstest.Start(t, 0, natstest.Options{Username: "somebody", Password: "else"})
	gone, kill := natstest.Start(t, 0, natstest.Options{})
	kill()
	for why, port := range map[string]int{"credentials refused": closed, "unreachable": gone} {
		url := natsURL("nats", port)
		p := newProcess(t, url, "one", nil)
		p.logs(t, "realtime backplane not reached", 1)
		entry := p.logged.FilterMessage("realtime backplane not reached").All()[0]
		if entry.ContextMap()["why"] != why {
			t.Errorf("logged %v, want %q", entry.ContextMap(), why)
		}
		p.stop()
		servers := []setting.Secret{setting.NewSecret(url), setting.NewSecret(natsURL("nats", open))}
		if got := backplane.Probe(t.Context(), servers); len(got) != 1 || got[0] != why {
			t.Errorf("a probe found %v, want %q of the first server", got, why)
		}
		listed := newProcess(t, url+" "+natsURL("nats", open), "one", nil)
		listed.logs(t, "realtime backplane connected", 1)
		listed.stop()
	}
}
