package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// load is the load of people and screens during a soak, with a record of what was acknowledged.
type load struct {
	*check
	victims []string
	people  []*member
	keeps   time.Duration // how long a note is kept

	kills, restarts, updates, streams atomic.Int64

	database sync.RWMutex // locked for writing while PostgreSQL is replaced

	mu             sync.Mutex           // guards the fields below
	responses      map[string]int       // how many requests got a status and code
	notes          map[string]time.Time // acknowledged, but not yet checked in the database
	unacknowledged map[string]bool      // found in the database, but not acknowledged
	confirmed      int                  // number of acknowledged notes that were found in the database
}

// member is one person with the values last acknowledged.
type member struct {
	*person
	email        string
	name, object int // the numbers of the last acknowledged name and object; -1: none
}

// makePeople adds people with the owner's password, each with an address of their own.
func (l *load) makePeople() {
	l.notes, l.unacknowledged = make(map[string]time.Time), make(map[string]bool)
	// The plans are those of a congregation, in which ten people are active.
	_, err := l.query(l.ctx, `INSERT INTO core.person (email, name, email_verified)
		SELECT 'quiet' || n || '@example.org', 'Quiet', true FROM generate_series(1, 600) AS n`)
	l.ok(err, "the other people")
	_, err = l.query(l.ctx, `ANALYZE core.person`)
	l.ok(err, "the statistics of people")
	for n := range soakPeople {
		email := fmt.Sprintf("member%d@example.org", n)
		_, err := l.query(l.ctx, `INSERT INTO core.person (email, name, email_verified, password_hash)
			SELECT $1, 'Member', true, password_hash FROM core.person WHERE email = $2`, email, ownerAddress)
		l.ok(err, "a member")
		m := &member{person: l.visitor(), email: email, name: -1, object: -1}
		from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(n+1))} // the rate limit of sign-ins counts by address
		m.client.Transport.(*http.Transport).DialContext = (&net.Dialer{LocalAddr: from}).DialContext
		m.address = strings.Replace(m.address, "localhost", "127.0.0.1", 1)
		l.people = append(l.people, m)
		l.ok(l.signInMember(m), "the sign-in of a member")
	}
}

func (l *load) signInMember(m *member) error {
	m.cookie = ""
	got := l.ask(l.ctx, m.person, "POST", "/api/auth/sign-in/email",
		map[string]string{"email": m.email, "password": ownerPassword})
	if got.status != http.StatusOK {
		return fmt.Errorf("%v", got)
	}
	m.cookie, _, _ = strings.Cut(got.header.Get("Set-Cookie"), ";")
	return nil
}

// refusals are the responses that the reference promises while a module or the database is unavailable.
func refusals() []string {
	return []string{`503 {"code":"STORE_UNAVAILABLE"}`, `503 {"code":"PRINCIPAL_RESOLUTION_FAILED"}`,
		`503 {"code":"MODULE_UNAVAILABLE"}`, `503 {"code":"MODULE_OVERLOADED"}`,
		`500 {"code":"MODULE_HANDLER_FAILED"}`}
}

// ask sends a request and counts its response. The Origin is the platform's, whatever the client's address.
func (l *load) ask(ctx context.Context, p *person, method, path string, value any) response {
	got := p.doOrigin(ctx, method, path, value, l.address)
	if ctx.Err() != nil {
		return got
	}
	short := strconv.Itoa(got.status)
	if got.err != nil || got.status >= 300 {
		short = got.String()
	}
	l.mu.Lock()
	l.responses[short]++
	l.mu.Unlock()
	signIn := strings.HasPrefix(path, "/api/auth/") && got.status == http.StatusInternalServerError
	if got.err != nil || got.status >= 300 && !slices.Contains(refusals(), short) && !signIn {
		l.wrong("%s %s: %v", method, path, got)
	}
	return got
}

// live simulates one person: reads, writes, files and sometimes a new session.
func (l *load) live(ctx context.Context, m *member) {
	for round := 0; ctx.Err() == nil; round++ {
		for _, path := range []string{"/api/v1/principal", "/api/v1/dashboard/navigation",
			"/api/v1/modules/base/plain", "/api/v1/modules/glutton/look"} {
			l.ask(ctx, m.person, "GET", path, nil)
		}
		l.writeNote(ctx, m)
		if got := l.ask(ctx, m.person, "PUT", "/api/v1/account",
			map[string]string{"name": fmt.Sprintf("Member %d", round)}); got.status == http.StatusOK {
			m.name = round
		}
		victim := l.victims[round%len(l.victims)]
		body := strings.NewReader(strings.Repeat("x", 30_000))
		l.ask(ctx, m.person, "POST", "/api/v1/modules/"+victim+"/slow", body)
		if round%5 == 0 {
			l.writeObject(ctx, m, round)
		}
		if round%60 == 59 {
			if l.ask(ctx, m.person, "POST", "/api/auth/sign-out", nil).status == http.StatusOK {
				for ctx.Err() == nil && l.signInMember(m) != nil {
					pause(ctx, 4*time.Second) // three attempts in 10 s are allowed
				}
			}
		}
		pause(ctx, time.Duration(800+rand.IntN(400))*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (l *load) writeNote(ctx context.Context, m *member) {
	got := l.ask(ctx, m.person, "POST", "/api/v1/modules/board/notes", nil)
	if got.status != http.StatusOK {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unacknowledged[got.body] {
		delete(l.unacknowledged, got.body)
		l.confirmed++
		return
	}
	l.notes[got.body] = time.Now()
}

// objectOf returns the n-th content of a person's object, which is large enough to be spooled to disk.
func objectOf(n int) []byte { return bytes.Repeat([]byte(fmt.Sprintf("%08d", n)), 40_000) }

func (l *load) writeObject(ctx context.Context, m *member, round int) {
	path := "/api/v1/modules/files/objects/" + strings.ReplaceAll(m.email, "@", ".")
	if got := l.ask(ctx, m.person, "PUT", path, bytes.NewReader(objectOf(round))); got.status == http.StatusOK {
		m.object = round
	}
	l.ask(ctx, m.person, "GET", path, nil)
}

// screen reads the board as a screen does: when its stream ends, it reconnects after 2 to 4 s.
func (l *load) screen(ctx context.Context) {
	for ctx.Err() == nil {
		reader, err := l.people[rand.IntN(len(l.people))].subscribe(ctx, "/api/v1/module-realtime/board/notes")
		if err != nil {
			_, said, _ := strings.Cut(err.Error(), "a stream was refused with ")
			if ctx.Err() == nil && !slices.Contains(refusals(), said) && !strings.HasPrefix(said, "401") {
				l.wrong("a screen: %v", err)
			}
		} else {
			l.streams.Add(1)
			kind, _, err := reader.next()
			if err == nil && kind != "snapshot" && kind != "reconnect" {
				l.wrong("a stream begins with %q", kind)
			}
			for ; err == nil; _, _, err = reader.next() {
				l.updates.Add(1)
			}
			reader.close()
		}
		pause(ctx, time.Duration(2000+rand.IntN(2000))*time.Millisecond)
	}
}

// prune checks notes that were acknowledged some time ago, and deletes them, as a module without a history
// would.
func (l *load) prune(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, 5*time.Second)
		l.lookFor(ctx, time.Now().Add(-l.keeps))
	}
}

// lookFor compares the notes acknowledged before an instant with the table, and deletes them there.
func (l *load) lookFor(ctx context.Context, before time.Time) {
	l.database.RLock()
	defer l.database.RUnlock()
	l.mu.Lock()
	old := maps.Clone(l.notes)
	maps.DeleteFunc(old, func(_ string, at time.Time) bool { return at.After(before) })
	l.mu.Unlock()
	highest := 0
	for note := range old {
		n, _ := strconv.Atoi(note)
		highest = max(highest, n)
	}
	if highest == 0 {
		return
	}
	rows, err := l.query(ctx, `DELETE FROM module_board.notes WHERE id <= $1 RETURNING id`, highest)
	if err != nil {
		if ctx.Err() == nil {
			l.wrong("the notes could not be read: %v", err)
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, row := range rows {
		if _, acknowledged := l.notes[row]; acknowledged {
			delete(l.notes, row)
			delete(old, row)
			l.confirmed++
		} else {
			l.unacknowledged[row] = true // refused but done anyway, or about to be acknowledged
		}
	}
	for note := range old {
		delete(l.notes, note)
		l.wrong("the acknowledged note %s is not in the database", note)
	}
}

// replaceDatabase stops PostgreSQL as its own service does, and starts it on the same port.
func (l *load) replaceDatabase() error {
	l.database.Lock()
	defer l.database.Unlock()
	if err := l.postgres.Stop(); err != nil {
		return err
	}
	return l.startDatabase(context.WithoutCancel(l.ctx))
}

// databaseBack waits until the platform is connected to its database again.
func (l *load) databaseBack() error {
	v := l.visitor()
	if !l.within(patience, func() bool { return v.do("GET", "/api/v1/health/ready", nil).status == 200 }) {
		return fmt.Errorf("the platform is not ready")
	}
	return nil
}

// verify checks everything acknowledged that was not checked yet.
func (l *load) verify() {
	l.lookFor(l.ctx, time.Now())
	for _, m := range l.people {
		stored, err := l.query(l.ctx, `SELECT name FROM core.person WHERE email = $1`, m.email)
		l.ok(err, "the names")
		number := -1
		if len(stored) == 1 {
			_, _ = fmt.Sscanf(stored[0], "Member %d", &number)
		}
		if number < m.name {
			l.wrong("the name %d of %s was acknowledged, the database has %v", m.name, m.email, stored)
		}
		if m.object < 0 {
			continue
		}
		got := m.do("GET", "/api/v1/modules/files/objects/"+strings.ReplaceAll(m.email, "@", "."), nil)
		if got.status == http.StatusUnauthorized { // between sign-out and sign-in
			continue
		}
		first, _ := strconv.Atoi(strings.TrimLeft(got.body[:min(8, len(got.body))], "0"))
		if got.status != 200 || first < m.object || got.body != string(objectOf(first)) {
			l.wrong("the object %d of %s was acknowledged, the storage has %d %.16s", m.object, m.email, got.status,
				got.body)
		}
	}
}

// report adds a summary of the load to the report.
func (l *load) report() {
	l.saw("%d modules killed, PostgreSQL restarted %d times, %d streams with %d events", l.kills.Load(),
		l.restarts.Load(), l.streams.Load(), l.updates.Load())
	l.saw("%d acknowledged notes found, %d rows of refused writes; the last names and objects of %d people",
		l.confirmed, len(l.unacknowledged), len(l.people))
	l.saw("responses:\n%s", summary(l.responses))
}
