package hub_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/narthex-platform/narthex/realtime/backplane"
	"github.com/narthex-platform/narthex/realtime/hub"
	"github.com/narthex-platform/narthex/services/natstest"
	"github.com/narthex-platform/narthex/services/waittest"
	"github.com/narthex-platform/narthex/supervisor/setting"
)

// process is one of several platform processes that share a channel.
type process struct {
	*module
	channel *hub.Hub
	hubs    *hub.Hubs
	link    *backplane.Link
	logged  *observer.ObservedLogs
	stop    func()
}

func newProcess(t *testing.T, url, installation string, trust *x509.CertPool) *process {
	t.Helper()
	return newSigning(t, url, installation, trust, setting.Keys{Current: bytes.Repeat([]byte("k"), 32)})
}

// newSigning is newProcess with other signing keys.
func newSigning(
	t *testing.T, url, installation string, trust *x509.CertPool, keys setting.Keys,
) *process {
	t.Helper()
	core, logged := observer.New(zap.InfoLevel)
	p := &process{module: newModule(), logged: logged}
	var servers []setting.Secret
	for one := range strings.FieldsSeq(url) {
		servers = append(servers, setting.NewSecret(one))
	}
	p.link = backplane.New(backplane.Config{Servers: servers, Installation: installation, Keys: keys,
		Log: zap.New(core), Roots: trust})
	hubs, stopHubs := hub.New(zap.NewNop(), p.link), func() {}
	hubs.Unshared() // so that a reader gets only updates that were published after it connected
	p.hubs, p.channel, stopHubs = open(t, hubs, p.snapshot)
	stopLink := run(t, p.link)
	p.stop = func() {
		stopHubs()
		stopLink()
	}
	t.Cleanup(p.stop)
	return p
}

// logs waits until a line was logged n times.
func (p *process) logs(t *testing.T, line string, n int) {
	t.Helper()
	until(t, line, func() bool { return p.logged.FilterMessage(line).Len() >= n })
}

// until polls a condition that other goroutines make true.
func until(t testing.TB, what string, reached func() bool) {
	t.Helper()
	waittest.Until(t, what, reached)
}

// count returns how many events with this name were flushed.
func (c *client) count(t *testing.T, name string) (n int) {
	t.Helper()
	for _, e := range c.events(t) {
		if e.name == name {
			n++
		}
	}
	return n
}

// An update reaches the readers of every process of its installation once, and no reader of another
// installation.
func TestUpdatesReachEveryProcessOnce(t *testing.T) {
	port, _ := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b, stranger := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil),
		newProcess(t, url, "two", nil)
	for _, p := range []*process{a, b, stranger} {
		p.logs(t, "realtime backplane connected", 1)
	}
	reached(t, a, b)
	reached(t, b, a)
	readers := []*client{dial(t, a.channel), dial(t, b.channel), dial(t, stranger.channel)}
	for _, r := range readers {
		until(t, "snapshot", func() bool { return r.count(t, "snapshot") == 1 })
	}
	const each = 50
	for range each {
		_ = publish(a.channel, a.next())
		_ = publish(b.channel, b.next())
	}
	for _, r := range readers[:2] {
		until(t, "updates", func() bool { return r.count(t, "update") >= 2*each })
	}
	a.stop()
	b.stop()
	stranger.stop()
	if n := readers[2].count(t, "update"); n != 0 {
		t.Errorf("another installation received %d updates, want none", n)
	}
	for _, r := range readers[:2] {
		if got := r.count(t, "update"); got != 2*each {
			t.Errorf("got %d, want %d", got, 2*each)
		}
	}
}

func natsURL(scheme string, port int) string {
	return scheme + "://secret:word@127.0.0.1:" + strconv.Itoa(port)
}

// updateEvery is after how many looks a test that waits for a first update publishes once more: so seldom
// that a late subscription misses little.
const updateEvery = 10

// reached publishes until a reader of the other process has received the last update: then the two
// connections to NATS know of each other. An update may show that earlier ones were missed; the reader then
// connects again. Late updates of a third process do not count.
func reached(t *testing.T, from, to *process) {
	t.Helper()
	r, looks := dial(t, to.channel), 0
	var sent []string
	until(t, "the last update is received", func() bool {
		if r.count(t, "reconnect") > 0 || r.gone() {
			r = dial(t, to.channel)
		}
		arrived := func(data string) bool {
			return slices.ContainsFunc(r.events(t), func(e event) bool {
				return e.name == "update" && e.data == data
			})
		}
		if looks++; looks%updateEvery == 0 && !slices.ContainsFunc(sent, arrived) {
			at := from.next()
			sent = append(sent, string(at.json()))
			_ = publish(from.channel, at)
		}
		return len(sent) > 0 && arrived(sent[len(sent)-1])
	})
}

// The NATS server dies and restarts under load, three times. A reader of the other process misses no update
// unless it is made to reconnect. Readers of the same process are not affected.
func TestServerRestarts(t *testing.T) {
	port, kill := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	a.logs(t, "realtime backplane connected", 1)
	b.logs(t, "realtime backplane connected", 1)
	local := dial(t, a.channel)
	until(t, "snapshot", func() bool { return local.count(t, "snapshot") == 1 })

	halt, halted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(halted)
		for {
			select {
			case <-halt:
				return
			case <-time.After(time.Millisecond):
				_ = publish(a.channel, a.next())
			}
		}
	}()
	var mu sync.Mutex
	var remote []*client // the readers of b, each after the end of the previous one
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			r := dial(t, b.channel)
			mu.Lock()
			remote = append(remote, r)
			mu.Unlock()
			select {
			case <-over:
				return
			case <-r.ended:
			}
		}
	}()
	load := func(updates uint64) {
		from := a.at().Number
		until(t, "updates", func() bool { return a.at().Number >= from+updates })
	}
	for round := range 3 {
		load(300)
		kill()
		a.logs(t, "realtime backplane left", round+1)
		load(200)
		_, kill = natstest.Start(t, port, natstest.Options{})
		a.logs(t, "realtime backplane connected", round+2)
		b.logs(t, "realtime backplane connected", round+2)
	}
	close(halt)
	<-halted
	last := a.at().json()
	until(t, "the last update", func() bool {
		mu.Lock()
		defer mu.Unlock()
		events := remote[len(remote)-1].events(t)
		if updates := named(events, "update"); len(updates) > 0 {
			return updates[len(updates)-1].data == string(last)
		}
		return len(events) > 0 && len(remote) > 1 // one that joined later has it in its snapshot
	})
	close(over)
	<-watched
	for _, r := range remote {
		var before position
		for _, e := range named(r.events(t), "update") {
			at := read(t, e)
			if before.Number != 0 && at.Number != before.Number+1 {
				t.Errorf("%v after %v, with no reconnect between", at, before)
			}
			before = at
		}
	}
	until(t, "the local reader", func() bool { return uint64(local.count(t, "update")) == a.at().Number })
	t.Logf("%d updates, %d remote readers", a.at().Number, len(remote))
	b.stop()
	a.stop()
}

// A process that becomes silent without a goodbye may have lost an update, so the readers of other processes
// reconnect. When a process stops normally, no reader reconnects. A crash of a module's process is reported
// at once.
func TestEndOfAnotherProcess(t *testing.T) {
	port, _ := natstest.Start(t, 0, natstest.Options{})
	url := natsURL("nats", port)
	a, b, c := newProcess(t, url, "one", nil), newProcess(t, url, "one", nil), newProcess(t, url, "one", nil)
	for _, p := range []*process{a, b, c} {
		p.logs(t, "realtime backplane connected", 1)
	}
	reached(t, a, b)
	r := dial(t, b.channel)
	until(t, "snapshot", func() bool { return r.count(t, "snapshot") == 1 })
	before := r.count(t, "update")
	a.stop()
	_ = publish(c.channel, c.next()) // b gets it after a's goodbye
	until(t, "an update behind the farewell, or the stream's end",
		func() bool { return r.count(t, "update") > before || r.count(t, "reconnect") > 0 })
	if r.count(t, "reconnect") != 0 {
		t.Error("a process that stopped in order ended the stream of a reader elsewhere, want it to go on")
	}
	c.hubs.Ended("board", c.restart())
	until(t, "reconnect", func() bool { return r.count(t, "reconnect") == 1 })
	<-r.ended
	b.stop()
	c.stop()
}

// A NATS server that cannot be reached delays neither the start nor the stop nor any reader.
func TestUnreachableServerDelaysNothing(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p := newProcess(t, natsURL("nats", taken.Addr().(*net.TCPAddr).Port), "one", nil)
	r := dial(t, p.channel)
	until(t, "snapshot", func() bool { return r.count(t, "snapshot") == 1 })
	for range 10_000 { // more than the queue holds
		_ = publish(p.channel, p.next())
		if p.number%200 == 0 {
			until(t, "updates", func() bool { return uint64(r.count(t, "update")) == p.number })
		}
	}
	p.stop()
}

// With tls:// nothing is sent to a server whose certificate is not trusted, nor to one without TLS.
func TestTLS(t *testing.T) {
	certificate, key, roots := certify(t)
	secure, _ := natstest.Start(t, 0, natstest.Options{CertFile: certificate, KeyFile: key})
	plain, _ := natstest.Start(t, 0, natstest.Options{})

	a, b := newProcess(t, natsURL("tls", secure), "one", roots),
		newProcess(t, natsURL("tls", secure), "one", roots)
	stranger, stripped := newProcess(t, natsURL("tls", secure), "one", nil),
		newProcess(t, natsURL("tls", plain), "one", roots)
	a.logs(t, "realtime backplane connected", 1)
	b.logs(t, "realtime backplane connected", 1)
	reached(t, a, b)
	for name, p := range map[string]*process{"untrusted": stranger, "stripped": stripped} {
		if p.logged.FilterMessage("realtime backplane connected").Len() != 0 {
			t.Error(name, "is connected")
		}
	}
	for _, p := range []*process{a, b, stranger, stripped} {
		for _, line := range p.logged.All() {
			if text := fmt.Sprint(line.Message, line.ContextMap()); strings.Contains(text, "127.0.0.1") ||
				strings.Contains(text, "word") {
				t.Errorf("logged %v, want neither address nor password", line)
			}
		}
		p.stop()
	}
}

// certify makes a certificate of this machine: the files of it and of its key, and who trusts it.
func certify(t *testing.T) (certFile, keyFile string, roots *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, content []byte) (path string) {
		path = filepath.Join(t.TempDir(), name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("certificate", "CERTIFICATE", der), write("key", "PRIVATE KEY", private), roots
}
