package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// onceOnly holds everything that several processes could do twice: runs of a schedule, pairings of screens,
// acceptances of invitations, reminders, and the emails for these.
type onceOnly struct {
	t    *testing.T
	i    *installation
	box  *mailbox
	pool *pgxpool.Pool

	due      int // runs of the schedule that became due and were made
	released int // claims that ended because their process was killed
	repeated int // those of them whose run had done its work
	victim   int // the process id of the module in the killed process

	mu                sync.Mutex
	flows             map[string]bool // a screen's label or a guest's address → every request got a response
	emailsByRecipient map[string]int  // recipient → number of emails
	tokens            map[string]string
}

const volunteers = 12 // who get reminders

// prepareOnceOnly must be called before the processes start.
func prepareOnceOnly(t *testing.T, i *installation) *onceOnly {
	t.Helper()
	o := &onceOnly{t: t, i: i, box: i.mailbox(t), pool: i.db.Pool(t), flows: make(map[string]bool),
		emailsByRecipient: make(map[string]int), tokens: make(map[string]string)}
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org'),
		('rota', 'remindDaysBefore', '14')`)
	return o
}

// begin plans a service for which reminders are due, and makes the runs of the schedule take some time.
func (o *onceOnly) begin(owner *person) {
	o.t.Helper()
	o.i.db.Exec(o.t, `UPDATE module_regular.behaviour SET name = 'lasts'`)
	starts := time.Now().UTC().AddDate(0, 0, 7).Format("2006-01-02T15:04:05.000Z")
	service := owner.create(o.t, 201, "/api/v1/modules/stage/services",
		object{"title": "A service", "startsAt": starts})
	o.i.db.Exec(o.t, `
		WITH role AS (INSERT INTO module_rota.roles (name, position) VALUES ('Welcome', 1) RETURNING id),
		     volunteers AS (
			INSERT INTO module_rota.volunteers (label, email, language, digest)
			SELECT 'Volunteer ' || n, 'volunteer' || n || '@example.org', 'en', false
			FROM generate_series(1, $2::int) AS n
			RETURNING id)
		INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
		SELECT $1, role.id, volunteers.id, 'yes' FROM role, volunteers`, service["id"], volunteers)
}

// work causes all of it until ctx ends, and returns when everything that was begun is done.
func (o *onceOnly) work(ctx context.Context, s *several, owner *person) {
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { o.runSchedule(ctx) })
	parts.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			o.pair(s, owner, n)
			o.join(ctx, s, owner, n)
		}
	})
}

// collect receives the emails until ctx ends.
func (o *onceOnly) collect(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case mail := <-o.box.arrived:
			o.mu.Lock()
			o.emailsByRecipient[mail.to]++
			if strings.HasPrefix(mail.to, "guest") {
				_, token, _ := strings.Cut(mail.text(o.t), "service_auth=accept-invitation&token=")
				o.tokens[mail.to], _, _ = strings.Cut(token, "\r\n")
			}
			o.mu.Unlock()
		}
	}
}

// runSchedule makes the schedules due again and again.
func (o *onceOnly) runSchedule(ctx context.Context) {
	for ctx.Err() == nil {
		_, err := o.pool.Exec(o.t.Context(), `
			UPDATE core.module_schedule SET due_at = now() - interval '1 second'
			WHERE module_id IN ('regular', 'rota') AND tries = 0 AND due_at > now()`)
		if err != nil {
			o.t.Error(err)
			return
		}
		if !o.await(context.WithoutCancel(ctx), func() bool {
			return o.is(`SELECT EXISTS (SELECT FROM core.module_schedule
				WHERE module_id = 'regular' AND due_at > now() AND tries = 0)`)
		}) {
			o.t.Error("a run of the schedule was not made")
			return
		}
		o.due++
	}
}

// await polls a condition that depends on another process, until it is true or ctx ends.
func (o *onceOnly) await(ctx context.Context, condition func() bool) bool {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.After(patience); !condition(); {
		select {
		case <-ctx.Done():
			return false
		case <-deadline:
			return false
		case <-poll.C:
		}
	}
	return true
}

// is runs a query that returns a boolean.
func (o *onceOnly) is(sql string, arguments ...any) (yes bool) {
	if err := o.pool.QueryRow(o.t.Context(), sql, arguments...).Scan(&yes); err != nil {
		o.t.Error(err)
	}
	return yes
}

// beforeKill remembers the process of the module regular that ends with a process of the platform.
func (o *onceOnly) beforeKill(p *replica) { o.victim = modulePID(o.t, p.daemon, "regular") }

// afterKill lets the claim of the killed process expire at once, if it had one, because the test does not
// wait 45 s for it. A claim that is younger than the last run is that of another process, not yet begun.
func (o *onceOnly) afterKill() {
	var ended bool
	err := o.pool.QueryRow(o.t.Context(), `
		WITH held AS (
			SELECT s.module_id, s.name, r.ended
			FROM core.module_schedule s,
			     (SELECT pid, began, ended FROM module_regular.runs ORDER BY id DESC LIMIT 1) r
			WHERE s.module_id = 'regular' AND s.tries > 0 AND s.free_at > now() AND r.pid = $1
			  AND r.began > s.free_at - interval '45 seconds'
		), released AS (
			UPDATE core.module_schedule s SET free_at = now()
			FROM held WHERE (s.module_id, s.name) = (held.module_id, held.name))
		SELECT ended IS NOT NULL FROM held`, o.victim).Scan(&ended)
	switch {
	case err == nil && ended:
		o.repeated++
		fallthrough
	case err == nil:
		o.released++
	case err != pgx.ErrNoRows:
		o.t.Error(err)
	}
}

// twice sends a request through both proxies at once, and returns the better response. answered is false if a
// proxy could not finish one of the two.
func (o *onceOnly) twice(s *several, p *person, path string, body any) (got httpResponse, answered bool) {
	var both sync.WaitGroup
	answers := make([]httpResponse, len(s.addresses))
	for n := range answers {
		both.Go(func() {
			var err error
			if answers[n], err = s.at(n, p).doContext(o.t.Context(), "POST", path, body); err != nil {
				o.t.Errorf("POST %s: %v", path, err)
			}
		})
	}
	both.Wait()
	got, answered = answers[0], true
	for _, answer := range answers {
		if answer.status < got.status {
			got = answer
		}
		answered = answered && answer.status != http.StatusBadGateway
		if answer.status >= 500 && answer.status != http.StatusBadGateway {
			o.t.Errorf("POST %s: status %d, body %.200s", path, answer.status, answer.body)
		}
	}
	return got, answered
}

// pair pairs a screen: the pairing is approved twice, and claimed twice.
func (o *onceOnly) pair(s *several, owner *person, n int) {
	label := fmt.Sprintf("Screen %d", n)
	screen := s.browser(n)
	asked, err := screen.doContext(o.t.Context(), "POST", "/api/v1/device-pairing",
		object{"moduleId": "announcements"})
	var pairing struct{ PairingCode string }
	if err != nil || asked.status != http.StatusCreated || json.Unmarshal([]byte(asked.body), &pairing) != nil {
		if err != nil || asked.status != http.StatusBadGateway {
			o.t.Errorf("a screen asks for a code: %d %.200s, %v", asked.status, asked.body, err)
		}
		return
	}
	_, approved := o.twice(s, owner, "/api/v1/device-pairing/"+pairing.PairingCode+"/approve",
		object{"label": label})
	_, claimed := o.twice(s, screen, "/api/v1/device-pairing/claim", object{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows[label] = approved && claimed
}

// join invites a guest, who uses the mailed link twice. An email may be lost with the process that was to
// send it.
func (o *onceOnly) join(ctx context.Context, s *several, owner *person, n int) {
	guest := fmt.Sprintf("guest%d@example.org", n)
	invited, err := s.at(n, owner).doContext(o.t.Context(), "POST", "/api/v1/invitations",
		object{"email": guest})
	if err != nil || invited.status != http.StatusCreated {
		if err != nil || invited.status != http.StatusBadGateway {
			o.t.Errorf("an invitation: %d %.200s, %v", invited.status, invited.body, err)
		}
		return
	}
	limited, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	token := ""
	o.await(limited, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		token = o.tokens[guest]
		return token != ""
	})
	o.mu.Lock()
	o.flows[guest] = false
	o.mu.Unlock()
	if token == "" {
		return
	}
	_, answered := o.twice(s, s.browser(n), "/api/v1/invitations/accept",
		object{"token": token, "name": "Guest", "password": ownerPassword})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flows[guest] = answered
}

// assert compares what exists in the end with what was ordered.
func (o *onceOnly) assert(kills int) {
	o.t.Helper()
	var runs, ended, overlapping int
	if err := o.pool.QueryRow(o.t.Context(), `
		SELECT count(*), count(ended),
		       (SELECT count(*) FROM module_regular.runs a JOIN module_regular.runs b
			ON a.id < b.id AND b.began < a.ended)
		FROM module_regular.runs`).Scan(&runs, &ended, &overlapping); err != nil {
		o.t.Fatal(err)
	}
	if ended != o.due+o.repeated || runs != o.due+o.released || overlapping > 0 || o.due == 0 {
		o.t.Errorf("%d runs of the schedule, of which %d ended and %d overlap another; want %d that ended, and "+
			"one more for each of %d claims of killed processes", runs, ended, overlapping, o.due+o.repeated,
			o.released)
	}
	entries := make(map[string]int)
	for _, label := range o.i.column(o.t, `
		SELECT label FROM core.device UNION ALL SELECT email FROM core.person`) {
		entries[label]++
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	whole := 0
	for flow, answered := range o.flows {
		if entries[flow] > 1 || answered && entries[flow] != 1 {
			o.t.Errorf("%s is there %d times, want once", flow, entries[flow])
		}
		if answered {
			whole++
		}
	}
	reminders := o.i.column(o.t, `
		SELECT coalesce(outcome, 'none') FROM module_rota.mail_log WHERE kind = 'reminder'`)
	delivered := 0
	for to, mails := range o.emailsByRecipient {
		if mails != 1 {
			o.t.Errorf("%s got %d mails, want 1", to, mails)
		}
		if strings.HasPrefix(to, "volunteer") {
			delivered++
		}
	}
	if len(reminders) != volunteers || delivered > volunteers || delivered < volunteers-kills || whole == 0 {
		o.t.Errorf("%d reminders are written and %d delivered, want %d, less at most one for each of %d kills; "+
			"%d flows", len(reminders), delivered, volunteers, kills, whole)
	}
	o.t.Logf("%d runs of a schedule, %d of them again after a kill; %d of %d screens and guests without a "+
		"request unanswered; %d of %d reminders delivered", runs, o.released, whole, len(o.flows), delivered,
		volunteers)
}

// column returns the rows of a statement with one text column.
func (i *installation) column(t *testing.T, sql string) []string {
	t.Helper()
	rows, err := i.db.Pool(t).Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
