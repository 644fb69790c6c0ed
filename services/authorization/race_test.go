package authorization_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/narthex-platform/narthex/services/database/databasetest"
	"github.com/narthex-platform/narthex/services/principal"
)

// Of a hundred identical requests to two processes, one creates the grant. The same holds after that grant
// has expired, and after it was revoked.
func TestIdenticalCreates(t *testing.T) {
	t.Parallel()
	h := setup(t)
	processes := []harness{h, h.second(t)}
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	all := func() (winner string) {
		statuses := make(chan int, 100)
		ids := make(chan string, 100)
		start := make(chan struct{})
		var asking sync.WaitGroup
		for i := range 100 {
			asking.Go(func() {
				<-start
				w := processes[i%2].send(owner, "POST", "/api/v1/grants", grantBody(person, manage, ""))
				statuses <- w.Code
				if w.Code == http.StatusCreated {
					ids <- w.Body.String()[7:43]
				} else if w.Body.String() != `{"code":"AUTHORIZATION_GRANT_ALREADY_EXISTS"}` {
					t.Errorf("POST /api/v1/grants: body %s, want a grant or "+
						"AUTHORIZATION_GRANT_ALREADY_EXISTS", w.Body)
				}
			})
		}
		close(start)
		asking.Wait()
		close(statuses)
		count := make(map[int]int)
		for status := range statuses {
			count[status]++
		}
		if count[http.StatusCreated] != 1 || count[http.StatusConflict] != 99 {
			t.Fatalf("statuses of 100 equal requests: %v, want one 201 and 99 409", count)
		}
		return <-ids
	}
	first := all()
	h.assertRows(t, 1, 1)
	h.Exec(
		t,
		"UPDATE core.permission_grant SET expires_at = now() - interval '1 microsecond' WHERE id = $1",
		first,
	)
	second := all()
	h.assertRows(t, 2, 2)
	if w := h.revoke(owner, second); !strings.Contains(w.Body.String(), second) ||
		!strings.Contains(w.Body.String(), first) {
		t.Errorf("revoke: body %s, want the grants %s and %s", w.Body, first, second)
	}
	all()
	h.assertRows(t, 3, 5)
}

// lockPerson opens a transaction that locks the person's row, like an issue or a revoke in another process.
func (h harness) lockPerson(t *testing.T, person string) pgx.Tx {
	t.Helper()
	return databasetest.Lock(t, h.Pool(t), "SELECT FROM core.person WHERE id = $1 FOR NO KEY UPDATE", person)
}

// A request that waits for the lock is decided by the state when it gets the lock, with every
// default_transaction_isolation that an administrator can set.
func TestDecisionAfterTheLock(t *testing.T) {
	t.Parallel()
	exec := func(sql string) func(*testing.T, harness, pgx.Tx, string) {
		return func(t *testing.T, _ harness, tx pgx.Tx, person string) {
			if _, err := tx.Exec(t.Context(), sql, person, manage); err != nil {
				t.Fatal(err)
			}
		}
	}
	soonPassed := func(t *testing.T, h harness, _ pgx.Tx, _ string) {
		await(
			t,
			func() bool { return h.text(t, "SELECT (clock_timestamp() > moment)::text FROM soon") == "true" },
		)
	}
	rows := []struct {
		name      string
		before    string // the person's grants
		end       bool   // the wanted grant ends soon
		meanwhile func(*testing.T, harness, pgx.Tx, string)
		status    int
	}{
		{
			"an equivalent is issued",
			"",
			false,
			exec("INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2)"),
			409,
		},
		{
			"the equivalent is revoked",
			"NULL",
			false,
			exec("UPDATE core.permission_grant SET revoked_at = now() WHERE person_id = $1 AND permission_id = $2"),
			201,
		},
		{"the equivalent expires", "(SELECT moment FROM soon)", false, soonPassed, 201},
		{"the wanted end passes", "", true, soonPassed, 400},
	}
	for _, isolation := range []string{"read committed", "repeatable read", "serializable"} {
		for _, row := range rows {
			t.Run(isolation+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				h := setup(t)
				h.Exec(t, "ALTER DATABASE "+h.Settings.Name+" SET default_transaction_isolation TO '"+isolation+"'")
				owner := h.owner(t)
				person := h.person(t, "a@example.org")
				other := h.second(t) // connects with the new default
				allowed(t, other.service.Caller(owner), manage)
				// The moment must be after the request has begun to wait, and before its timeout.
				h.Exec(
					t,
					"CREATE TABLE soon AS SELECT date_trunc('milliseconds', clock_timestamp() + interval '1 s') AS moment",
				)
				existing := 0
				if row.before != "" {
					h.insert(t, person, manage, ", expires_at", ", "+row.before)
					existing = 1
				}
				more := ""
				if row.end {
					more = `,"expiresAt":"` + h.text(
						t,
						`SELECT to_char(moment, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') FROM soon`,
					) + `"`
				}
				tx := h.lockPerson(t, person)
				responded := make(chan *httptest.ResponseRecorder, 1)
				go func() { responded <- other.send(owner, "POST", "/api/v1/grants", grantBody(person, manage, more)) }()
				h.awaitBlocked(t, 1)
				row.meanwhile(t, h, tx, person)
				released := h.text(t, "SELECT clock_timestamp()::text")
				if err := tx.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				w := <-responded
				if w.Code != row.status {
					t.Errorf("got %d %s, want %d", w.Code, w.Body, row.status)
				}
				audits := h.count(t, "core.permission_grant_audit")
				if want := map[int]int{201: 1}[row.status]; audits != want {
					t.Errorf("%d audit rows, want %d", audits, want)
				}
				// Grants are listed in the order in which their requests got the lock.
				if n := h.count(
					t, "core.permission_grant WHERE created_by IS NOT NULL AND created_at > $1::text::timestamptz", released,
				); n != audits {
					t.Errorf(
						"%d grants are younger than the release of the lock, want %d; %d were there before", n, audits,
						existing,
					)
				}
			})
		}
	}
}

// A revoke waits for an issue that is not committed yet, and then revokes that grant too.
func TestRevokeWaits(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	expired := h.insert(t, person, manage, ", revoked_at", ", now()")
	tx := h.lockPerson(t, person)
	responded := make(chan *httptest.ResponseRecorder, 1)
	go func() { responded <- h.revoke(owner, expired) }()
	h.awaitBlocked(t, 1)
	var id string
	if err := tx.QueryRow(
		t.Context(),
		"INSERT INTO core.permission_grant (person_id, permission_id) VALUES ($1, $2) RETURNING id::text", person,
		manage,
	).Scan(&id); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	assertResponse(t, <-responded, http.StatusOK, `{"revokedGrantIds":["`+id+`"]}`)
	if allowed(t, h.service.Caller(principal.Person(person)), manage) {
		t.Error("the permission is still allowed after revoke responded")
	}
}

// Two people who give each other a permission at the same time do not deadlock.
func TestMutualGrants(t *testing.T) {
	t.Parallel()
	h := setup(t)
	owner := h.owner(t)
	a, b := h.person(t, "a@example.org"), h.person(t, "b@example.org")
	h.issue(t, owner, a, grants)
	h.issue(t, owner, b, grants)
	var working sync.WaitGroup
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		working.Go(func() {
			for range 50 {
				w := h.send(principal.Person(pair[0]), "POST", "/api/v1/grants", grantBody(pair[1], manage, ""))
				if w.Code != http.StatusCreated {
					t.Errorf("POST /api/v1/grants: status %d, want 201; body %s", w.Code, w.Body)
					return
				}
				if w := h.revoke(principal.Person(pair[0]), w.Body.String()[7:43]); w.Code != http.StatusOK {
					t.Errorf("revoke: status %d, want 200; body %s", w.Code, w.Body)
					return
				}
			}
		})
	}
	working.Wait()
	h.assertRows(t, 102, 202)
}

// After the response to a revoke, the permission is denied until it is issued again.
func TestRevokedPermissionIsDenied(t *testing.T) {
	t.Parallel()
	h := setup(t)
	processes := []harness{h, h.second(t)}
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	for range 40 {
		id := h.issue(t, owner, person, manage)
		if !allowed(t, processes[1].service.Caller(principal.Person(person)), manage) {
			t.Fatal("not effective after the response")
		}
		var revoking sync.WaitGroup
		for i := range 4 {
			revoking.Go(func() {
				if w := processes[i%2].revoke(owner, id); w.Code != http.StatusOK {
					t.Errorf("revoke: status %d, want 200; body %s", w.Code, w.Body)
				}
				caller := processes[(i+1)%2].service.Caller(principal.Person(person))
				if yes, err := caller.Allowed(t.Context(), manage); yes ||
					err != nil {
					t.Errorf("Allowed after the revoke responded: %v, error %v; want false and none", yes,
						err)
				}
			})
		}
		revoking.Wait()
	}
	h.assertRows(t, 40, 80)
}

// Two processes issue and revoke as fast as they can. Two equivalent grants are never effective at the same
// time, and the audit contains each issue and each revocation once.
func TestCreateAndRevokeStorm(t *testing.T) {
	t.Parallel()
	h := setup(t)
	processes := []harness{h, h.second(t)}
	owner := h.owner(t)
	person := h.person(t, "a@example.org")
	first := h.issue(t, owner, person, manage)
	var working sync.WaitGroup
	var mu sync.Mutex
	created, revoked := 1, make(map[string]int)
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return created >= 100
	}
	for i := range 8 {
		working.Go(func() {
			for !enough() && !t.Failed() {
				if i%2 == 0 {
					w := processes[i/4].send(owner, "POST", "/api/v1/grants", grantBody(person, manage, ""))
					mu.Lock()
					switch w.Code {
					case http.StatusCreated:
						created++
					case http.StatusConflict:
					default:
						t.Errorf("POST /api/v1/grants: status %d, want 201 or 409; body %s", w.Code, w.Body)
					}
					mu.Unlock()
					continue
				}
				w := processes[i/4].revoke(owner, first)
				if w.Code != http.StatusOK {
					t.Errorf("revoke: status %d, want 200; body %s", w.Code, w.Body)
					return
				}
				mu.Lock()
				for _, part := range strings.Split(w.Body.String(), `"`) {
					if len(part) == len(unknownID) {
						revoked[part]++
					}
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	h.revoke(owner, first)
	if allowed(t, h.service.Caller(principal.Person(person)), manage) {
		t.Error("effective after the last revoke")
	}
	for id, times := range revoked {
		if times != 1 {
			t.Errorf("grant %s was revoked %d times, want once", id, times)
		}
	}
	h.assertRows(t, created, 2*created)
	for what, sql := range map[string]string{
		"overlapping grants": `core.permission_grant a JOIN core.permission_grant b
			ON a.id < b.id AND tstzrange(a.created_at, a.revoked_at) && tstzrange(b.created_at, b.revoked_at)`,
		"grants without both audit rows": `core.permission_grant g WHERE NOT EXISTS (
				SELECT FROM core.permission_grant_audit WHERE grant_id = g.id AND action = 'issued' AND at = created_at
			) OR NOT EXISTS (
				SELECT FROM core.permission_grant_audit WHERE grant_id = g.id AND action = 'revoked' AND at = revoked_at
			)`,
	} {
		if n := h.count(t, sql); n != 0 {
			t.Errorf("%d %s, want none", n, what)
		}
	}
}
