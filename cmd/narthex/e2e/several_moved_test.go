package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/narthex-platform/narthex/services/porttest"
)

// movedHouse is a house of two processes without NATS, in which a service is planned.
type movedHouse struct {
	t         *testing.T
	i         *installation
	pool      *pgxpool.Pool
	owner     *person
	processes []*replica
	box       *holdingBox
	service   string
	readers   []string
}

// TestMovedServiceAndKills: a service is moved by a week. One of two processes is killed while it notes whom
// to tell, and one while the mail server has a mail of it that it did not accept yet. Every person who was
// asked hears of the move once, the stage, the calendar and the rota agree in both processes, and after the
// undo everything is as it was.
func TestMovedServiceAndKills(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the platform four times")
	}
	t.Parallel()
	h := startMovedHouse(t)
	start := time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 7)
	later := start.AddDate(0, 0, 7)
	h.plan(start)
	h.box.holdAfter(len(h.readers) / 2)
	h.killWhileNoting(0, func() { h.move(0, later, 1) })
	h.lookAtBoards()
	victim := <-h.box.holding
	h.kill(victim)
	h.makeMailsDue()
	eventually(t, "the other process has sent everything else", func() bool {
		return h.count(`SELECT count(*) FROM module_rota.mail_log WHERE outcome IS NULL`) == 1
	})
	h.processes[victim].daemon = h.processes[victim].start(t)
	h.exec(`UPDATE module_rota.mail_log SET claimed_at = now() - interval '3 minutes' WHERE outcome IS NULL`)
	h.runMails()
	h.assertHeard(1)
	h.assertPlan(later, `status = 'open' AND agreed = '`+start.Format(time.RFC3339)+`'`)

	h.move(victim, start, 2)
	h.lookAtBoards()
	h.assertPlan(start, `status = 'yes' AND agreed IS NULL`)
	h.runMails()
	h.assertHeard(1) // the next mail is due in an hour
	h.exec(`UPDATE module_rota.mail_log SET queued_at = queued_at - interval '61 minutes'`)
	h.runMails()
	h.assertHeard(2)
	if news := h.count(`SELECT count(*) FROM module_rota.news`); news != 2 {
		t.Errorf("%d pieces of news, want one of the move and one of the undo", news)
	}
}

func startMovedHouse(t *testing.T) *movedHouse {
	t.Helper()
	i := install(t, "calendar", "stage", "rota")
	h := &movedHouse{t: t, i: i, pool: i.db.Pool(t), box: i.holdingBox(t)}
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	var addresses []string
	for range 2 {
		addresses = append(addresses, "http://localhost:"+strconv.Itoa(porttest.Free(t)))
	}
	i.environment["SERVICE_IDENTITY_TRUSTED_ORIGINS"] = strings.Join(addresses, ",")
	for n, address := range addresses {
		one := &installation{db: i.db, address: address, environment: maps.Clone(i.environment)}
		_, one.environment["SERVICE_API_PORT"], _ = strings.Cut(strings.TrimPrefix(address, "http://"), ":")
		one.environment["SERVICE_SMTP_HELO_NAME"] = processName(n)
		h.processes = append(h.processes, &replica{installation: one, daemon: one.start(t)})
	}
	h.owner = h.processes[0].signIn(t, ownerAddress, ownerPassword)
	return h
}

// stamp is the format of times in requests.
const stamp = "2006-01-02T15:04:05.000Z"

// processName is how a process presents itself to the mail server.
func processName(n int) string { return fmt.Sprintf("process%d.example.org", n) }

// at returns the owner, who asks another process.
func (h *movedHouse) at(n int) *person {
	one := *h.owner
	one.address = h.processes[n].address
	return &one
}

func (h *movedHouse) kill(n int) {
	h.t.Helper()
	h.processes[n].daemon.signal(h.t, syscall.SIGKILL)
	<-h.processes[n].daemon.ended
}

func (h *movedHouse) exec(sql string, arguments ...any) {
	h.t.Helper()
	h.i.db.Exec(h.t, sql, arguments...)
}

func (h *movedHouse) count(sql string) (n int) {
	h.t.Helper()
	if err := h.pool.QueryRow(h.t.Context(), sql).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

// plan makes a service for which eleven people have said yes. The twelfth coordinates.
func (h *movedHouse) plan(start time.Time) {
	h.t.Helper()
	service := h.owner.create(h.t, 201, "/api/v1/modules/stage/services",
		object{"title": "Morning service", "startsAt": start.Format(stamp)})
	h.service = service["id"].(string)
	h.exec(`
		WITH role AS (INSERT INTO module_rota.roles (name, position) VALUES ('Welcome', 1) RETURNING id),
		     volunteers AS (
			INSERT INTO module_rota.volunteers (label, email, language, digest)
			SELECT 'Volunteer ' || n, 'volunteer' || n || '@example.org', 'en', n = 12
			FROM generate_series(1, 12) AS n
			RETURNING id, digest)
		INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
		SELECT $1, role.id, volunteers.id, 'yes' FROM role, volunteers WHERE NOT digest`, h.service)
	h.readers = h.i.column(h.t, `SELECT email FROM module_rota.volunteers`)
	h.exec(`UPDATE core.module_schedule SET due_at = now() WHERE module_id = 'rota' AND name = 'services'`)
	eventually(h.t, "the rota knows when the service is", func() bool {
		return h.count(`SELECT count(*) FROM module_rota.known_services`) == 1
	})
	h.assertPlan(start, `status = 'yes' AND agreed IS NULL`)
}

func (h *movedHouse) move(n int, to time.Time, rev int) {
	h.t.Helper()
	got := h.at(n).do("PUT", "/api/v1/modules/stage/services/"+h.service,
		object{"title": "Morning service", "startsAt": to.Format(stamp), "rev": rev})
	if got.status != http.StatusOK {
		h.t.Fatalf("PUT the service: status %d, want 200; body %s", got.status, got.body)
	}
}

// lookAtBoards reads the rota's board in both processes at once, which follow the service then.
func (h *movedHouse) lookAtBoards() {
	h.t.Helper()
	var both sync.WaitGroup
	for n := range h.processes {
		both.Go(func() {
			got, err := h.at(n).doContext(h.t.Context(), "GET", "/api/v1/modules/rota/board", nil)
			if err != nil || got.status != http.StatusOK {
				// the process may be killed meanwhile, which other lines check
				h.t.Logf("GET the board of process %d: status %d, error %v", n, got.status, err)
			}
		})
	}
	both.Wait()
}

// killWhileNoting makes a change, kills a process in the transaction in which it notes that, and starts it
// again.
func (h *movedHouse) killWhileNoting(n int, change func()) {
	h.t.Helper()
	tx, err := h.pool.Begin(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for _, statement := range []string{`SET LOCAL idle_in_transaction_session_timeout = 0`,
		`SELECT FROM module_rota.board FOR UPDATE`} { // the first lock of every change of the rota
		if _, err := tx.Exec(h.t.Context(), statement); err != nil {
			h.t.Fatal(err)
		}
	}
	change()
	answered := make(chan int, 1)
	go func() {
		got, _ := h.at(n).doContext(h.t.Context(), "GET", "/api/v1/modules/rota/board", nil)
		answered <- got.status
	}()
	eventually(h.t, "it waits for its turn", func() bool {
		return h.count(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
	})
	h.kill(n)
	if status := <-answered; status != 0 {
		h.t.Errorf("the killed process answered %d, so it was not killed in the middle", status)
	}
	if err := tx.Rollback(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	h.processes[n].daemon = h.processes[n].start(h.t)
}

// makeMailsDue makes the schedule of the rota's mails due, also if a killed process has claimed its run.
func (h *movedHouse) makeMailsDue() {
	h.t.Helper()
	h.exec(`UPDATE core.module_schedule SET due_at = now() - interval '1 second', free_at = now()
		WHERE module_id = 'rota' AND name = 'mails'`)
}

// runMails makes that schedule due, and waits for its run and for the mails.
func (h *movedHouse) runMails() {
	h.t.Helper()
	h.makeMailsDue()
	eventually(h.t, "the mails are looked through, and sent", func() bool {
		return h.count(`
			SELECT (SELECT count(*) FROM core.module_schedule
			        WHERE module_id = 'rota' AND name = 'mails' AND (due_at <= now() OR tries > 0)) +
			       (SELECT count(*) FROM module_rota.mail_log WHERE outcome IS NULL)`) == 0
	})
}

// assertHeard checks how many mails came to each person.
func (h *movedHouse) assertHeard(want int) {
	h.t.Helper()
	heard := h.box.heard()
	for _, reader := range h.readers {
		if heard[reader] != want {
			h.t.Errorf("%d mails came to %s, want %d", heard[reader], reader, want)
		}
	}
}

// assertPlan checks that every module has the service at its time, in both processes, and every answer.
func (h *movedHouse) assertPlan(start time.Time, answers string) {
	h.t.Helper()
	if n := h.count(`SELECT count(*) FROM module_rota.assignments WHERE ` + answers); n != len(h.readers)-1 {
		h.t.Errorf("%d answers are %s, want %d", n, answers, len(h.readers)-1)
	}
	day := func(days int) string { return start.AddDate(0, 0, days).Format(time.DateOnly) }
	for n := range h.processes {
		for _, path := range []string{"stage/services", "rota/board",
			"calendar/occurrences?from=" + day(-14) + "&to=" + day(14)} {
			// a module that does not answer in time shows what it knew, and asks again
			eventually(h.t, fmt.Sprintf("GET %s of process %d has one service at %s", path, n, start), func() bool {
				starts := startsIn(h.at(n).do("GET", "/api/v1/modules/"+path, nil).body)
				return len(starts) == 1 && starts[0].Equal(start)
			})
		}
	}
}

// startsIn returns when the services of a page begin.
func startsIn(body string) (starts []time.Time) {
	type service struct{ Start, StartsAt string }
	var page struct {
		Services    json.RawMessage // the calendar's is a word
		Occurrences []service
		Weeks       []struct{ Services []service }
	}
	if json.Unmarshal([]byte(body), &page) != nil {
		return nil
	}
	var all []service
	_ = json.Unmarshal(page.Services, &all)
	all = append(all, page.Occurrences...)
	for _, week := range page.Weeks {
		all = append(all, week.Services...)
	}
	for _, s := range all {
		at, _ := time.Parse(time.RFC3339, cmp.Or(s.StartsAt, s.Start))
		starts = append(starts, at)
	}
	return starts
}

// holdingBox is a mail server that counts the mails it accepted, and can keep one from being accepted until
// its sender is gone.
type holdingBox struct {
	holding chan int // the process whose mail is held

	mu       sync.Mutex
	left     int // mails before the held one; below 0: none is held
	accepted map[string]int
}

func (i *installation) holdingBox(t *testing.T) *holdingBox {
	t.Helper()
	box := &holdingBox{holding: make(chan int, 1), left: -1, accepted: make(map[string]int)}
	i.mailServer(t, func(c *smtp.Conn) (smtp.Session, error) { return &holdingSession{box: box, conn: c}, nil })
	return box
}

func (b *holdingBox) holdAfter(mails int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = mails
}

func (b *holdingBox) heard() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.accepted)
}

type holdingSession struct {
	box  *holdingBox
	conn *smtp.Conn
	to   string
}

func (s *holdingSession) Reset()                               {}
func (s *holdingSession) Logout() error                        { return nil }
func (s *holdingSession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *holdingSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return nil
}

func (s *holdingSession) Data(r io.Reader) error {
	if _, err := io.ReadAll(r); err != nil {
		return err
	}
	s.box.mu.Lock()
	held := s.box.left == 0
	s.box.left = max(-1, s.box.left-1)
	if !held {
		s.box.accepted[s.to]++
	}
	s.box.mu.Unlock()
	if !held {
		return nil
	}
	process := 0
	if s.conn.Hostname() == processName(1) {
		process = 1
	}
	s.box.holding <- process
	// the sender waits for an answer, so nothing comes before the end of the connection
	if _, err := s.conn.Conn().Read(make([]byte, 1)); err != nil {
		return err
	}
	return net.ErrClosed
}
