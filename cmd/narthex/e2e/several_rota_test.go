package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestRotaRaces: of two coordinators who apply their plans at once, of two substitutes who take a date at
// once, and of two dates that one substitute takes at once, one outcome comes about, whichever process is
// asked.
func TestRotaRaces(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the platform twice")
	}
	t.Parallel()
	h := startMovedHouse(t)
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 7)
	for _, hour := range []int{9, 11} {
		h.owner.create(t, 201, "/api/v1/modules/stage/services", object{
			"title":    fmt.Sprintf("At %d", hour),
			"startsAt": day.Add(time.Duration(hour) * time.Hour).Format(stamp)})
	}
	services := h.i.column(t, `SELECT id::text FROM module_stage.services ORDER BY starts_at`)
	h.exec(`INSERT INTO module_rota.roles (name, position, needed) VALUES ('Reader', 1, 1)`)
	h.exec(`INSERT INTO module_rota.volunteers (label, email, language, digest)
		SELECT 'Reader ' || n, 'reader' || n || '@example.org', 'en', false FROM generate_series(1, 4) AS n`)
	h.exec(`INSERT INTO module_rota.volunteer_roles (volunteer_id, role_id)
		SELECT v.id, r.id FROM module_rota.volunteers AS v, module_rota.roles AS r`)

	h.raceOfCoordinators(services[0])
	h.raceOfSubstitutes(services)
}

// raceOfCoordinators applies two plans for the same board.
func (h *movedHouse) raceOfCoordinators(service string) {
	h.t.Helper()
	role := h.i.column(h.t, `SELECT id::text FROM module_rota.roles`)[0]
	readers := h.i.column(h.t, `SELECT id::text FROM module_rota.volunteers ORDER BY label`)
	rev := h.count(`SELECT rev FROM module_rota.board`)
	got := h.inARace(func(n int) httpResponse {
		return h.at(n).do("PUT", "/api/v1/modules/rota/assignments", object{"rev": rev,
			"add": []object{{"serviceId": service, "roleId": role, "volunteerId": readers[n]}}})
	})
	h.wantOne(got, http.StatusOK, "CONFLICT")
	if n := h.count(`SELECT count(*) FROM module_rota.assignments`); n != 1 {
		h.t.Errorf("after two plans for one board %d people are planned, want one", n)
	}
}

// raceOfSubstitutes: Reader 1 and Reader 2 look for somebody on the same day. Two take the date of Reader 1
// at once; then one of them takes both dates at once.
func (h *movedHouse) raceOfSubstitutes(services []string) {
	h.t.Helper()
	h.exec(`DELETE FROM module_rota.assignments`)
	people := make([]*person, 4)
	for n := range people {
		people[n] = h.memberOfRota(n + 1)
	}
	duties := make([]string, 2)
	for n := range duties {
		h.exec(`INSERT INTO module_rota.assignments (service_ref, role_id, volunteer_id, status)
			SELECT $1, r.id, v.id, 'yes' FROM module_rota.roles AS r, module_rota.volunteers AS v
			WHERE v.label = $2`, services[n], fmt.Sprint("Reader ", n+1))
		duties[n] = h.i.column(h.t, `SELECT id::text FROM module_rota.assignments WHERE service_ref = '`+
			services[n]+`'`)[0]
	}
	h.owner.do("GET", "/api/v1/modules/rota/board", nil) // the rota knows the services now
	h.exec(`UPDATE core.module_schedule SET due_at = now() WHERE module_id = 'rota' AND name = 'services'`)
	eventually(h.t, "the rota knows when the services are", func() bool {
		return h.count(`SELECT count(*) FROM module_rota.known_services`) == 2
	})
	for n, duty := range duties {
		got := people[n].do("POST", "/api/v1/modules/rota/mine/"+duty+"/substitute", object{"rev": 1})
		if got.status != http.StatusOK {
			h.t.Fatalf("Reader %d looks for somebody: status %d, want 200; body %s", n+1, got.status, got.body)
		}
	}
	take := func(who *person, process int, duty string) httpResponse {
		one := *who
		one.address = h.processes[process].address
		return one.do("POST", "/api/v1/modules/rota/mine/"+duty+"/take", object{})
	}
	got := h.inARace(func(n int) httpResponse { return take(people[n+2], n, duties[0]) })
	h.wantOne(got, http.StatusNoContent, "ALREADY_TAKEN")
	h.wantServing(services[0], 1)

	// Now one person, two dates on one day.
	h.exec(`UPDATE module_rota.assignments SET status = 'yes', seeking = true WHERE id = $1`, duties[0])
	h.exec(`DELETE FROM module_rota.assignments WHERE id <> ALL($1::uuid[])`, duties)
	got = h.inARace(func(n int) httpResponse { return take(people[2], n, duties[n]) })
	h.wantOne(got, http.StatusNoContent, "CONFLICT")
	if n := h.count(`SELECT count(*) FROM module_rota.assignments AS a JOIN module_rota.volunteers AS v
		ON v.id = a.volunteer_id WHERE v.label = 'Reader 3'`); n != 1 {
		h.t.Errorf("Reader 3 serves %d times on one day, want once", n)
	}
	if n := h.count(`SELECT count(*) FROM module_rota.news WHERE kind = 'replaced'`); n != 2 {
		h.t.Errorf("%d pieces of news of a substitute, want one for each that came about", n)
	}
}

// memberOfRota returns a person with an account who is this reader.
func (h *movedHouse) memberOfRota(number int) *person {
	h.t.Helper()
	email := fmt.Sprintf("reader%d@example.org", number)
	h.exec(`INSERT INTO core.person (email, name, email_verified, password_hash)
		SELECT $1, 'Reader', true, password_hash FROM core.person WHERE email = $2`, email, ownerAddress)
	id := h.i.column(h.t, `SELECT id::text FROM core.person WHERE email = '`+email+`'`)[0]
	for _, permission := range []string{"rota.own.read", "rota.own.respond"} {
		h.owner.create(h.t, 201, "/api/v1/grants", object{"userId": id, "permissionId": permission})
	}
	h.exec(`UPDATE module_rota.volunteers SET user_id = $1 WHERE email = $2`, id, email)
	return h.processes[(number-1)/2].signIn(h.t, email, ownerPassword)
}

// inARace makes a request of each process. Both wait for the board before either of them goes on.
func (h *movedHouse) inARace(request func(n int) httpResponse) []httpResponse {
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
	got := make([]httpResponse, len(h.processes))
	var all sync.WaitGroup
	for n := range h.processes {
		all.Go(func() { got[n] = request(n) })
	}
	eventually(h.t, "both wait for their turn", func() bool {
		return h.count(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) == len(h.processes)
	})
	if err := tx.Rollback(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	all.Wait()
	return got
}

// wantOne fails the test unless one request succeeded, and the other one was refused with a code.
func (h *movedHouse) wantOne(got []httpResponse, status int, code string) {
	h.t.Helper()
	slices.SortFunc(got, func(a, b httpResponse) int { return a.status - b.status })
	var refusal struct{ Code string }
	_ = json.Unmarshal([]byte(got[1].body), &refusal)
	if got[0].status != status || got[1].status != http.StatusConflict || refusal.Code != code {
		h.t.Errorf("the race: status %d %s and %d %s, want %d and 409 %s", got[0].status, got[0].body,
			got[1].status, got[1].body, status, code)
	}
}

// wantServing fails the test unless this many people serve in a service.
func (h *movedHouse) wantServing(service string, want int) {
	h.t.Helper()
	if n := h.count(`SELECT count(*) FROM module_rota.assignments WHERE status <> 'no' AND service_ref = '` +
		service + `'`); n != want {
		h.t.Errorf("%d people serve, want %d", n, want)
	}
}
