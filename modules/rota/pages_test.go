package main

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/narthex-platform/narthex/modulehost/sdktest"
)

// fill makes 300 volunteers, and weekly services from this many weeks ago to this many from now, each with
// twelve duties.
func (f *fixture) fill(before, after int) {
	f.t.Helper()
	f.services = nil
	var ids []string
	begin := time.Now().UTC().Truncate(24 * time.Hour).Add(10 * time.Hour)
	for n := -before; n < after; n++ {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", n+10_000)
		ids = append(ids, id)
		f.services = append(f.services, service{id, "Morning service", begin.AddDate(0, 0, 7*n+1)})
	}
	for _, sql := range []string{`
		INSERT INTO volunteers (label, email, language, digest)
		SELECT 'Volunteer Number ' || n, 'volunteer' || n || '@church.example.org', '', false
		FROM generate_series(1, 300) AS n
		WHERE (SELECT count(*) FROM volunteers) < 300`, `
		INSERT INTO volunteer_roles
		SELECT v.id, r.id FROM volunteers AS v, roles AS r
		ON CONFLICT DO NOTHING`} {
		if _, err := f.rota.db.Exec(f.t.Context(), sql); err != nil {
			f.t.Fatal(err)
		}
	}
	if _, err := f.rota.db.Exec(f.t.Context(), `
		INSERT INTO assignments (service_ref, role_id, volunteer_id, status)
		SELECT s.id, r.id, v.id, 'yes'
		FROM unnest($1::text[]) WITH ORDINALITY AS s (id, n), roles AS r,
			LATERAL (
				SELECT id FROM (SELECT id, row_number() OVER (ORDER BY label) AS place FROM volunteers) AS all_of
				WHERE (place + 6 * s.n) % 300 < 6 OR place = 1 AND s.n % 2 = 0) AS v
		ON CONFLICT DO NOTHING`, ids); err != nil {
		f.t.Fatal(err)
	}
	for _, table := range []string{"volunteers", "volunteer_roles", "away", "assignments", "roles"} {
		if _, err := f.rota.db.Exec(f.t.Context(), "ANALYZE "+table); err != nil {
			f.t.Fatal(err)
		}
	}
}

// TestReadsAskLittle counts what own duties and the board ask for, with six weeks and with three years of
// services.
func TestReadsAskLittle(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	member := f.Person(readOwn)
	f.fill(0, 6)
	f.rota.fresh = time.Hour
	if _, err := f.rota.db.Exec(t.Context(), `
		UPDATE volunteers SET user_id = $1 WHERE label = 'Volunteer Number 1'`, member.ID); err != nil {
		t.Fatal(err)
	}
	var few, many [2]float64
	f.do(member, "GET", "/mine", nil, http.StatusOK) // follows the services
	read := func(rows *[2]float64) {
		for n, page := range []struct {
			by           *sdktest.Caller
			path         string
			capabilities map[string]int
		}{{member, "/mine", nil}, {f.office, "/board", map[string]int{"stage.services": 1,
			"announcements.slides": 1}}} {
			calls := f.Count(func() { f.do(page.by, "GET", page.path, nil, http.StatusOK) })
			if calls.Statements > 3 || calls.Exchanges != 1 || !maps.Equal(calls.Capabilities, page.capabilities) {
				t.Errorf("%s asked for %+v, want three statements in one exchange, and the capabilities %v",
					page.path, calls, page.capabilities)
			}
			for _, plan := range f.Plans(calls) {
				rows[n] += plan.ReadAll()
			}
		}
	}
	read(&few)
	f.fill(3*52, 6)
	for range 2 { // the first one has to know the services
		if err := f.rota.keepFollowing(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read(&many)
	t.Logf("rows read for own duties and the board: %v with six weeks, %v with three years", few, many)
	// The board has the last month, too. Small tables are read whole, and PostgreSQL counts each row that it
	// looks up in a large one: the names of those who serve in the same services.
	if many[0] > few[0]*2 || many[1] > few[1]*2 {
		t.Errorf("own duties and the board read %v rows, and %v with six weeks", many, few)
	}
}

// TestOwnDutiesFollow: own duties have the services as they are, ask for them again only after a while, and
// are shown also when the module that plans services does not answer.
func TestOwnDutiesFollow(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	member := f.member(reader)
	f.set(f.assign("service-1", "Reader", reader).ID, statusYes, 1)
	title := func() string {
		var mine myDates
		f.do(member, "GET", "/mine", nil, http.StatusOK).JSON(&mine)
		if len(mine.Dates) != 1 {
			t.Fatalf("own duties are %+v, want one", mine.Dates)
		}
		return mine.Dates[0].Service.Title
	}
	rename := func(to string) { f.replan(func() { f.services[0].Title = to }) }
	rename("Evening service")
	if got := title(); got != "Evening service" {
		t.Errorf("after a change own duties have %q", got)
	}
	f.rota.fresh = time.Hour
	rename("Late service")
	if got := title(); got != "Evening service" {
		t.Errorf("own duties have %q, want them to wait for the next look", got)
	}
	f.rota.fresh, f.silent = 0, true
	if got := title(); got != "Evening service" {
		t.Errorf("without an answer own duties have %q", got)
	}
	f.silent = false
	f.rota.following <- struct{}{} // somebody else is looking
	if got := title(); got != "Evening service" {
		t.Errorf("while somebody looks own duties have %q, want them not to wait", got)
	}
	f.rota.following.Leave()
	if got := title(); got != "Late service" {
		t.Errorf("at last own duties have %q", got)
	}
}

// TestBoardOnTheWire is about a board of 300 volunteers and a year of services.
func TestBoardOnTheWire(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	f.fill(8, 44)
	request := f.office.Request("GET", "/board", nil)
	request.Header.Set("Accept-Encoding", "gzip")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	answer := f.office.Send(request)
	if answer.Header.Get("Content-Encoding") != "gzip" || len(answer.Body) > 40<<10 {
		t.Errorf("the board has %d bytes on the wire (%q), want 40 KiB at most, compressed", len(answer.Body),
			answer.Header.Get("Content-Encoding"))
	}
	head := f.office.Subscribe(boardChannel).Body
	if len(head) > 256 {
		t.Errorf("each reconnect gets %d bytes, %.100s…; want 256 at most", len(head), head)
	}
	t.Logf("the board has %d bytes on the wire, and its stream begins with %d", len(answer.Body), len(head))
}

// TestBoardHead: whoever reads the board between a snapshot and an update of its stream has what the update
// tells, and knows that. Changes that are no updates change what the snapshot says of other modules.
func TestBoardHead(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	reader := f.volunteer("Reader 1", "Reader")
	follower := f.office.Subscribe(boardChannel)
	var before head
	follower.JSON(&before)
	f.assign("service-1", "Reader", reader)
	b := f.board()
	if u := updateOf(t, follower); b.Rev != before.Rev+1 || u.Rev != b.Rev || len(f.assigned()) != 1 {
		t.Errorf("after the snapshot with rev %d the board has rev %d and the update %d, want one more in both",
			before.Rev, b.Rev, u.Rev)
	}
	if b.Outside != before.Outside {
		t.Errorf("an assignment changed what is outside: %q, before it %q", b.Outside, before.Outside)
	}
	f.services = append(f.services, service{"service-4", "Evening service", f.services[2].Start})
	after := f.board()
	if after.Rev != b.Rev || after.Outside == b.Outside {
		t.Errorf("with another service the board has rev %d and outside %q, want another than %q", after.Rev,
			after.Outside, b.Outside)
	}
}

// TestBoardsShareALook: boards within a while are made with one look at other modules, but none is older than
// what its reader's stream said, or than a change of the board itself.
func TestBoardsShareALook(t *testing.T) {
	t.Parallel()
	f := newFixture(t, nil)
	title := func(query string) (string, board) {
		var b board
		f.do(f.office, "GET", "/board"+query, nil, http.StatusOK).JSON(&b)
		if len(b.Weeks) == 0 {
			t.Fatalf("the board is %+v, want it to have services", b)
		}
		return b.Weeks[0].Services[0].Title, b
	}
	f.rota.fresh = time.Hour
	rename := func(to string) { f.replan(func() { f.services[0].Title = to }) }
	rename("Morning service")
	for range 2 { // the first one does not know whether the board changed meanwhile
		title("")
	}
	rename("Evening service")
	looks := f.Count(func() {
		if got, _ := title(""); got != "Morning service" {
			t.Errorf("the next board has %q, want it to share the look before it", got)
		}
	})
	if len(looks.Capabilities) != 0 {
		t.Errorf("the next board asked %v", looks.Capabilities)
	}
	got, b := title("?outside=another")
	if got != "Evening service" {
		t.Errorf("a reader who knows of something newer got %q", got)
	}
	rename("Late service")
	if got, _ := title("?outside=" + b.Outside); got != "Evening service" {
		t.Errorf("a reader who knows of nothing newer got %q", got)
	}
	f.volunteer("Reader 1", "Reader")
	if got, _ := title(""); got != "Late service" {
		t.Errorf("after a change of the board it has %q", got)
	}
	f.rota.fresh, f.silent = time.Hour, true
	f.volunteer("Reader 2", "Reader")
	for range 2 {
		f.do(f.office, "GET", "/board", nil, http.StatusOK)
	}
	f.silent = false
	if got, _ := title(""); got != "Late service" {
		t.Errorf("after a board without an answer it has %q", got)
	}
}
