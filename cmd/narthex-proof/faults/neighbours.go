package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// neighbourFaults are faults of the mail server, the object storage and NATS. Everything that does not need
// them must continue.
func neighbourFaults() []fault {
	mail := func(name, done string, how way, outcomes ...string) fault {
		return fault{name: "neighbours/mail-" + name, done: "the mail server " + done, run: func(c *check) {
			mailFault(c, how, outcomes)
		}, place: placeOptions{notStarted: true}, expected: "an email of a module: " +
			strings.Join(outcomes, " or ") + "; a request for a reset link gets 200 at once, and the log says " +
			"\"mail not sent\"; then SENT"}
	}
	storage := func(name, done string, how way, codes ...string) fault {
		return fault{name: "neighbours/storage-" + name, done: "the object storage " + done, run: func(c *check) {
			storageFault(c, how, codes)
		}, place: placeOptions{notStarted: true}, expected: "a module gets " + strings.Join(codes, " or ") +
			" within its 15 s, others notice nothing; then it can store and read again"}
	}
	nats := func(name, done string, noticed bool, inject func(*check, *natsAway)) fault {
		expected := "readers of this process get every update all along; NATS is used again once it is back"
		if noticed {
			expected = "it is noticed; " + expected
		}
		return fault{name: "neighbours/nats-" + name, done: "NATS " + done, run: func(c *check) {
			natsFault(c, noticed, inject)
		}, place: placeOptions{notStarted: true}, expected: expected}
	}
	return []fault{
		mail("down", "is down", refuses, "CONNECTION_FAILED"),
		mail("hanging", "takes connections and says nothing", silent, "TIMEOUT"),
		mail("resets", "resets every connection", resets, "CONNECTION_FAILED"),
		mail("slow", "sends a byte a second", trickles, "TIMEOUT"),
		mail("lying", "sends nonsense", garbles, "CONNECTION_FAILED", "REJECTED"),
		storage("down", "is down", refuses, "UNAVAILABLE"),
		storage("hanging", "takes connections and says nothing", silent, "TIMEOUT"),
		storage("resets", "resets every connection", resets, "UNAVAILABLE"),
		storage("slow", "sends 10 bytes a second", trickles, "TIMEOUT"),
		storage("lying", "sends nonsense", garbles, "UNAVAILABLE"),
		{name: "neighbours/storage-portal", done: "another server sends 200 and HTML in the storage's place",
			expected: "a module gets UNAVAILABLE: no upload succeeds that is not stored",
			place:    placeOptions{notStarted: true}, run: storagePortal},
		nats("killed", "is killed", true, func(c *check, n *natsAway) {
			n.server.kill()
			n.back = func() { c.ok(n.start(), "NATS") }
		}),
		nats("frozen", "is frozen (SIGSTOP)", true, func(_ *check, n *natsAway) {
			n.server.signal(syscall.SIGSTOP)
			n.back = func() { n.server.signal(syscall.SIGCONT) }
		}),
		nats("slow", "sends 10 bytes a second", false, natsWay(trickles)),
		nats("half-open", "drops everything (half-open)", true, natsWay(silent)),
		nats("lying", "sends nonsense", true, natsWay(garbles)),
		{name: "neighbours/nats-absent", done: "NATS is not there at the start", run: natsAbsent,
			place:    placeOptions{notStarted: true},
			expected: "the platform starts and serves; NATS is used once it is there"},
	}
}

func mailFault(c *check, how way, outcomes []string) {
	server, err := newMailServer()
	c.ok(err, "the mail server")
	c.cleanup(server.close)
	between, err := newTCPProxy(server.address)
	c.ok(err, "the proxy")
	c.cleanup(between.close)
	host, port, _ := net.SplitHostPort(between.address)
	c.environment["SERVICE_SMTP_HOST"], c.environment["SERVICE_SMTP_PORT"] = host, port
	c.environment["SERVICE_SMTP_SECURITY"] = "plaintext"
	c.environment["SERVICE_SMTP_FROM"] = "Church office <office@church.example.org>"
	c.ok(c.start(c.ctx), "the start")
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	send := func() (response, string) {
		got := owner.do("POST", "/api/v1/modules/files/mail/guest@example.org", nil)
		return got, strings.Trim(strings.TrimSpace(got.body), `"`)
	}
	if _, outcome := send(); outcome != "SENT" {
		c.fatal("before: %s", outcome)
	}
	between.slowness.Store(int64(time.Second))
	c.ok(between.set(how), "the proxy")
	got, outcome := send()
	c.saw("an email of a module: %s after %.1f s", outcome, got.took.Seconds())
	if !slices.Contains(outcomes, outcome) {
		c.wrong("an email of a module: %v, want %v", got, outcomes)
	}
	reset := c.visitor().do("POST", "/api/auth/request-password-reset", map[string]string{"email": ownerAddress})
	if reset.status != 200 || reset.took > 5*time.Second {
		c.wrong("a request for a reset link: %v after %v, want 200 at once", reset, reset.took)
	}
	if !c.within(patience, func() bool { return strings.Contains(c.daemon.log.String(), `"mail not sent"`) }) {
		c.wrong("the log does not say \"mail not sent\"")
	}
	c.saw("a request for a reset link: %d after %.1f s, the log says \"mail not sent\"", reset.status,
		reset.took.Seconds())
	emails := server.emails.Load()
	c.ok(between.set(passes), "the proxy")
	if _, outcome := send(); outcome != "SENT" || server.emails.Load() <= emails {
		c.wrong("afterwards: %s", outcome)
	}
}

const objectPath = "/api/v1/modules/files/objects/"

// codeOf returns the storage's code in a module's response.
func codeOf(got response) string {
	if got.err != nil || got.status == 200 {
		return got.String()
	}
	return strings.Trim(strings.TrimSpace(got.body), `"`)
}

func storageFault(c *check, how way, codes []string) {
	between, err := newTCPProxy(c.kit.storage.Address)
	c.ok(err, "the proxy")
	c.cleanup(between.close)
	c.environment["OBJECT_STORAGE_ENDPOINT"] = "http://" + between.address
	c.ok(c.start(c.ctx), "the start")
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	key, content := filepath.Base(c.folder), bytes.Repeat([]byte("x"), 200_000)
	if got := owner.do("PUT", objectPath+key, bytes.NewReader(content)); got.status != 200 {
		c.fatal("before: %v", got)
	}
	c.ok(between.set(how), "the proxy")
	for method, value := range map[string]any{"PUT": bytes.NewReader([]byte("another")), "GET": nil} {
		got := owner.do(method, objectPath+key, value)
		c.saw("%s: %s after %.1f s", method, codeOf(got), got.took.Seconds())
		if !slices.Contains(codes, codeOf(got)) || got.took > 20*time.Second { // 5 s more for a busy machine
			c.wrong("%s: %v after %.0f s, want %v within 15 s", method, got, got.took.Seconds(), codes)
		}
	}
	c.ok(between.set(passes), "the proxy")
	stored := owner.do("GET", objectPath+key, nil)
	if stored.body != string(content) && stored.body != "another" {
		c.wrong("afterwards the object is neither the old nor the new one: %v", stored)
	}
	if got := owner.do("PUT", objectPath+key+"2", bytes.NewReader(content)); got.status != 200 {
		c.wrong("afterwards: %v", got)
	}
}

func storagePortal(c *check) {
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in to the guest network</title>")
	}))
	c.cleanup(portal.Close)
	c.environment["OBJECT_STORAGE_ENDPOINT"] = portal.URL
	if err := c.start(c.ctx); err != nil { // also allowed: it does not start with such a storage
		c.saw("the platform does not start: %v", err)
		return
	}
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	got := owner.do("PUT", objectPath+"portal", bytes.NewReader([]byte("kept?")))
	c.saw("PUT: %v", got)
	if got.status == 200 {
		c.wrong("PUT: %v, though nothing is stored", got)
	}
}

// natsAway is a NATS server and the proxy in front of it.
type natsAway struct {
	port    int
	server  *process
	between *tcpProxy
	back    func()
}

func (n *natsAway) start() (err error) {
	n.server, err = startNATS(n.port)
	return err
}

// useNATS starts a server and configures the installation for it.
func (c *check) useNATS() *natsAway {
	port, err := freePort()
	c.ok(err, "a port")
	n := &natsAway{port: port}
	c.ok(n.start(), "NATS")
	c.cleanup(func() { n.server.kill() })
	n.between, err = newTCPProxy(net.JoinHostPort("127.0.0.1", portText(port)))
	c.ok(err, "the proxy")
	c.cleanup(n.between.close)
	c.environment["SERVICE_REALTIME_NATS_URL"] = "nats://" + n.between.address
	return n
}

func natsWay(how way) func(*check, *natsAway) {
	return func(c *check, n *natsAway) {
		c.ok(n.between.set(how), "the proxy")
		n.back = func() { c.ok(n.between.set(passes), "the proxy") }
	}
}

// natsFault makes NATS fail. A failure that the platform has to notice lasts until it has been noticed;
// otherwise there would be no reconnect to check.
func natsFault(c *check, noticed bool, inject func(*check, *natsAway)) {
	n := c.useNATS()
	c.ok(c.start(c.ctx), "the start")
	c.eventually("NATS is connected", func() bool { return c.usesNATS(c.place) })
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	inject(c, n)
	const updates = 30
	took := c.tellOnce(owner, owner, updates)
	c.saw("%d updates reached a reader of this process, the slowest write took %.2f s", updates, took.Seconds())
	// An update that waited for NATS would wait for a PONG of 6 bytes. Otherwise there is one every 5 s.
	if said := n.between.trickled.Load(); said > updates*6/2 {
		c.wrong("NATS said %d bytes meanwhile: updates wait for it", said)
	}
	if noticed {
		c.eventually("it is noticed that NATS is away", func() bool { return !c.usesNATS(c.place) })
		pause(c.ctx, 5*time.Second) // attempts to connect, one a second, fail
		c.tellOnce(owner, owner, 5)
	}
	n.back()
	c.eventually("NATS is used again", func() bool { return c.usesNATS(c.place) })
	c.tellOnce(owner, owner, 5)
	c.saw("NATS is used again")
}

// usesNATS reports whether a process is connected to NATS.
func (c *check) usesNATS(p *place) bool { return p.metric(c.ctx, "narthex_backplane_connected") == 1 }

// tellOnce writes notes one after another; each has to reach a reader before the next one is written. A
// reader whose stream ends reconnects, as screens do, and may get a note in its snapshot. It returns the
// duration of the slowest write.
func (c *check) tellOnce(writer, reader *person, notes int) (slowest time.Duration) {
	r := &follower{check: c, person: reader}
	defer r.leave()
	r.openStream()
	for range notes {
		got := writer.do("POST", "/api/v1/modules/board/notes", nil)
		slowest = max(slowest, got.took)
		if got.status != 200 {
			c.fatal("a write: %v", got)
		}
		c.confirmed.Add(1)
		r.await(got.body)
	}
	return slowest
}

// follower is a reader of the board that reconnects when its stream ends.
type follower struct {
	*check
	*person
	stream *stream
	timer  *time.Timer
	notes  []int // of its last snapshot
}

// openStream opens a stream and reads its snapshot.
func (r *follower) openStream() {
	var err error
	r.eventually("a reader is let in", func() bool {
		r.stream, err = r.subscribe(r.ctx, "/api/v1/module-realtime/board/notes")
		return err == nil
	})
	r.timer = time.AfterFunc(patience, r.stream.stop)
	kind, data, err := r.stream.next()
	if err != nil || kind != "snapshot" || json.Unmarshal([]byte(data), &r.notes) != nil {
		r.leave()
		r.fatal("a stream begins with %q %.100q, %v", kind, data, err)
	}
}

func (r *follower) leave() {
	if r.stream != nil {
		r.timer.Stop()
		r.stream.close()
		r.stream = nil
	}
}

// await reads until the reader has a note.
func (r *follower) await(note string) {
	number, _ := strconv.Atoi(note)
	for tries := 0; ; {
		_, data, err := r.stream.next()
		if err == nil && data != note {
			continue
		}
		if err == nil {
			return
		}
		if tries++; tries > 5 || r.ctx.Err() != nil {
			r.fatal("the reader does not learn of %s: %v", note, err)
		}
		r.leave()
		pause(r.ctx, 2*time.Second) // the value of "retry"
		r.openStream()
		if slices.Contains(r.notes, number) {
			return
		}
	}
}

func natsAbsent(c *check) {
	n := c.useNATS()
	n.server.kill()
	c.ok(n.between.set(refuses), "the proxy")
	c.ok(c.start(c.ctx), "the start without NATS")
	owner := c.owner()
	c.watch(owner, usualPaths()...)
	c.tellOnce(owner, owner, 5)
	c.saw("it starts, and readers of this process get updates")
	c.ok(n.start(), "NATS")
	c.ok(n.between.set(passes), "the proxy")
	c.eventually("NATS is used", func() bool { return c.usesNATS(c.place) })
	c.saw("NATS is used once it is there")
}
